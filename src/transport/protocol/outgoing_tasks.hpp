// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task as it is sent: one parcel for all, or one each where each is told something of its own.

#include <span>
#include <utility>
#include <vector>

#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {

class TaskParcels {
 public:
  /// `own` is as in LocalTask, and stays in place, as what the task looks at does.
  TaskParcels(wire::TaskView task, std::span<const std::vector<double>> own) : own_(own), task_(std::move(task)) {
    if (own_.empty()) common_ = parcel(task_);
  }

  Parcel operator()(ClientId client) const {
    if (common_) return common_;
    wire::TaskView task = task_;
    task.own = own_[client.value];
    return parcel(task);
  }

 private:
  static Parcel parcel(const wire::TaskView& task) {
    return std::make_shared<const std::string>(wire::bytes_of_message(task));
  }

  std::span<const std::vector<double>> own_;
  wire::TaskView task_;
  Parcel common_;
};

}  // namespace fedrk::network
