// SPDX-License-Identifier: Apache-2.0
#include "io/rsvg_convert.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "fedrk/io/write_file.hpp"

extern char** environ;  // NOLINT: the name POSIX gives it

namespace fedrk::io {
namespace {

constexpr auto kLongest = std::chrono::seconds(60);

std::string words_for(int number) { return std::generic_category().message(number); }

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) failure_ = errno;
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (int& end : ends_) close(end);
  }

  int failure() const { return failure_; }
  int reading_end() const { return ends_[0]; }
  int writing_end() const { return ends_[1]; }
  void close_writing_end() { close(ends_[1]); }

 private:
  static void close(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }

  std::array<int, 2> ends_{-1, -1};
  int failure_ = 0;
};

struct Child {
  pid_t id = -1;
  int failure = 0;  // why it could not be started
};

// No shell between: a file name is an argument, whatever it contains.
Child start(std::vector<std::string> words, const Pipe& out, const Pipe& err) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.writing_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.writing_end(), STDERR_FILENO);
  Child child;
  child.failure = ::posix_spawnp(&child.id, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

struct Outputs {
  std::string out;
  std::string err;
  bool complete = false;
};

// Reads both pipes to their ends, by turns, so that neither fills up; gives up at the deadline.
Outputs read_outputs(const Pipe& out, const Pipe& err) {
  Outputs outputs;
  std::array<pollfd, 2> sources{pollfd{out.reading_end(), POLLIN, 0}, pollfd{err.reading_end(), POLLIN, 0}};
  const std::array<std::string*, 2> targets{&outputs.out, &outputs.err};
  std::vector<char> buffer(std::size_t{1} << 16U);
  const auto deadline = std::chrono::steady_clock::now() + kLongest;
  while (sources[0].fd >= 0 || sources[1].fd >= 0) {
    if (std::chrono::steady_clock::now() > deadline) return outputs;
    if (::poll(sources.data(), sources.size(), 1000) <= 0) continue;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (sources.at(i).fd < 0 || sources.at(i).revents == 0) continue;
      const ssize_t count = ::read(sources.at(i).fd, buffer.data(), buffer.size());
      if (count > 0) targets.at(i)->append(buffer.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) sources.at(i).fd = -1;  // poll passes over it
    }
  }
  outputs.complete = true;
  return outputs;
}

// The child's end: 0 when all went well.
int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace

Result<Converted> write_png(const std::filesystem::path& svg_file, const std::filesystem::path& png, double zoom) {
  const auto refuse = [&](const std::string& why) {
    return Error{fmt::format("cannot make {}: {}", png.string(), why)};
  };
  Pipe out;
  Pipe err;
  for (const Pipe* pipe : {&out, &err}) {
    if (pipe->failure() != 0) return refuse(words_for(pipe->failure()));
  }
  std::error_code none;
  const std::string file = std::filesystem::absolute(svg_file, none).string();  // never looks like an option
  const Child child = start({"rsvg-convert", fmt::format("--zoom={}", zoom), "--format=png", file}, out, err);
  if (child.failure == ENOENT) return Converted::NoProgram;
  if (child.failure != 0) return refuse("rsvg-convert: " + words_for(child.failure));
  out.close_writing_end();
  err.close_writing_end();
  const Outputs outputs = read_outputs(out, err);
  if (!outputs.complete) ::kill(child.id, SIGKILL);
  const int ended = wait_for(child.id);
  if (!outputs.complete) return refuse(fmt::format("rsvg-convert did not end within {} s", kLongest.count()));
  if (ended != 0) return refuse(fmt::format("rsvg-convert ended with {}: {}", ended, one_line(outputs.err)));
  if (const auto written = write_file(png, outputs.out); !written) return written.error();
  return Converted::Yes;
}

}  // namespace fedrk::io
