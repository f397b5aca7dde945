// SPDX-License-Identifier: Apache-2.0
#include "check_lines.hpp"

#include <sys/stat.h>

#include <system_error>

#include <fmt/format.h>

#include "fedrk/io/write_file.hpp"
#include "output.hpp"
#include "own_files.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using Level = CheckLine::Level;
using security::Moment;

Level level_of(security::Remark::Level level) {
  if (level == security::Remark::Level::Bad) return Level::Bad;
  return level == security::Remark::Level::Warning ? Level::Warning : Level::Fine;
}

// When a file got its content; a clock that was set back since then is behind it.
Moment written(const fs::path& path, Moment otherwise) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? Moment(std::chrono::seconds(about.st_mtime)) : otherwise;
}

CheckLine check_clock(const security::CredentialFiles& files, Moment now) {
  const std::string says = fmt::format("this machine's says {}", security::moment_text(now));
  const Moment sane(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1));
  if (now < sane) return {Level::Bad, "clock", says, "set it: certificates are believed by their dates"};
  if (written(files.certificate, now) > now + std::chrono::hours(1)) {
    return {Level::Warning, "clock", fmt::format("{}, but {} was written later", says, files.certificate.string()),
            "look at the clock: certificates are believed by their dates"};
  }
  return {Level::Fine, "clock", says, ""};
}

}  // namespace

void check_credentials(const network::TlsFiles& tls, bool insecure, security::Role role, const std::string& name,
                       CheckLines& lines) {
  if (insecure) {
    return lines.push_back({Level::Warning, "insecure", "no TLS: anybody may read along, and be anybody",
                            "for tests only; take the entry out of the settings"});
  }
  const security::CredentialFiles files = credential_files(tls);
  const Moment now = security::now();
  for (const security::Remark& remark : security::look_at_own(files, role, now, name)) {
    lines.push_back({level_of(remark.level), remark.about, remark.words, remark.advice});
  }
  lines.push_back(check_clock(files, now));
}

void check_folder(const std::string& about, const fs::path& folder, CheckLines& lines) {
  constexpr std::uintmax_t kFew = 100'000'000, kNone = 1'000'000;
  std::error_code ignored;
  fs::path there = fs::absolute(folder, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  const bool is_new = !fs::exists(folder, ignored);
  // Only what exists is tried: a check should leave nothing behind.
  if (const auto writable = io::make_writable_folder(there); !writable) {
    lines.push_back({Level::Bad, about, writable.error().message, "give this user the right to write there"});
    return;
  }
  const fs::space_info space = fs::space(there, ignored);
  const std::string words = fmt::format("{} can be {}, with {} free", folder.string(), is_new ? "made" : "written into",
                                        bytes_text(static_cast<double>(space.available)));
  if (space.available >= kFew) return lines.push_back({Level::Fine, about, words, ""});
  lines.push_back({space.available < kNone ? Level::Bad : Level::Warning, about, words, "make room on that disk"});
}

}  // namespace fedrk::app
