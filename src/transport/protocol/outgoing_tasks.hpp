// SPDX-License-Identifier: Apache-2.0
#pragma once

// A task as it is sent: one outgoing for all, or one each where each is told something of its own.

#include <span>
#include <utility>
#include <vector>

#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {

class OutgoingTasks {
 public:
  /// `own` is as in LocalTask, and stays in place, as what the task looks at does.
  OutgoingTasks(wire::TaskView task, std::span<const std::vector<double>> own) : own_(own), task_(std::move(task)) {
    if (own_.empty()) common_ = outgoing(task_);
  }

  OutgoingMessage operator()(ClientId client) const {
    if (common_) return common_;
    wire::TaskView task = task_;
    task.own = own_[client.value];
    return outgoing(task);
  }

 private:
  static OutgoingMessage outgoing(const wire::TaskView& task) {
    return std::make_shared<const std::string>(wire::bytes_of_message(task));
  }

  std::span<const std::vector<double>> own_;
  wire::TaskView task_;
  OutgoingMessage common_;
};

}  // namespace fedrk::network
