// One exchange of bytes after the other, over links to all other ranks.
#ifndef PERCALE_DEVICES_REMOTE_GROUP_EXCHANGE_H_
#define PERCALE_DEVICES_REMOTE_GROUP_EXCHANGE_H_

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"
#include "devices/remote/group/wire.h"
#include "devices/remote/net/clock.h"

namespace percale::remote {

inline constexpr size_t kChunkBytes = size_t{1} << 20;
// Chunks of a link. One is sent while the next ones are copied.
inline constexpr int kMaxInFlight = 3;

// "rank 3", for messages.
inline std::string rank_name(int rank) { return "rank " + std::to_string(rank); }

// Sends in chunks, which are copied, and receives where the bytes belong. A chunk that comes before
// its exchange stays unread, and so holds back its sender. Thread-safe; run() has one caller.
class Exchange {
 public:
  Exchange(int rank, int size, Checksum checksum);

  Checksum checksum() const { return checksum_; }
  // Messages of other generations are refused.
  void set_generation(uint64_t generation);
  // The link to a rank is there.
  void connect(int peer, std::shared_ptr<Stream> link);
  // Throws Failure that names the ranks without a link. One that has left already had one.
  void wait_for_links(Clock::time_point deadline);

  // See percale_exchange_function. Throws Failure. A deadline of time_point::max() never comes.
  void run(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs,
           Clock::time_point deadline);

  // Ends the exchange under way, and all that follow before go_on().
  void fail(const std::string& reason);
  // Throws Failure after fail().
  void check() const;
  // The rank whose link has broken since go_on(); -1: none.
  int broken_peer() const;
  // Goes on without the ranks that are lost.
  void go_on(std::span<const int32_t> lost);
  // Closes all links after what was sent, and waits up to `limit` until the other ranks have read
  // it. Then it ends those that are left.
  void close(std::chrono::milliseconds limit);

  // Events of links.
  void on_chunk(int peer, Message message);
  void on_sent(int peer);
  void on_closed(int peer, const std::string& reason);

 private:
  struct Peer {
    std::shared_ptr<Stream> link;
    bool is_gone = false;   // lost
    bool has_left = false;  // in order; only what it has sent before still counts
    percale_bytes from{}, to{};
    size_t sent = 0, received = 0;
    int in_flight = 0;  // chunks that the link has not handed over
    bool is_sending = false;
    std::optional<std::pair<wire::Chunk, Message>> early;

    bool is_done() const { return sent == from.size && received == to.size; }
  };
  using Lock = std::unique_lock<std::mutex>;
  class Busy;

  void begin(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs);
  // No thread touches memory of the exchange afterwards.
  void stop(Lock& lock);
  void take_early(Lock& lock);
  void send_chunks(Lock& lock, Peer& peer);
  // Returns true if the link may be read on.
  bool sort(Lock& lock, int number, const wire::Chunk& head, Message message);
  void take(Lock& lock, int number, const wire::Chunk& head, Message message);
  bool is_complete() const;
  // Fails if a rank has left that the exchange needs.
  void check_left();
  void break_link(int peer, const std::string& reason);
  void set_failure(percale_code code, std::string message);

  const int rank_;
  const Checksum checksum_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Peer> peers_;
  uint64_t generation_ = 0;
  std::optional<uint64_t> tag_;  // of the exchange under way, or of the last one
  bool is_active_ = false;
  int busy_ = 0;                            // threads that read or write memory of the exchange
  std::optional<plugin::Failure> failure_;  // of the exchange under way
  std::string failing_;                     // see fail()
  int broken_peer_ = -1;
  bool is_closing_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_EXCHANGE_H_
