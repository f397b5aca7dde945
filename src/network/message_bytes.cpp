// SPDX-License-Identifier: Apache-2.0
#include "network/message_bytes.hpp"

#include <climits>

#include <google/protobuf/stubs/logging.h>

namespace fedrk::wire {
namespace {

// The library would print a line for each text of a peer that is not UTF-8.
void keep_library_off_stderr() {
  static const bool once = [] {
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  (void)once;
}

template <class Message>
bool parse(const void* bytes, std::size_t size, Message& message) {
  keep_library_off_stderr();
  return size <= INT_MAX && message.ParseFromArray(bytes, static_cast<int>(size));
}

}  // namespace

std::string bytes_of(const v1::ServerMessage& message) { return message.SerializeAsString(); }
std::string bytes_of(const v1::ClientMessage& message) { return message.SerializeAsString(); }

bool read_message(const void* bytes, std::size_t size, v1::ServerMessage& message) {
  return parse(bytes, size, message);
}
bool read_message(const void* bytes, std::size_t size, v1::ClientMessage& message) {
  return parse(bytes, size, message);
}

}  // namespace fedrk::wire
