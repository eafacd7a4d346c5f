// Ordered messages between two processes. Nothing else in the plug-in knows how they travel.
#ifndef PERCALE_DEVICES_REMOTE_NET_STREAM_H_
#define PERCALE_DEVICES_REMOTE_NET_STREAM_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "devices/remote/net/credentials.h"
#include "devices/remote/net/message.h"

namespace percale::remote {

// No message is larger. A larger claim of a peer closes its stream before memory is allocated.
inline constexpr size_t kMaxMessageBytes = size_t{2} << 20;

// Called by threads of the transport, for each stream by one at a time, apart from on_sent().
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  // The next message comes after Stream::read_next().
  virtual void on_message(Message message) = 0;
  // A message was handed to the network, or, if its body is in shared memory, was read by the peer.
  virtual void on_sent() {}
  // The last event. `reason` is empty if the other side has closed the stream in order.
  virtual void on_closed(const std::string& reason) = 0;
};

// Thread-safe. Functions do nothing on a stream that has ended.
class Stream {
 public:
  virtual ~Stream() = default;
  // Sends one message: `head`, then `body`, which are copied.
  virtual void send(std::span<const std::byte> head, std::span<const std::byte> body) = 0;
  // Asks for one more message. Precondition: the last one has arrived.
  virtual void read_next() = 0;
  // Sends what was given to send(), then ends the stream.
  virtual void close() = 0;
  // Ends the stream at once.
  virtual void abort() = 0;
  // "ipv4:10.0.0.2:4711"; "" if it is not known.
  virtual const std::string& peer() const = 0;
};

// Answers a peer that opens a stream: its events, or null, which refuses it. `purpose` is what
// the peer has given to open().
using Accept =
    std::function<std::shared_ptr<StreamEvents>(const std::string& purpose, const std::shared_ptr<Stream>& stream)>;

// Waits for peers at an address until it is destroyed, which aborts the streams that are left.
class Listener {
 public:
  // Throws Failure, UNAVAILABLE if the address is taken. Port 0: any free one.
  Listener(const std::string& address, const Credentials& credentials, Accept accept);
  ~Listener();
  int port() const { return port_; }  // 0: a Unix socket

 private:
  class Server;
  std::unique_ptr<Server> server_;
  int port_ = 0;
};

// A connection to the process at an address. It is made when the first stream is opened.
class Connection {
 public:
  Connection(const std::string& address, const Credentials& credentials);
  // Aborts the streams that are left, and returns after their last events. Must not be called by
  // threads of the transport, such as by an event.
  ~Connection();
  // The first message is asked for already. Whether the peer is there, its first message or
  // on_closed() tells.
  std::shared_ptr<Stream> open(const std::string& purpose, std::shared_ptr<StreamEvents> events);

 private:
  class Channel;
  std::unique_ptr<Channel> channel_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_NET_STREAM_H_
