// SPDX-License-Identifier: Apache-2.0
#include "support/process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/temp_folder.hpp"

namespace fedrk::test {
namespace {

std::uintmax_t size_of(const std::filesystem::path& file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  return none ? 0 : size;
}

std::string read_from(const std::filesystem::path& file, std::uintmax_t begin) {
  std::ifstream in(file, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(begin));
  return {std::istreambuf_iterator<char>(in), {}};
}

// Between fork and exec of a program with threads: nothing that takes memory or a lock.
[[noreturn]] void become(char* const* arguments, const char* folder, const char* out, const char* err, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it was gone before we asked
  constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND;
  const bool ready = ::dup2(::open("/dev/null", O_RDONLY), 0) == 0 && ::dup2(::open(out, kAppend, 0600), 1) == 1 &&
                     ::dup2(::open(err, kAppend, 0600), 2) == 2 && ::chdir(folder) == 0;
  if (ready) ::execvp(arguments[0], arguments);
  const char* reason = std::strerror(errno);
  [[maybe_unused]] const ssize_t written = ::write(2, reason, std::strlen(reason));
  ::_exit(127);
}

}  // namespace

bool wait_until(milliseconds limit, const std::function<bool()>& it_is_so) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!it_is_so()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

Process::Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                 const std::filesystem::path& streams, const std::string& name)
    : out_(streams / (name + ".out")),
      err_(streams / (name + ".err")),
      out_begin_(size_of(out_)),
      err_begin_(size_of(err_)) {
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) throw std::runtime_error("no process: " + std::string(std::strerror(errno)));
  if (id_ == 0) become(pointers.data(), folder.c_str(), out_.c_str(), err_.c_str(), parent);
  ::setpgid(id_, id_);  // both do it: whoever comes first
}

Process::Process(Process&& other) noexcept
    : out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      out_begin_(other.out_begin_),
      err_begin_(other.err_begin_),
      id_(std::exchange(other.id_, -1)),
      exit_code_(std::exchange(other.exit_code_, 0)) {}

Process::~Process() { kill(); }

void Process::note_end(int status) {
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  ::kill(-id_, SIGKILL);  // whoever is left of the group
}

bool Process::running() {
  int status = 0;
  if (!exit_code_ && ::waitpid(id_, &status, WNOHANG) == id_) note_end(status);
  return !exit_code_;
}

void Process::signal(int number) {
  if (running()) ::kill(-id_, number);
}

std::optional<int> Process::wait(milliseconds limit) {
  wait_until(limit, [this] { return !running(); });
  return exit_code_;
}

void Process::kill() {
  if (id_ < 0 || exit_code_) return;
  ::kill(-id_, SIGKILL);
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  note_end(status);
}

std::string Process::out() const { return read_from(out_, out_begin_); }
std::string Process::err() const { return read_from(err_, err_begin_); }

Outcome run_command(const std::vector<std::string>& arguments, milliseconds limit,
                    const std::filesystem::path& folder) {
  const TempFolder streams;
  Process process(arguments, folder, streams.path(), "command");
  const auto code = process.wait(limit);
  process.kill();
  return {code.value_or(128 + SIGKILL), process.out(), process.err()};
}

}  // namespace fedrk::test
