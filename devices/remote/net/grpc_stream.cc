// The one file that knows gRPC. A stream is a call with byte buffers in both directions, and its
// purpose the name of the method.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/net/stream.h"

namespace percale::remote {

class Message::Bytes {
 public:
  explicit Bytes(const grpc::ByteBuffer& buffer) : left_(buffer.Length()) {
    if (!buffer.Dump(&slices_).ok()) left_ = 0;
  }
  size_t left() const { return left_; }
  void read(void* to, size_t bytes) {
    auto* out = static_cast<std::byte*>(to);
    left_ -= bytes;
    while (bytes > 0) {
      const grpc::Slice& slice = slices_[slice_];
      const size_t part = std::min(bytes, slice.size() - offset_);
      std::memcpy(out, slice.begin() + offset_, part);
      out += part, offset_ += part, bytes -= part;
      if (offset_ == slice.size()) ++slice_, offset_ = 0;
    }
  }

 private:
  std::vector<grpc::Slice> slices_;
  size_t slice_ = 0, offset_ = 0, left_;
};

Message::Message(std::unique_ptr<Bytes> bytes) : bytes_(std::move(bytes)) {}
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;
size_t Message::left() const { return bytes_->left(); }
void Message::read(void* to, size_t bytes) { bytes_->read(to, bytes); }

namespace {

constexpr int kMaxStreams = 4096;                   // of a connection
constexpr size_t kServerBytes = size_t{256} << 20;  // for messages that arrive
constexpr int kWindowBytes = 4 << 20, kFrameBytes = 1 << 20;
constexpr int kKeepaliveMs = 1000, kKeepaliveTimeoutMs = 2500;
constexpr int kFirstBackoffMs = 100, kMaxBackoffMs = 1000;

// The arguments of both sides. gRPC's own windows are made for small messages: a chunk would need
// many round trips.
template <class Set>
void set_arguments(Set&& set) {
  set(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes);
  set(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kFrameBytes);
  set(GRPC_ARG_HTTP2_WRITE_BUFFER_SIZE, kFrameBytes);
  set(GRPC_ARG_TCP_READ_CHUNK_SIZE, kFrameBytes);
  set(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, kFrameBytes);
  set(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kWindowBytes);
  set(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // Finds a peer that is no longer reached while nothing else is sent.
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kKeepaliveMs / 2);
}

grpc::ByteBuffer buffer_of(std::span<const std::byte> head, std::span<const std::byte> body) {
  const grpc::Slice slices[] = {{head.data(), head.size()}, {body.data(), body.size()}};
  return {slices, body.empty() ? size_t{1} : size_t{2}};
}

// The common part of both sides' streams. gRPC is called with the mutex held, so that nothing
// begins on a call that has ended: it calls back from threads of its own. Events are called
// without the mutex.
class Flow : public Stream, public std::enable_shared_from_this<Flow> {
 public:
  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    grpc::ByteBuffer buffer = buffer_of(head, body);
    const std::lock_guard lock(mutex_);
    if (closing_ || ended_) return;
    queue_.push_back(std::move(buffer));
    proceed();
  }

  void read_next() override {
    const std::lock_guard lock(mutex_);
    if (!ended_) begin_read(&incoming_);
  }

  void close() override {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    proceed();
  }

  void abort() override {
    cancel();
    end();
  }

 protected:
  explicit Flow(std::shared_ptr<StreamEvents> events = nullptr) : events_(std::move(events)) {}

  virtual void begin_read(grpc::ByteBuffer* to) = 0;
  virtual void begin_write(const grpc::ByteBuffer* from) = 0;
  // Nothing more will be sent. Returns true if that ends the call.
  virtual bool end_sending() = 0;
  // No read or write will begin any more.
  virtual void end_call() = 0;
  virtual void cancel() = 0;

  void on_read(bool ok) {
    if (!ok) return end();
    events_->on_message(Message(std::make_unique<Message::Bytes>(incoming_)));
  }

  void on_write(bool ok) {
    if (!ok) return end();
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
      proceed();
    }
    events_->on_sent();
  }

  void end() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(ended_, true)) return;
    queue_.clear();
    end_call();
  }

  // gRPC calls nothing any more.
  void on_done(const std::string& reason) {
    events_->on_closed(reason);
    events_.reset();
    self_.reset();  // may be the last reference
  }

  std::shared_ptr<StreamEvents> events_;
  std::shared_ptr<Flow> self_;  // until on_done()

 private:
  // Starts the next write, or ends this direction, if nothing is under way.
  void proceed() {
    if (ended_ || writing_ || said_end_) return;
    if (!queue_.empty()) {
      outgoing_ = std::move(queue_.front());
      queue_.pop_front();
      writing_ = true;
      begin_write(&outgoing_);
    } else if (closing_) {
      said_end_ = true;
      ended_ = end_sending();
    }
  }

  std::mutex mutex_;  // guards what follows
  std::deque<grpc::ByteBuffer> queue_;
  bool writing_ = false, closing_ = false, said_end_ = false, ended_ = false;
  grpc::ByteBuffer incoming_, outgoing_;
};

