// Exchanges of several ranks in one process.
#ifndef PERCALE_TESTS_UNIT_REMOTE_RANKS_H_
#define PERCALE_TESTS_UNIT_REMOTE_RANKS_H_

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/file/crc32c.h"
#include "devices/remote/bulk/shared_stream.h"
#include "devices/remote/group/exchange.h"
#include "tests/unit/remote/failure_of.h"
#include "tests/unit/remote/fake_link.h"

namespace percale::remote {

constexpr uint64_t kGeneration = 7;
constexpr Checksum kChecksum = &crc32c;
constexpr Clock::time_point kNever = Clock::time_point::max();

// The memory of a rank in one exchange. The bytes tell where they come from and go to.
class Buffers {
 public:
  // `bytes(from, to)`: the size of what rank `from` sends to rank `to`.
  template <class F>
  Buffers(int rank, int size, F&& bytes, int salt = 0) : rank_(rank), salt_(salt) {
    for (int peer = 0; peer < size; ++peer) {
      out_.emplace_back(peer == rank ? 0 : bytes(rank, peer));
      in_.emplace_back(peer == rank ? 0 : bytes(peer, rank));
      for (size_t i = 0; i < out_.back().size(); ++i) out_.back()[i] = expected(rank, peer, i);
    }
    for (ByteVector& one : out_) sends_.push_back({one.data(), one.size()});
    for (ByteVector& one : in_) recvs_.push_back({one.data(), one.size()});
  }
  void run(Exchange& exchange, uint64_t tag, Clock::time_point deadline = kNever) {
    exchange.run(tag, sends_, recvs_, deadline);
  }
  bool are_right() const {
    for (int peer = 0; peer < static_cast<int>(in_.size()); ++peer) {
      const ByteVector& one = in_[static_cast<size_t>(peer)];
      for (size_t i = 0; i < one.size(); ++i) {
        if (one[i] != expected(peer, rank_, i)) return false;
      }
    }
    return true;
  }

 private:
  std::byte expected(int from, int to, size_t i) const {
    return static_cast<std::byte>(i * 31 + (i >> 12) + static_cast<size_t>(from * 7 + to * 3 + salt_ * 11));
  }

  const int rank_, salt_;
  std::vector<ByteVector> out_, in_;
  std::vector<percale_bytes> sends_, recvs_;
};

class LinkEvents final : public StreamEvents {
 public:
  LinkEvents(Exchange& exchange, int peer) : exchange_(exchange), peer_(peer) {}
  void on_message(Message message) override { exchange_.on_chunk(peer_, std::move(message)); }
  void on_sent() override { exchange_.on_sent(peer_); }
  void on_closed(const std::string& reason) override { exchange_.on_closed(peer_, reason); }

 private:
  Exchange& exchange_;
  const int peer_;
};

// Ranks whose exchanges are all connected.
class Ranks {
 public:
  // `shared`: large bodies go through shared memory.
  explicit Ranks(int size, bool shared = false) : size_(size), shared_(shared) {
    for (int rank = 0; rank < size; ++rank) {
      exchanges_.push_back(std::make_unique<Exchange>(rank, size, kChecksum));
      exchanges_.back()->set_generation(kGeneration);
    }
    for (int a = 0; a < size; ++a) {
      for (int b = a + 1; b < size; ++b) connect(a, b);
    }
  }
  ~Ranks() {
    for (const auto& [ranks, end] : ends_) end->abort();
    network_.stop();
  }

  int size() const { return size_; }
  Exchange& operator[](int rank) { return *exchanges_[static_cast<size_t>(rank)]; }
  // The end of the link to `peer` that `rank` holds.
  FakeEnd& end(int rank, int peer) { return *ends_.at({rank, peer}); }

  // Calls `f(rank)` for all ranks, each in a thread of its own.
  template <class F>
  void each(F&& f) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank) threads.emplace_back([&f, rank] { f(rank); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void connect(int a, int b) {
    const auto to_b = std::make_shared<FakeEnd>(network_), to_a = std::make_shared<FakeEnd>(network_);
    ends_[{a, b}] = to_b, ends_[{b, a}] = to_a;
    FakeEnd::connect(to_b, end_of(a, b, to_b), to_a, end_of(b, a, to_a));
  }
  // Connects the exchange of a rank with its end of a link. Returns the events of the link.
  std::shared_ptr<StreamEvents> end_of(int rank, int peer, const std::shared_ptr<Stream>& link) {
    const auto take = [&](const std::shared_ptr<Stream>& stream) {
      (*this)[rank].connect(peer, stream);
      return std::make_shared<LinkEvents>((*this)[rank], peer);
    };
    return shared_ ? accept_shared(link, take, {kChecksum, kMaxInFlight * kChunkBytes}) : take(link);
  }

  const int size_;
  const bool shared_;
  FakeNetwork network_;
  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::map<std::pair<int, int>, std::shared_ptr<FakeEnd>> ends_;
};

}  // namespace percale::remote

#endif  // PERCALE_TESTS_UNIT_REMOTE_RANKS_H_
