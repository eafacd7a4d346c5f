// The one file that knows gRPC. A stream is a call with byte buffers in both directions, and its
// purpose the name of the method.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/net/acceptor.h"
#include "devices/remote/net/calls.h"
#include "devices/remote/net/flow.h"
#include "devices/remote/net/pulse.h"

namespace percale::remote {
namespace {

constexpr int kMaxStreams = 4096;                   // of a connection
constexpr size_t kServerBytes = size_t{256} << 20;  // for messages that arrive
constexpr int kWindowBytes = 4 << 20, kFrameBytes = 1 << 20;
constexpr int kKeepaliveMs = 1000;
constexpr int kHandshakeMs = 3000;
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
  // Finds a connection that carries nothing any more. Heartbeats find a lost peer before. Unlike
  // gRPC, they excuse a process that stood still itself.
  set(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMs);
  set(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kStreamSilence.count()));
  set(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  set(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  set(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kKeepaliveMs / 2);
}

// The slices that gRPC has received, without a copy.
class Slices final : public Message::Bytes {
 public:
  explicit Slices(const grpc::ByteBuffer& buffer) : left_(buffer.Length()) {
    if (!buffer.Dump(&slices_).ok()) left_ = 0;
  }
  size_t left() const override { return left_; }
  void read(void* to, size_t bytes) override {
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

// gRPC calls back from threads of its own, as Flow wants it.
class GrpcFlow : public Flow<grpc::ByteBuffer> {
 protected:
  using Flow::Flow;
  grpc::ByteBuffer make_buffer(std::span<const std::byte> head, std::span<const std::byte> body) const override {
    const grpc::Slice slices[] = {{head.data(), head.size()}, {body.data(), body.size()}};
    return {slices, body.empty() ? size_t{1} : size_t{2}};
  }
  Message make_message(const grpc::ByteBuffer& buffer) const override {
    return Message(std::make_unique<Slices>(buffer));
  }
};

// Why a call has ended; "" if the other side has closed it in order.
std::string reason_of(const grpc::Status& status, bool has_answer) {
  if (status.ok()) return "";
  std::string out = status.error_message().empty() ? "the call failed" : status.error_message();
  const auto says = [&](const char* text) { return out.find(text) != std::string::npos; };
  if (!has_answer && (says("handshake failed") || says("Socket closed") || says("Connection reset"))) {
    out += "; a process with other certificates (PERCALE_CERTIFICATES), or with none, answers in this way";
  }
  return out;
}

class ClientFlow final : public GrpcFlow, private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  ClientFlow(std::string address, std::shared_ptr<StreamEvents> events, std::shared_ptr<Calls> calls)
      : GrpcFlow(std::move(events)), peer_(std::move(address)), calls_(std::move(calls)) {}

  void start(grpc::GenericStub& stub, const std::string& method) {
    calls_->add(shared_from_this());
    begin();
    stub.PrepareBidiStreamingCall(&*context_, method, {}, this);
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
  void cancel() override { context_->TryCancel(); }

  void OnReadDone(bool ok) override {
    has_answer_ |= ok;
    on_read(ok);
  }
  void OnWriteDone(bool ok) override { on_write(ok); }
  void OnDone(const grpc::Status& status) override {
    const std::shared_ptr<Calls> calls = calls_;
    const auto self = shared_from_this();
    on_done([&] { return reason_of(status, has_answer_); });
    context_.reset();
    calls->remove(this);
  }

  const std::string peer_;
  const std::shared_ptr<Calls> calls_;
  // Refers to the channel, until OnDone().
  std::optional<grpc::ClientContext> context_{std::in_place};
  bool has_answer_ = false;
};

class ServerFlow final : public GrpcFlow, public grpc::ServerGenericBidiReactor {
 public:
  explicit ServerFlow(grpc::GenericCallbackServerContext& context) : context_(context), peer_(context.peer()) {}

  void start(const Accept& accept) {
    begin();
    try {
      events_ = accept(context_.method(), shared_from_this());
      if (events_ != nullptr) return read_next();
      status_ = {grpc::StatusCode::UNIMPLEMENTED, "this process does not answer " + context_.method()};
    } catch (...) {
      status_ = {grpc::StatusCode::RESOURCE_EXHAUSTED, "out of memory"};
    }
    end();
  }

  const std::string& peer() const override { return peer_; }

 private:
  void begin_read(grpc::ByteBuffer* to) override { StartRead(to); }
  void begin_write(const grpc::ByteBuffer* from) override { StartWrite(from); }
  bool end_sending() override { return Finish(status_), true; }
  void end_call() override { Finish(status_); }
  void cancel() override { context_.TryCancel(); }

  void OnReadDone(bool ok) override { on_read(ok); }
  void OnWriteDone(bool ok) override { on_write(ok); }
  void OnCancel() override { end(); }
  void OnDone() override {
    on_done([this] { return context_.IsCancelled() ? "the connection is lost" : ""; });
  }

  grpc::GenericCallbackServerContext& context_;  // gone after OnDone()
  const std::string peer_;
  grpc::Status status_;  // of the call, if this side ends it
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
  Server(const std::string& address, const Credentials& credentials, Accept accept)
      : service_(std::move(accept)), acceptor_(address) {
    grpc::ServerBuilder builder;
    entrance_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, server_credentials(credentials));
    builder.RegisterCallbackGenericService(&service_);
    builder.SetMaxReceiveMessageSize(static_cast<int>(kMaxMessageBytes));
    builder.SetResourceQuota(grpc::ResourceQuota("percale").Resize(kServerBytes));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreams);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
    set_arguments([&](const char* name, int value) { builder.AddChannelArgument(name, value); });
    server_ = builder.BuildAndStart();
    if (server_ == nullptr) throw plugin::Failure(PERCALE_UNAVAILABLE, "gRPC starts no server; its log says why");
    acceptor_->start([this](int fd) { enter(fd); });
  }
  ~Server() {
    acceptor_.reset();
    server_->Shutdown(std::chrono::system_clock::now());
  }
  int port() const { return acceptor_->port(); }

 private:
  void enter(int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = fd;
    entrance_->HandleNewConnection(&connection);
  }

  Service service_;
  std::optional<Acceptor> acceptor_;  // ends before the server does, to which it hands connections
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> entrance_;
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

  ~Channel() { calls_->end(); }

  std::shared_ptr<Stream> open(const std::string& purpose, std::shared_ptr<StreamEvents> events) {
    const auto flow = std::make_shared<ClientFlow>(address_, std::move(events), calls_);
    flow->start(*stub_, purpose);
    return flow;
  }

 private:
  const std::string address_;
  const std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  std::unique_ptr<grpc::GenericStub> stub_;
};

Connection::Connection(const std::string& address, const Credentials& credentials)
    : channel_(std::make_unique<Channel>(address, credentials)) {}
Connection::~Connection() = default;

std::shared_ptr<Stream> Connection::open(const std::string& purpose, std::shared_ptr<StreamEvents> events) {
  return channel_->open(purpose, std::move(events));
}

}  // namespace percale::remote
