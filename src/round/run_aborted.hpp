// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "fedrk/history.hpp"

namespace fedrk {

/// What an engine throws where it cannot or shall not wait any longer: somebody asked to stop, the time is up, too few
/// clients are left. The round at hand is not made, nobody is asked again, and the run ends with what it has.
class RunAborted : public std::exception {
 public:
  /// REQUIRES: `why` is one that breaks a run off (history.hpp). `reason`, where there are any, become a note of the
  /// run.
  explicit RunAborted(Termination why, std::string reason = {}) : why_(why), reason_(std::move(reason)) {}

  Termination why() const { return why_; }
  const std::string& reason() const { return reason_; }
  const char* what() const noexcept override { return reason_.empty() ? "the run was ended" : reason_.c_str(); }

 private:
  Termination why_;
  std::string reason_;
};

}  // namespace fedrk
