// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "fedrk/history.hpp"

namespace fedrk {

/// What an engine throws where it cannot or shall not wait any longer: somebody asked to stop, the time is up, too few
/// clients are left. The round at hand is not made, nobody is asked again, and the run ends with what it has.
class RunEnded : public std::exception {
 public:
  /// REQUIRES: `why` is one that breaks a run off (history.hpp). `words`, where there are any, become a note of the
  /// run.
  explicit RunEnded(Termination why, std::string words = {}) : why_(why), words_(std::move(words)) {}

  Termination why() const { return why_; }
  const std::string& words() const { return words_; }
  const char* what() const noexcept override { return words_.empty() ? "the run was ended" : words_.c_str(); }

 private:
  Termination why_;
  std::string words_;
};

}  // namespace fedrk
