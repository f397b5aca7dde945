// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace fedrk::store {
namespace {

pid_t written_in(int descriptor) {
  char text[32] = {};
  const ssize_t length = ::pread(descriptor, text, sizeof text - 1, 0);
  pid_t process = 0;
  if (length > 0) std::from_chars(text, text + length, process);
  return process;
}

bool try_lock(int descriptor, int how) { return ::flock(descriptor, how | LOCK_NB) == 0; }

}  // namespace

Result<RunLock> RunLock::take(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "run.lock";
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    return Error{"cannot open " + path.string() + ": " + std::generic_category().message(errno)};
  }
  RunLock lock(descriptor);
  // `holder` has the lock for a moment when it looks: that is no reason to give up.
  constexpr int kTries = 20;
  for (int tries = 1; !try_lock(descriptor, LOCK_EX); ++tries) {
    if (errno != EWOULDBLOCK) {
      return Error{"cannot lock " + path.string() + ": " + std::generic_category().message(errno)};
    }
    if (tries == kTries) {
      const pid_t process = written_in(descriptor);
      return Error{folder.string() + " is in use by " +
                   (process > 0 ? "process " + std::to_string(process) : std::string("another process"))};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, text.data(), text.size(), 0) < 0) {
    return Error{"cannot write " + path.string() + ": " + std::generic_category().message(errno)};
  }
  return lock;
}

std::optional<pid_t> RunLock::holder(const std::filesystem::path& folder) {
  const int descriptor = ::open((folder / "run.lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  const bool nobody = try_lock(descriptor, LOCK_SH);
  const pid_t process = nobody ? 0 : written_in(descriptor);
  ::close(descriptor);
  return nobody ? std::nullopt : std::optional(process);
}

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  if (this == &other) return *this;
  release();
  descriptor_ = std::exchange(other.descriptor_, -1);
  return *this;
}

RunLock::~RunLock() { release(); }

// Not emptied here: who failed to take it must not wipe out its holder's number. An old number is harmless, as only
// that of a held lock is read.
void RunLock::release() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace fedrk::store
