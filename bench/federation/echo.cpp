// SPDX-License-Identifier: Apache-2.0
#include "bench/federation/echo.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include <grpcpp/grpcpp.h>

#include "fedrk/v1/federation.grpc.pb.h"

namespace fedrk::bench {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class EchoService final : public v1::Federation::Service {
  grpc::Status Join(grpc::ServerContext*,
                    grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>* stream) override {
    v1::ClientMessage in;
    v1::ServerMessage out;
    while (stream->Read(&in)) {
      *out.mutable_piece() = std::move(*in.mutable_piece());
      stream->Write(out);
    }
    return grpc::Status::OK;
  }
};

struct Line {
  grpc::ClientContext context;
  std::unique_ptr<v1::Federation::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream;
};

}  // namespace

struct Echo::Parts {
  EchoService service;
  std::unique_ptr<grpc::Server> server;
  std::vector<std::unique_ptr<Line>> lines;
  v1::ClientMessage message;
  v1::ServerMessage answer;
  std::size_t next = 0;
};

Echo::Echo(const network::TlsFiles& own, const network::TlsFiles& client, std::size_t streams, std::size_t numbers)
    : parts_(std::make_unique<Parts>()) {
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = text_of(own.ca);
  tls.pem_key_cert_pairs.push_back({text_of(own.key), text_of(own.certificate)});
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(tls), &port);
  builder.RegisterService(&parts_->service);
  parts_->server = builder.BuildAndStart();
  const auto credentials = grpc::SslCredentials({text_of(client.ca), text_of(client.key), text_of(client.certificate)});
  for (std::size_t k = 0; k < streams; ++k) {
    auto line = std::make_unique<Line>();
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    line->stub =
        v1::Federation::NewStub(grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port), credentials, arguments));
    line->context.set_wait_for_ready(true);
    line->stream = line->stub->Join(&line->context);
    parts_->lines.push_back(std::move(line));
  }
  for (std::size_t j = 0; j < numbers; ++j) parts_->message.mutable_piece()->add_values(0.1 * static_cast<double>(j));
  round(streams);  // every stream is up
}

Echo::~Echo() {
  for (auto& line : parts_->lines) line->stream->WritesDone();
  for (auto& line : parts_->lines) line->stream->Finish();
  parts_->server->Shutdown();
}

void Echo::round(std::size_t asked) {
  const std::size_t first = parts_->next;
  parts_->next = (first + asked) % parts_->lines.size();
  const auto line = [&](std::size_t k) -> Line& { return *parts_->lines[(first + k) % parts_->lines.size()]; };
  for (std::size_t k = 0; k < asked; ++k) line(k).stream->Write(parts_->message);
  for (std::size_t k = 0; k < asked; ++k) {
    if (!line(k).stream->Read(&parts_->answer)) throw std::runtime_error("the echo fell silent");
  }
}

}  // namespace fedrk::bench
