// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/log.hpp"

namespace fedrk::api {

/// For servers and clients within a program, which speaks for itself.
class NoLog final : public operation::Log {
 public:
  void write(operation::LogLevel, std::string_view, std::span<const operation::LogField>) override {}
};

}  // namespace fedrk::api
