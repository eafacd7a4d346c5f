// Streams whose large bodies go through shared memory if both processes run on one machine. Heads,
// order, heartbeats and the end stay those of the stream below, which carries all if there is no
// shared memory. Both ends must be such streams.
#ifndef PERCALE_DEVICES_REMOTE_BULK_SHARED_STREAM_H_
#define PERCALE_DEVICES_REMOTE_BULK_SHARED_STREAM_H_

#include <functional>
#include <memory>

#include "devices/remote/net/protocol.h"
#include "devices/remote/net/stream.h"

namespace percale::remote {

struct Sharing {
  Checksum checksum;
  size_t ring_bytes;  // memory of each direction; a body that has no room stays in the stream
};

// Smaller bodies stay in the stream, where they are as fast.
inline constexpr size_t kLeastSharedBytes = size_t{64} << 10;

// A body in shared memory counts as sent, see StreamEvents::on_sent(), when the other side has read
// it. A limit of messages that are not sent is thus a limit of those in the ring.

// Wraps the stream that `open` returns, which gets the events of the stream below.
using OpenBelow = std::function<std::shared_ptr<Stream>(std::shared_ptr<StreamEvents> events)>;
std::shared_ptr<Stream> open_shared(const OpenBelow& open, std::shared_ptr<StreamEvents> events,
                                    const Sharing& sharing);
// Wraps a stream that a peer has opened. `accept` returns the events of the wrapped stream. Returns
// null if it does.
using AcceptAbove = std::function<std::shared_ptr<StreamEvents>(const std::shared_ptr<Stream>& stream)>;
std::shared_ptr<StreamEvents> accept_shared(std::shared_ptr<Stream> below, const AcceptAbove& accept,
                                            const Sharing& sharing);

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_BULK_SHARED_STREAM_H_
