// SPDX-License-Identifier: Apache-2.0
#pragma once

// What happens, told as it happens: one line an event, for people or for programs.
//
//     2026-11-16T17:30:00.123Z info  client.joined client=site-1 rows=14
//     {"time":"2026-11-16T17:30:00.123Z","level":"info","event":"client.joined","client":"site-1","rows":14}
//
// Peers choose some of the words: a value that is not plain is quoted as in JSON, in ASCII, so that no name can end a
// line, forge another or steer a terminal. A log never stops the work: what cannot be written is passed over.

#include <chrono>
#include <concepts>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fedrk::operation {

enum class LogLevel { Debug, Info, Warning, Error };
enum class LogFormat { Text, Json };

/// "debug", "info", "warn" or "error".
std::string_view word_of(LogLevel level);

struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text) {}
  template <class T>
  requires std::integral<T> || std::floating_point<T> LogField(std::string_view name, T number)
      : LogField(name, text_of(number)) {
    if constexpr (std::integral<T>) {
      is_number = true;
    } else {
      is_number = is_finite(number);
    }
  }

  std::string key, value;
  bool is_number = false;  // a finite number or a truth value: JSON shows it without quotes

 private:
  static bool is_finite(double value);
  static std::string text_of(bool value);
  static std::string text_of(double value);
  template <std::integral T>
  static std::string text_of(T value) {
    return std::to_string(value);
  }
};

class Log {
 public:
  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  virtual ~Log() = default;

  /// Any thread may call it, at any time.
  virtual void write(LogLevel level, std::string_view event, std::span<const LogField> fields) = 0;

  void debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::Debug, event, fields);
  }
  void info(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::Info, event, fields);
  }
  void warning(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::Warning, event, fields);
  }
  void error(std::string_view event, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::Error, event, fields);
  }
};

/// Writes events of at least this level to `out`, which stays the caller's and must outlive the log. Each line is
/// flushed. (Who may write to a pipe that nobody reads must ignore SIGPIPE.)
std::unique_ptr<Log> make_log(LogFormat format, LogLevel min_level, std::FILE* out);

/// Hands events to `also` before they go to `log`, those of at least this level: a run keeps what happened to it. One
/// call at a time; what it throws is passed over; it must not write to this log itself.
using LogCallback = std::function<void(LogLevel, std::string_view event, std::span<const LogField>)>;
std::unique_ptr<Log> make_tee(std::unique_ptr<Log> log, LogLevel min_level, LogCallback also);

/// Passes at most so many events of an interval on to `log`, and then how many it left out; errors and what is for
/// debugging always. Peers that come again and again must not fill a disk.
std::unique_ptr<Log> make_limited(std::unique_ptr<Log> log, std::size_t most, std::chrono::milliseconds interval);

}  // namespace fedrk::operation
