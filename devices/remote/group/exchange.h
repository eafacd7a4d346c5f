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

// A link to a rank. A link that was harmed is made again; `round` is the number of failed
// exchanges before that.
struct LinkId {
  LinkId(int rank, uint32_t in_round = 0) : peer(rank), round(in_round) {}
  int peer;
  uint32_t round;
};

// The state of a rank's links when an exchange has failed.
struct LinkReport {
  std::vector<int32_t> harmed;     // ranks whose links must be made again
  std::vector<int32_t> unreached;  // ranks whose links could not be made again
  bool is_stuck = false;           // exchanges have failed too often
};

// Sends in chunks, which are copied, and receives where the bytes belong. A chunk that comes before
// its exchange stays unread, and so holds back its sender. Thread-safe; run() has one caller.
class Exchange {
 public:
  Exchange(int rank, int size, Checksum checksum);

  Checksum checksum() const { return checksum_; }
  // Messages of other generations are refused.
  void set_generation(uint64_t generation);
  // The round of the link to this rank that is missing; not set: none is.
  std::optional<uint32_t> missing_link(int peer) const;
  // The link to a rank is there. False: it is not missing.
  bool connect(LinkId id, std::shared_ptr<Stream> link);
  // Throws Failure that names the ranks without a link. One that has left already had one.
  void wait_for_links(Clock::time_point deadline);

  // See percale_exchange_function. Throws Failure. A deadline of time_point::max() never comes.
  void run(uint64_t tag, std::span<const percale_bytes> sends, std::span<const percale_bytes> recvs,
           Clock::time_point deadline);

  // Ends the exchange under way, and all that follow before go_on().
  void fail(const std::string& reason);
  // Throws Failure after fail().
  void check() const;
  // Since go_on(). Stuck: nothing was run.
  LinkReport report() const;
  // Goes on without the ranks that are lost, and with new links to those of `again`.
  void go_on(std::span<const int32_t> lost, std::span<const int32_t> again);
  // Waits for missing links. Those that are missing at the deadline fail the next exchange, and are
  // reported as unreached.
  void await_links(Clock::time_point deadline);
  // Closes all links after what was sent, and waits up to `limit` until the other ranks have read
  // it. Then it ends those that are left.
  void close(std::chrono::milliseconds limit);

  // Says on all links that this rank is here. Breaks links over which nothing comes. `excused`:
  // this process may have missed it.
  void beat(Clock::time_point now, bool excused);

  // Events of links. Those of a link that was made again since have no effect.
  void on_chunk(LinkId id, Message message);
  void on_sent(LinkId id);
  void on_closed(LinkId id, const std::string& reason);

 private:
  struct Peer {
    std::shared_ptr<Stream> link;
    uint32_t round = 0;             // of the link
    uint32_t sends = 0, takes = 0;  // numbers of the link's next messages
    Clock::time_point heard{};      // when the last message came
    bool is_harmed = false, is_unreached = false;
    bool is_gone = false;   // lost
    bool has_left = false;  // in order; only what it has sent before still counts
    percale_bytes from{}, to{};
    size_t sent = 0, received = 0;
    int in_flight = 0;  // chunks that the link has not handed over
    bool is_sending = false;
    std::optional<std::pair<wire::Chunk, Message>> early;

    bool is_done() const { return sent == from.size && received == to.size; }
    bool lacks_link() const { return link == nullptr && !is_gone && !has_left; }
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
  // The names of ranks without a link.
  std::string missing_names() const;
  // Why the message cannot be taken; "": it can.
  std::string check_head(Peer& peer, const std::optional<wire::Chunk>& head);
  Peer* find(LinkId id);
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
  uint32_t round_ = 0;                      // calls of go_on()
  bool has_run_ = false;                    // since go_on()
  Clock::time_point beaten_{};
  bool is_closing_ = false;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_GROUP_EXCHANGE_H_
