// The links of a rank to all others. Of two ranks, the higher one opens the link.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_LINKS_H_
#define PERCALE_DEVICES_REMOTE_GROUP_LINKS_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "devices/remote/bulk/shared_stream.h"
#include "devices/remote/group/control.h"
#include "devices/remote/group/exchange.h"

namespace percale::remote {

// Thread-safe.
class Links : public std::enable_shared_from_this<Links> {
 public:
  Links(int rank, int size, Checksum checksum) : rank_(rank), size_(size), exchange_(rank, size, checksum) {}

  Exchange& exchange() { return exchange_; }
  // A process has opened a link to this one.
  std::shared_ptr<StreamEvents> accept(const std::shared_ptr<Stream>& stream);
  // Makes the links to lower ranks, and waits for those of higher ones. Throws Failure.
  void connect(const Roll& roll, const Credentials& credentials, Clock::time_point deadline);
  // Makes the links again that are missing. What could not be made fails the next exchange.
  void renew();
  // Closes all links, see Exchange::close(), and returns after the last events of those that this
  // rank has opened. Must be called at the end. One thread at a time calls this, connect() and
  // renew().
  void close(std::chrono::milliseconds limit);

 private:
  class Link;
  // Opens the link to a lower rank if it is missing, as often as it takes.
  void reach(int peer, Clock::time_point deadline);
  wire::GreetingT greeting(uint32_t round) const;
  Sharing sharing() const { return {exchange_.checksum(), kMaxInFlight * kChunkBytes}; }

  const int rank_, size_;
  Exchange exchange_;
  std::vector<std::string> addresses_;  // by rank
  Credentials credentials_;
  // By rank: to lower ones. A new link has a new connection.
  std::vector<std::unique_ptr<Connection>> connections_ =
      std::vector<std::unique_ptr<Connection>>(static_cast<size_t>(size_));
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  uint64_t generation_ = 0;  // 0: not known yet
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_LINKS_H_