class ClientFlow final : public Flow, private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ClientFlow(std::string address, std::shared_ptr<StreamEvents> events)
      : Flow(std::move(events)), peer_(std::move(address)) {}

  void start(grpc::GenericStub& stub, const std::string& method) {
    self_ = shared_from_this();
    stub.PrepareBidiStreamingCall(&context_, method, {}, this);
    AddHold();  // for reads and writes that begin outside of reactions
    read_next();
    StartCall();
  }

  const std::string& peer() const override { return peer_; }

 private:
  void begin_read(grpc::ByteBuffer* to) override { StartRead(to); }
  void begin_write(const grpc::ByteBuffer* from) override { StartWrite(from); }
  bool end_sending() override { return StartWritesDone(), false; }
  void end_call() override { RemoveHold(); }
  void cancel() override { context_.TryCancel(); }

  void OnReadDone(bool ok) override { on_read(ok); }
  void OnWriteDone(bool ok) override { on_write(ok); }
  void OnDone(const grpc::Status& status) override { on_done(status.error_message()); }

  const std::string peer_;
  grpc::ClientContext context_;
};

class ServerFlow final : public Flow, public grpc::ServerGenericBidiReactor {
 public:
  explicit ServerFlow(grpc::GenericCallbackServerContext& context) : context_(context), peer_(context.peer()) {}

  void start(const Accept& accept) {
    self_ = shared_from_this();
    events_ = accept(context_.method(), self_);
    if (events_ != nullptr) return read_next();
    events_ = std::make_shared<Refused>();
    finish({grpc::StatusCode::UNIMPLEMENTED, "this process does not answer " + context_.method()});
  }

  const std::string& peer() const override { return peer_; }

 private:
  struct Refused final : StreamEvents {
    void on_message(Message) override {}
    void on_closed(const std::string&) override {}
  };

  void finish(const grpc::Status& status) {
    if (!finished_.exchange(true)) Finish(status);
  }
  void begin_read(grpc::ByteBuffer* to) override { StartRead(to); }
  void begin_write(const grpc::ByteBuffer* from) override { StartWrite(from); }
  bool end_sending() override { return finish({}), true; }
  void end_call() override { finish({}); }
  void cancel() override { context_.TryCancel(); }

  void OnReadDone(bool ok) override { on_read(ok); }
  void OnWriteDone(bool ok) override { on_write(ok); }
  void OnCancel() override { end(); }
  void OnDone() override { on_done(context_.IsCancelled() ? "the connection is lost" : ""); }

  grpc::GenericCallbackServerContext& context_;
  const std::string peer_;
  std::atomic<bool> finished_{false};
};

class Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(Accept accept) : accept_(std::move(accept)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    const auto flow = std::make_shared<ServerFlow>(*context);
    flow->start(accept_);
    return flow.get();
  }

 private:
  const Accept accept_;
};

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Credentials& credentials) {
  if (!credentials.secure()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = credentials.authority;
  options.pem_key_cert_pairs.push_back({credentials.key, credentials.certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const Credentials& credentials) {
  if (!credentials.secure()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({credentials.authority, credentials.key, credentials.certificate});
}

}  // namespace

class Listener::Server {
 public:
  Server(const std::string& address, const Credentials& credentials, Accept accept) : service_(std::move(accept)) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address, server_credentials(credentials), &port_);
    builder.RegisterCallbackGenericService(&service_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxMessageBytes));
    builder.SetResourceQuota(grpc::ResourceQuota("percale").Resize(kServerBytes));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreams);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    set_arguments([&](const char* name, int value) { builder.AddChannelArgument(name, value); });
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || (port_ == 0 && !address.starts_with("unix:"))) {
      throw plugin::Failure(PERCALE_UNAVAILABLE, "cannot listen at " + address +
                                                     ": another process does, or it is no address of this machine");
    }
  }
  ~Server() { server_->Shutdown(std::chrono::system_clock::now()); }
  int port() const { return port_; }

 private:
  Service service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

Listener::Listener(const std::string& address, const Credentials& credentials, Accept accept)
    : server_(std::make_unique<Server>(address, credentials, std::move(accept))), port_(server_->port()) {}
Listener::~Listener() = default;

class Connection::Channel {
 public:
  Channel(std::string address, const Credentials& credentials) : address_(std::move(address)) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(static_cast<int>(kMaxMessageBytes));
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // machines of a cluster reach each other
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstBackoffMs);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kMaxBackoffMs);
    set_arguments([&](const char* name, int value) { arguments.SetInt(name, value); });
    // The certificate has the same name on all machines.
    if (credentials.secure()) arguments.SetSslTargetNameOverride(kCertificateName);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(address_, channel_credentials(credentials), arguments));
  }

  std::shared_ptr<Stream> open(const std::string& purpose, std::shared_ptr<StreamEvents> events) {
    const auto flow = std::make_shared<ClientFlow>(address_, std::move(events));
    flow->start(*stub_, purpose);
    return flow;
  }

 private:
  const std::string address_;
  std::unique_ptr<grpc::GenericStub> stub_;
};

Connection::Connection(const std::string& address, const Credentials& credentials)
    : channel_(std::make_unique<Channel>(address, credentials)) {}
Connection::~Connection() = default;

std::shared_ptr<Stream> Connection::open(const std::string& purpose, std::shared_ptr<StreamEvents> events) {
  return channel_->open(purpose, std::move(events));
}

}  // namespace percale::remote
