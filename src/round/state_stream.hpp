// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a run as bytes, and back. What changes from round to round is listed once, and the list serves both
// ways:
//
//     bool TailAverage::state(StateStream& stream) { stream(rounds_, mean_); ... }
//
// Members are what base/fields.hpp knows, classes that list their `fields` among them.

#include <string>
#include <string_view>

#include "base/byte_stream.hpp"

namespace fedrk {

class StateStream {
 public:
  /// Writes.
  StateStream() : in_({}) {}
  /// Reads what another wrote.
  explicit StateStream(std::string_view bytes) : in_(bytes), reads_(true) {}

  template <class... Members>
  void operator()(Members&... members) {
    ((reads_ ? in_.get(members) : out_.put(members)), ...);
  }

  bool reads() const { return reads_; }
  /// All was there, and nothing more.
  bool complete() const { return in_.complete(); }
  std::string& bytes() { return out_.bytes(); }

 private:
  ByteWriter out_;
  ByteReader in_;
  bool reads_ = false;
};

}  // namespace fedrk
