// SPDX-License-Identifier: Apache-2.0
#include "network/hub.hpp"

#include <algorithm>
#include <climits>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include "fedrk/v1/federation.grpc.pb.h"
#include "network/credentials.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

grpc::StatusCode code_of(Closing why) {
  switch (why) {
    case Closing::Denied:
      return grpc::StatusCode::PERMISSION_DENIED;
    case Closing::Unfit:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case Closing::Occupied:
      return grpc::StatusCode::ALREADY_EXISTS;
    case Closing::Broken:
    case Closing::Silent:
      return grpc::StatusCode::ABORTED;
    case Closing::Full:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case Closing::Ended:
      break;
  }
  return grpc::StatusCode::OK;
}

Peer peer_of(const grpc::ServerContext& context, bool secured) {
  Peer peer;
  peer.secured = secured;
  peer.address = plain_address(context.peer());
  const auto authentication = context.auth_context();
  const auto first = [&](const char* property) {
    const auto values = authentication->FindPropertyValues(property);
    return values.empty() ? std::string() : std::string(values.front().data(), values.front().size());
  };
  peer.identity = first("x509_common_name");
  peer.certificate = first("x509_pem_cert");
  return peer;
}

// That wait for one client: the newest question, and some that were given up.
constexpr std::size_t kMostParcels = 8;
constexpr auto kShutdownLimit = std::chrono::milliseconds(500);

}  // namespace

/// All streams, and the thread that serves them.
class Hub::Streams final : public Outbox {
 public:
  Streams(FederationOptions federation, operation::Log& log)
      : grpc_log_(log), switchboard_(std::move(federation), *this, log) {}
  ~Streams() override;

  Result<void> start(const HubOptions& options, const FederationOptions& federation);
  Switchboard& switchboard() { return switchboard_; }
  int port() const { return port_; }

  void send(ConnectionId connection, Parcel parcel) override;
  void close(ConnectionId connection, Closing why, std::string words) override;

 private:
  struct Stream;
  enum class Event { Accepted, Read, Written, Finished, Tick };
  struct Tag {
    Stream* stream = nullptr;
    Event event;
  };
  /// One client's call, from the moment it may come until all its operations have ended.
  struct Stream {
    explicit Stream(ConnectionId number) : id(number) {}

    ConnectionId id;
    grpc::ServerContext context;
    grpc::ServerAsyncReaderWriter<v1::ServerMessage, v1::ClientMessage> channel{&context};
    v1::ClientMessage incoming;
    std::deque<Parcel> outgoing;
    std::size_t next_piece = 0;  // of the first parcel
    std::optional<grpc::Status> last_word;
    bool writing = false, finishing = false;
    int operations = 0;
    Tag accepted{this, Event::Accepted}, read{this, Event::Read}, written{this, Event::Written},
        finished{this, Event::Finished};
  };
  void serve();
  void accept_next();
  void on_event(Tag& tag, bool ok);
  void on_accepted(Stream& stream);
  void on_read(Stream& stream, bool ok);
  void read_next(Stream& stream);
  void go_on_writing(Stream& stream);
  void finish(Stream& stream, const grpc::Status& status);
  void release(Stream& stream);
  void set_tick();

  GrpcLog grpc_log_;
  Switchboard switchboard_;
  Milliseconds tick_{500};
  v1::Federation::AsyncService service_;
  std::unique_ptr<grpc::ServerCompletionQueue> queue_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  bool secured_ = false;
  std::thread thread_;

  // Guards what follows, and the streams. Never held while the switchboard is called, which calls back under a lock of
  // its own.
  std::mutex mutex_;
  std::unordered_map<ConnectionId, std::unique_ptr<Stream>> streams_;
  ConnectionId last_id_ = 0;
  bool stopped_ = false;
  grpc::Alarm tick_alarm_;
  Tag tick_tag_{nullptr, Event::Tick};
};

Result<void> Hub::Streams::start(const HubOptions& options, const FederationOptions& federation) {
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  if (options.tls) {
    auto made = server_credentials(*options.tls);
    if (!made) return made.error();
    credentials = *std::move(made);
    secured_ = true;
  }
  tick_ = std::clamp(federation.heartbeat / 2, Milliseconds(20), Milliseconds(500));
  const KeepAlive alive = keep_alive(federation.heartbeat);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.listen, std::move(credentials), &port_);
  builder.RegisterService(&service_);
  builder.SetMaxReceiveMessageSize(static_cast<int>(std::min<std::size_t>(federation.largest_message, INT_MAX)));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // else two servers share a port in silence
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 2);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kLookahead);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, static_cast<int>(federation.hello_limit.count()));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, alive.least_interval_ms);
  grpc::ResourceQuota quota("fedrk");
  quota.Resize(options.memory_limit);
  builder.SetResourceQuota(quota);
  queue_ = builder.AddCompletionQueue();
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    return Error{fmt::format("cannot listen on {}: is another program using that port?", options.listen)};
  }
  thread_ = std::thread([this] { serve(); });
  return {};
}

Hub::Streams::~Streams() {
  if (server_ == nullptr) {
    if (queue_ != nullptr) queue_->Shutdown();
    return;
  }
  server_->Shutdown(std::chrono::system_clock::now() + kShutdownLimit);
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    // The tick is what the thread sees last, so that it looks whether all is over.
    tick_alarm_.Cancel();
  }
  thread_.join();
}

