// SPDX-License-Identifier: Apache-2.0
#include "before_joining.hpp"

#include <fmt/format.h>

namespace fedrk::app {

security::CredentialFiles credential_files(const network::TlsFiles& tls) { return {tls.certificate, tls.key, tls.ca}; }

Result<void> look_at_own_files(const network::TlsFiles& tls, security::Role role, const std::string& name,
                               operation::Log& log) {
  using Level = security::Remark::Level;
  for (const security::Remark& remark : security::look_at_own(credential_files(tls), role, security::now(), name)) {
    if (remark.level == Level::Bad) {
      return Error{fmt::format("{}: {}; {}", remark.about, remark.message, remark.advice)};
    }
    if (remark.level == Level::Warning) {
      log.warning("own." + remark.about, {{"note", remark.message}, {"advice", remark.advice}});
    }
  }
  return {};
}

}  // namespace fedrk::app
