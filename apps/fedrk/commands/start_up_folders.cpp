// SPDX-License-Identifier: Apache-2.0
#include "start_up_folders.hpp"

#include <system_error>

#include <fmt/format.h>

#include "fedrk/io/write_file.hpp"
#include "fedrk/security/private_file.hpp"

namespace fedrk::app {

namespace fs = std::filesystem;
using security::Identity;

Result<void> write_files(const fs::path& folder, const std::vector<StartUpFile>& files) {
  for (const StartUpFile& file : files) {
    const auto written = file.is_secret ? security::write_private_file(folder / file.name, file.content)
                                        : io::write_file(folder / file.name, file.content);
    if (!written) return written;
  }
  return {};
}

Result<void> rename_folder(const fs::path& from, const fs::path& to) {
  std::error_code failure;
  fs::rename(from, to, failure);
  if (!failure) return {};
  return Error{fmt::format("cannot make {}: {}", to.string(), failure.message())};
}

Result<void> make_start_up_folder(const fs::path& folder, const std::vector<StartUpFile>& files) {
  const fs::path unfinished = folder.parent_path() / fmt::format(".{}.unfinished", folder.filename().string());
  std::error_code ignored;
  fs::remove_all(unfinished, ignored);  // of a run that was killed
  auto done = security::make_private_folder(unfinished);
  if (done) done = write_files(unfinished, files);
  if (done) done = rename_folder(unfinished, folder);
  if (!done) fs::remove_all(unfinished, ignored);
  return done;
}

std::vector<StartUpFile> client_files(const Identity& identity, const std::string& ca, const FederationFacts& facts,
                                      const std::string& name) {
  return {{"client.key", identity.key, true},
          {"client.crt", identity.certificate},
          {"ca.crt", ca},
          {"client.toml", client_toml(facts, name)},
          {"README", client_readme(facts, name)}};
}

std::vector<StartUpFile> server_files(const Identity& identity, const std::string& ca, const std::string& crl,
                                      const FederationFacts& facts, const std::vector<std::string>& clients,
                                      const std::string& plan) {
  return {{"server.key", identity.key, true},
          {"server.crt", identity.certificate},
          {"ca.crt", ca},
          {"crl.pem", crl},
          {"server.toml", server_toml(facts, clients)},
          {"plan.toml", plan.empty() ? sample_plan() : plan},
          {"README", server_readme(facts)}};
}

}  // namespace fedrk::app
