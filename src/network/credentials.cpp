// SPDX-License-Identifier: Apache-2.0
#include "network/credentials.hpp"

#include <atomic>
#include <string_view>

#include <grpc/support/log.h>

#include "fedrk/io/mapped_file.hpp"

namespace fedrk::network {
namespace {

struct Pems {
  std::string certificate, key, ca;
};

Result<Pems> read_pems(const TlsFiles& files) {
  Pems pems;
  const std::pair<const std::string*, std::string*> wanted[] = {
      {&files.certificate, &pems.certificate}, {&files.key, &pems.key}, {&files.ca, &pems.ca}};
  for (const auto& [path, text] : wanted) {
    const auto file = io::MappedFile::open(*path);
    if (!file) return file.error();
    *text = file->text();
  }
  return pems;
}

std::atomic<operation::Log*> grpc_log{nullptr};

void take_grpc_line(gpr_log_func_args* line) {
  operation::Log* const log = grpc_log.load();
  if (log == nullptr || line->severity != GPR_LOG_SEVERITY_ERROR) return;
  const std::string_view words = line->message;
  const bool handshake = words.find("andshake") != std::string_view::npos;
  log->warning(handshake ? "tls.refused" : "transport.error", {{"reason", words}});
}

}  // namespace

Result<std::shared_ptr<grpc::ServerCredentials>> server_credentials(const TlsFiles& files) {
  auto pems = read_pems(files);
  if (!pems) return pems.error();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = pems->ca;
  options.pem_key_cert_pairs.push_back({pems->key, pems->certificate});
  return grpc::SslServerCredentials(options);
}

Result<std::shared_ptr<grpc::ChannelCredentials>> client_credentials(const TlsFiles& files) {
  auto pems = read_pems(files);
  if (!pems) return pems.error();
  return grpc::SslCredentials({pems->ca, pems->key, pems->certificate});
}

KeepAlive keep_alive(Milliseconds heartbeat) {
  const int beat = static_cast<int>(std::max<std::int64_t>(heartbeat.count(), 10));
  return {2 * beat, beat, beat / 2};
}

GrpcLog::GrpcLog(operation::Log& log) {
  grpc_log = &log;
  gpr_set_log_function(take_grpc_line);
}

GrpcLog::~GrpcLog() { grpc_log = nullptr; }

}  // namespace fedrk::network
