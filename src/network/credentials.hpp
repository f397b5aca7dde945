// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mutual TLS for both sides, and the settings of connections that both sides must agree on.

#include <memory>
#include <string>

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "fedrk/base/result.hpp"
#include "fedrk/network/server_options.hpp"
#include "fedrk/network/tls_files.hpp"
#include "fedrk/operation/log.hpp"

namespace fedrk::network {

Result<std::shared_ptr<grpc::ServerCredentials>> server_credentials(const TlsFiles& files);
Result<std::shared_ptr<grpc::ChannelCredentials>> client_credentials(const TlsFiles& files);

/// Details of a status whose words are the server's own; others are gRPC's.
constexpr const char* kOwnWords = "fedrk";

/// How much may be under way to a peer that has not read it yet. Fixed, for both sides: else gRPC measures each
/// connection by pings of its own, which cost as much as a message on one that is used now and then, as most are.
constexpr int kLookahead = 4 << 20;

/// A peer that stopped answering is noticed after about three heartbeats, whatever the application does.
struct KeepAlive {
  int time_ms, timeout_ms, least_interval_ms;
};
KeepAlive keep_alive(Milliseconds heartbeat);

/// What gRPC says is not for people: it goes to a GrpcLog where there is one, else nowhere.
void keep_grpc_off_stderr();

/// What gRPC says of failed handshakes goes to this log in plain words, as long as it lives. One at a time.
class GrpcLog {
 public:
  explicit GrpcLog(operation::Log& log);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace fedrk::network
