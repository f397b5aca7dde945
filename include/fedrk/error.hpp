// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can go wrong, said in two ways.
//
// `Error` is what the world did: an unreadable file, a malformed row. It travels in a Result, and its message names the
// place, the fact and the expectation: "prostate.csv:14: expected 10 fields, found 9".
//
// `InvalidArgument` is what the caller did: a request that no data could satisfy. It is thrown.
//
// `InvalidData` is an Error as the calls of fedrk.hpp throw it.

#include <stdexcept>
#include <string>

namespace fedrk {

struct Error {
  std::string message;
};

class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class InvalidData : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fedrk
