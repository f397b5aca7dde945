// SPDX-License-Identifier: Apache-2.0
#include "network/credentials.hpp"

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/security/tls_credentials_options.h>

#include "fedrk/io/mapped_file.hpp"
#include "fedrk/security/certificate.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

using Clock = std::chrono::steady_clock;

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

// ---- What gRPC says.

std::mutex grpc_mutex;  // of what follows
operation::Log* grpc_log = nullptr;
Clock::time_point budget_begin;
int budget_used = 0;

// Anybody who can reach the port can make handshakes fail: that must not fill a disk with lines.
bool within_budget() {
  constexpr int kMost = 20;
  const auto now = Clock::now();
  if (now - budget_begin > std::chrono::seconds(10)) {
    budget_begin = now;
    budget_used = 0;
  }
  if (++budget_used == kMost) grpc_log->warning("tls.refused", {{"reason", "too often to tell each"}});
  return budget_used < kMost;
}

// The reason, a number, comes in a line before that of the failed handshake, on the same thread.
thread_local int verify_error = 0;

void take_grpc_line(gpr_log_func_args* line) {
  if (line->severity != GPR_LOG_SEVERITY_ERROR) return;
  const std::string_view raw = line->message;
  constexpr std::string_view kVerify = "Certificate verify failed with code ";
  if (raw.starts_with(kVerify)) {
    verify_error = std::atoi(line->message + kVerify.size());
    return;
  }
  std::string words = handshake_words(raw);
  const int why = std::exchange(verify_error, 0);
  if (why != 0 && !words.empty()) words = "the peer's certificate " + security::disbelief_words(why);
  const std::lock_guard lock(grpc_mutex);
  if (grpc_log == nullptr || !within_budget()) return;
  grpc_log->debug("grpc", {{"line", raw}});
  if (!words.empty()) grpc_log->warning("tls.refused", {{"reason", words}});
}

}  // namespace

Result<std::shared_ptr<grpc::ServerCredentials>> server_credentials(const TlsFiles& files) {
  auto pems = read_pems(files);
  if (!pems) return pems.error();
  using grpc::experimental::IdentityKeyCertPair;
  const std::vector<IdentityKeyCertPair> own{{pems->key, pems->certificate}};
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::StaticDataCertificateProvider>(pems->ca, own));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  // Only with a folder of revocation lists does gRPC say why it does not believe a certificate. In this one there can
  // be none: revocation is looked at later, where the client can be told of it.
  options.set_crl_directory("/dev/null/none");
  return grpc::experimental::TlsServerCredentials(options);
}

Result<std::shared_ptr<grpc::ChannelCredentials>> client_credentials(const TlsFiles& files) {
  auto pems = read_pems(files);
  if (!pems) return pems.error();
  return grpc::SslCredentials({pems->ca, pems->key, pems->certificate});
}

KeepAlive keep_alive(Milliseconds heartbeat) {
  const int beat = static_cast<int>(std::max<std::int64_t>(heartbeat.count(), 10));
  return {2 * beat, beat, std::min(beat / 2, 1000)};  // whatever heartbeat the other side goes by
}

void keep_grpc_off_stderr() {
  static const bool once = [] {
    gpr_set_log_function(take_grpc_line);
    google::protobuf::SetLogHandler(nullptr);  // it would print a line for each text of a peer that is not UTF-8
    return true;
  }();
  (void)once;
}

GrpcLog::GrpcLog(operation::Log& log) {
  keep_grpc_off_stderr();
  const std::lock_guard lock(grpc_mutex);
  grpc_log = &log;
}

GrpcLog::~GrpcLog() {
  const std::lock_guard lock(grpc_mutex);
  grpc_log = nullptr;
}

}  // namespace fedrk::network
