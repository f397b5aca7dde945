// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task as it is sent: one parcel for all, or one each where each is told something of its own.

#include <span>
#include <utility>
#include <vector>

#include "network/switchboard.hpp"
#include "network/vectors.hpp"

namespace fedrk::network {

class TaskParcels {
 public:
  /// `own` is as in LocalTask, and stays in place.
  TaskParcels(v1::Task message, std::span<const std::vector<double>> own) : own_(own), message_(std::move(message)) {
    if (own_.empty()) common_ = parcel(message_);
  }

  Parcel operator()(ClientId client) const {
    if (common_) return common_;
    v1::Task message = message_;
    wire::set_vector(*message.mutable_own(), own_[client.value]);
    return parcel(std::move(message));
  }

 private:
  static Parcel parcel(v1::Task message) {
    v1::ServerMessage whole;
    *whole.mutable_task() = std::move(message);
    return parcel_of(std::move(whole));
  }

  std::span<const std::vector<double>> own_;
  v1::Task message_;
  Parcel common_;
};

}  // namespace fedrk::network
