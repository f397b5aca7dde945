// SPDX-License-Identifier: Apache-2.0
#include "network/server_link.hpp"

#include <algorithm>
#include <climits>
#include <utility>

#include <grpcpp/grpcpp.h>

#include "fedrk/v1/federation.grpc.pb.h"
#include "network/credentials.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

LinkEnd::Kind kind_of(const grpc::Status& status, bool heard) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return LinkEnd::Kind::Closed;
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::UNIMPLEMENTED:
      return LinkEnd::Kind::Denied;
    case grpc::StatusCode::UNAVAILABLE:
      return heard ? LinkEnd::Kind::Lost : LinkEnd::Kind::Unreachable;
    default:
      return LinkEnd::Kind::Lost;
  }
}

// gRPC's own words say little to a person.
std::string words_for(const grpc::Status& status, bool heard) {
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
      return "";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "a server answers there, but it is not fedrk's; is this the port of fedrk server?";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "a message was too large, or memory short; --max-message says how large one may be";
    default:
      return heard ? "the connection was lost" : "no connection came about";
  }
}

class GrpcLink final : public ServerLink {
 public:
  explicit GrpcLink(const std::shared_ptr<grpc::Channel>& channel)
      : stub_(v1::Federation::NewStub(channel)), stream_(stub_->Join(&context_)) {}

  bool write(const v1::ClientMessage& message) override { return stream_->Write(message); }
  bool read(v1::ServerMessage& message) override {
    const bool got = stream_->Read(&message);
    heard_ = heard_ || got;
    return got;
  }
  void cancel() override { context_.TryCancel(); }
  LinkEnd finish() override {
    const grpc::Status status = stream_->Finish();
    const bool of_server = status.error_details() == kOwnWords;
    return {kind_of(status, heard_), of_server ? tamed(status.error_message(), 500) : words_for(status, heard_)};
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<v1::Federation::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
  bool heard_ = false;
};

}  // namespace

Result<std::unique_ptr<ServerLink>> connect(const LinkOptions& options) {
  keep_grpc_off_stderr();
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (options.tls) {
    auto made = client_credentials(*options.tls);
    if (!made) return made.error();
    credentials = *std::move(made);
  }
  const KeepAlive alive = keep_alive(options.heartbeat);
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::size_t>(options.largest_message, INT_MAX)));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, alive.time_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, alive.timeout_ms);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, static_cast<int>(options.connect_limit.count()));
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kLookahead);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);          // the address is what the owner typed
  return std::unique_ptr<ServerLink>(
      std::make_unique<GrpcLink>(grpc::CreateCustomChannel("dns:///" + options.server, credentials, arguments)));
}

}  // namespace fedrk::network
