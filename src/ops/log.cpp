// SPDX-License-Identifier: Apache-2.0
#include "ops/log.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <mutex>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fedrk::operation {
namespace {

using Json = nlohmann::ordered_json;

std::string in_quotes(std::string_view text) { return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace); }

bool is_plain(std::string_view text) {
  const auto plain = [](char c) { return c > ' ' && c < '\x7f' && c != '"' && c != '=' && c != '\\'; };
  return !text.empty() && std::ranges::all_of(text, plain);
}

std::string shown(std::string_view text) { return is_plain(text) ? std::string(text) : in_quotes(text); }

std::string now_in_utc() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::time_t{milliseconds / 1000}), milliseconds % 1000);
}

std::string text_line(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  std::string line = fmt::format("{} {:<5} {}", now_in_utc(), word_of(level), shown(event));
  for (const LogField& field : fields) line += fmt::format(" {}={}", shown(field.key), shown(field.value));
  return line + '\n';
}

std::string json_line(LogLevel level, std::string_view event, std::span<const LogField> fields) {
  std::string line =
      fmt::format(R"({{"time":"{}","level":"{}","event":{})", now_in_utc(), word_of(level), in_quotes(event));
  for (const LogField& field : fields) {
    line += fmt::format(",{}:{}", in_quotes(field.key), field.is_number ? field.value : in_quotes(field.value));
  }
  return line + "}\n";
}

class FileLog : public Log {
 public:
  FileLog(LogFormat format, LogLevel min_level, std::FILE* out) : format_(format), min_level_(min_level), out_(out) {}

  void write(LogLevel level, std::string_view event, std::span<const LogField> fields) override {
    if (level < min_level_) return;
    const std::string line =
        format_ == LogFormat::Json ? json_line(level, event, fields) : text_line(level, event, fields);
    const std::lock_guard lock(mutex_);
    const bool written = std::fwrite(line.data(), 1, line.size(), out_) == line.size() && std::fflush(out_) == 0;
    if (!written) std::clearerr(out_);  // the next line may fare better
  }

 private:
  LogFormat format_;
  LogLevel min_level_;
  std::FILE* out_;
  std::mutex mutex_;
};

class Tee : public Log {
 public:
  Tee(std::unique_ptr<Log> log, LogLevel min_level, LogCallback also)
      : log_(std::move(log)), min_level_(min_level), also_(std::move(also)) {}

  void write(LogLevel level, std::string_view event, std::span<const LogField> fields) override {
    if (level >= min_level_) hand_over(level, event, fields);
    log_->write(level, event, fields);
  }

 private:
  void hand_over(LogLevel level, std::string_view event, std::span<const LogField> fields) {
    const std::lock_guard lock(mutex_);
    try {
      also_(level, event, fields);
    } catch (...) {  // NOLINT: as a line that cannot be written
    }
  }

  std::unique_ptr<Log> log_;
  LogLevel min_level_;
  LogCallback also_;
  std::mutex mutex_;
};

class LimitedLog : public Log {
 public:
  LimitedLog(std::unique_ptr<Log> log, std::size_t most, std::chrono::milliseconds interval)
      : log_(std::move(log)), most_(most), interval_(interval) {}

  void write(LogLevel level, std::string_view event, std::span<const LogField> fields) override {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now - begin_ > interval_) {
      if (used_ > most_) log_->warning("log.limited", {{"left_out", used_ - most_}});
      begin_ = now;
      used_ = 0;
    }
    const bool counts = level == LogLevel::Info || level == LogLevel::Warning;
    if (!counts || ++used_ <= most_) return log_->write(level, event, fields);
    if (used_ == most_ + 1) log_->warning("log.limited", {{"reason", "too many events to tell each"}});
  }

 private:
  std::unique_ptr<Log> log_;
  std::size_t most_, used_ = 0;
  std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point begin_{};
  std::mutex mutex_;
};

}  // namespace

std::string_view word_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warn";
    case LogLevel::Error:
      break;
  }
  return "error";
}

bool LogField::is_finite(double value) { return std::isfinite(value); }

std::string LogField::text_of(bool value) { return value ? "true" : "false"; }

std::string LogField::text_of(double value) { return fmt::format("{}", value); }

std::unique_ptr<Log> make_log(LogFormat format, LogLevel min_level, std::FILE* out) {
  return std::make_unique<FileLog>(format, min_level, out);
}

std::unique_ptr<Log> make_tee(std::unique_ptr<Log> log, LogLevel min_level, LogCallback also) {
  return std::make_unique<Tee>(std::move(log), min_level, std::move(also));
}

std::unique_ptr<Log> make_limited(std::unique_ptr<Log> log, std::size_t most, std::chrono::milliseconds interval) {
  return std::make_unique<LimitedLog>(std::move(log), most, interval);
}

}  // namespace fedrk::operation