// The queue may be closed only when no operation will be started any more: when the last stream is gone.
void Hub::Streams::serve() {
  accept_next();
  set_tick();
  void* tag = nullptr;
  bool ok = false, closed = false;
  while (queue_->Next(&tag, &ok)) {
    on_event(*static_cast<Tag*>(tag), ok);
    const std::lock_guard lock(mutex_);
    if (stopped_ && streams_.empty() && !std::exchange(closed, true)) queue_->Shutdown();
  }
}

void Hub::Streams::set_tick() {
  const std::lock_guard lock(mutex_);
  if (!stopped_) tick_alarm_.Set(queue_.get(), std::chrono::system_clock::now() + tick_, &tick_tag_);
}

void Hub::Streams::accept_next() {
  const std::lock_guard lock(mutex_);
  auto stream = std::make_unique<Stream>(++last_id_);
  Stream& waiting = *stream;
  streams_.emplace(waiting.id, std::move(stream));
  ++waiting.operations;
  service_.RequestJoin(&waiting.context, &waiting.channel, queue_.get(), queue_.get(), &waiting.accepted);
}

void Hub::Streams::on_event(Tag& tag, bool ok) {
  if (tag.event == Event::Tick) {
    switchboard_.on_tick();
    return set_tick();
  }
  Stream& stream = *tag.stream;
  switch (tag.event) {
    case Event::Accepted:
      if (ok) on_accepted(stream);
      break;
    case Event::Read:
      on_read(stream, ok);
      break;
    case Event::Written: {
      const std::lock_guard lock(mutex_);
      stream.writing = false;
      if (!ok) {
        stream.outgoing.clear();
        stream.next_piece = 0;
      }
      go_on_writing(stream);
      break;
    }
    case Event::Finished:
    case Event::Tick:
      break;
  }
  release(stream);
}

void Hub::Streams::on_accepted(Stream& stream) {
  accept_next();
  switchboard_.on_open(stream.id, peer_of(stream.context, secured_));
  read_next(stream);
}

void Hub::Streams::read_next(Stream& stream) {
  const std::lock_guard lock(mutex_);
  ++stream.operations;
  stream.channel.Read(&stream.incoming, &stream.read);
}

void Hub::Streams::on_read(Stream& stream, bool ok) {
  if (ok) {
    switchboard_.on_message(stream.id, std::move(stream.incoming));
    stream.incoming.Clear();
    return read_next(stream);
  }
  // The client went away, or this side ended the call.
  switchboard_.on_closed(stream.id);
  const std::lock_guard lock(mutex_);
  finish(stream, grpc::Status::OK);
}

// ---- With the lock.

void Hub::Streams::go_on_writing(Stream& stream) {
  if (stream.writing || stream.finishing) return;
  if (stream.outgoing.empty()) {
    if (stream.last_word) finish(stream, *stream.last_word);
    return;
  }
  const Parcel& parcel = stream.outgoing.front();
  const v1::ServerMessage& message = (*parcel)[stream.next_piece];
  stream.writing = true;
  ++stream.operations;
  stream.channel.Write(message, &stream.written);  // serialised at once: the parcel may go
  if (++stream.next_piece == parcel->size()) {
    stream.outgoing.pop_front();
    stream.next_piece = 0;
  }
}

void Hub::Streams::finish(Stream& stream, const grpc::Status& status) {
  if (std::exchange(stream.finishing, true)) return;
  ++stream.operations;
  stream.channel.Finish(status, &stream.finished);
}

// ---- From any thread.

void Hub::Streams::send(ConnectionId connection, Parcel parcel) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(connection);
  if (found == streams_.end()) return;
  Stream& stream = *found->second;
  if (stream.last_word || stream.finishing) return;
  if (stream.outgoing.size() >= kMostParcels) return stream.context.TryCancel();  // it does not read
  stream.outgoing.push_back(std::move(parcel));
  go_on_writing(stream);
}

void Hub::Streams::close(ConnectionId connection, Closing why, std::string words) {
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(connection);
  if (found == streams_.end()) return;
  Stream& stream = *found->second;
  if (why == Closing::Silent) stream.context.TryCancel();  // nobody listens: do not wait until it is written
  if (stream.last_word || stream.finishing) return;
  stream.last_word = grpc::Status(code_of(why), std::move(words), kOwnWords);
  go_on_writing(stream);
}

// One operation has ended; with the last one the stream goes.
void Hub::Streams::release(Stream& stream) {
  const std::lock_guard lock(mutex_);
  if (--stream.operations == 0) streams_.erase(stream.id);
}

// ---- The hub itself.

Hub::Hub(std::unique_ptr<Streams> streams) : streams_(std::move(streams)) {}
Hub::~Hub() = default;
Switchboard& Hub::switchboard() { return streams_->switchboard(); }
int Hub::port() const { return streams_->port(); }

Result<std::unique_ptr<Hub>> Hub::open(const HubOptions& options, FederationOptions federation, operation::Log& log) {
  auto streams = std::make_unique<Streams>(federation, log);
  if (const auto started = streams->start(options, federation); !started) return started.error();
  return std::unique_ptr<Hub>(new Hub(std::move(streams)));
}

}  // namespace fedrk::network
