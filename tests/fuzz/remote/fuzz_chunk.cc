// Fuzzes the links to a rank of a group: whatever opens one is greeted or refused, and chunks with
// any heads, in any order, also between its exchanges, are taken, dropped or an error.
#include <cstring>

#include "core/file/crc32c.h"
#include "devices/remote/group/links.h"
#include "tests/fuzz/remote/input.h"
#include "tests/unit/remote/fake_link.h"

namespace {

using namespace percale::remote;
using percale::fuzz::RemoteInput;
using percale::fuzz::RemoteStep;

constexpr int kSize = 3;
constexpr uint64_t kGeneration = 7;

// The kinds of steps, in the lower bits. The next bit names the rank.
constexpr uint8_t kChunk = 0, kRightChunk = 1, kRun = 2, kSent = 3, kCloses = 4, kFails = 5, kGoesOn = 6, kBeats = 7;
constexpr uint8_t kKinds = 7, kSecondRank = 8;
// Another process opens a link, and the bytes are its first message.
constexpr uint8_t kOpensLink = 16;

// Rank 0. The input plays the others.
class Rank0 {
 public:
  Rank0() {
    exchange_.set_generation(kGeneration);
    for (int peer = 1; peer < kSize; ++peer) connect(peer);
  }
  ~Rank0() {
    if (openings_ != nullptr) openings_->close(std::chrono::milliseconds(0));
    exchange_.close(std::chrono::milliseconds(0));
  }
  Rank0(const Rank0&) = delete;
  Rank0& operator=(const Rank0&) = delete;

  void step(const RemoteStep& step) {
    if ((step.kind & kOpensLink) != 0) return open_link(step.bytes);
    const int peer = (step.kind & kSecondRank) != 0 ? 2 : 1;
    switch (step.kind & kKinds) {
      case kChunk:
      case kRightChunk: return receive(peer, step.bytes, (step.kind & kKinds) == kRightChunk);
      case kRun: return run(step.bytes);
      case kSent: return exchange_.on_sent(id(peer));
      case kCloses: return exchange_.on_closed(id(peer), step.bytes.empty() ? "" : "reset by peer");
      case kFails: return exchange_.fail("rank 9 is lost");
      case kGoesOn: return go_on(peer, step.bytes.size());
      case kBeats: return exchange_.beat(Clock::now() + std::chrono::seconds(step.bytes.size()), false);
      default: return;
    }
  }

 private:
  LinkId id(int peer) const { return {peer, rounds_[peer]}; }

  void connect(int peer) {
    links_[peer] = std::make_shared<RecordingStream>();
    links_[peer]->read_next();
    received_[peer] = 0;
    numbers_[peer] = 0;
    exchange_.connect(id(peer), links_[peer]);
  }

  // To links of their own, which have none of another rank yet.
  void open_link(std::span<const std::byte> bytes) {
    if (openings_ == nullptr) {
      openings_ = std::make_shared<Links>(0, kSize, static_cast<Checksum>(&percale::crc32c));
      try {
        openings_->connect({kGeneration, {}}, Credentials(), Clock::now());
      } catch (const percale::plugin::Failure&) {  // the others are not there yet
      }
    }
    const auto events = openings_->accept(std::make_shared<RecordingStream>());
    if (events == nullptr) return;
    events->on_message(message_of(bytes));
    events->on_closed("");
  }

  // Without the rank, with a new link to it, or as it was.
  void go_on(int peer, size_t how) {
    const std::vector<int32_t> ranks = {peer};
    const std::span<const int32_t> none;
    exchange_.go_on(how == 1 ? ranks : none, how == 2 ? ranks : none);
    if (const auto round = exchange_.missing_link(peer)) {
      rounds_[peer] = *round;
      connect(peer);
    }
    exchange_.await_links(Clock::now());
  }

  // A chunk comes only if it was asked for. `right`: as a rank would send it, so that it is not
  // refused for the checksum alone.
  void receive(int peer, std::span<const std::byte> bytes, bool right) {
    if (received_[peer] == links_[peer]->reads()) return;
    ++received_[peer];
    wire::Chunk head;
    if (!right || bytes.size() < sizeof head) return exchange_.on_chunk(id(peer), message_of(bytes));
    std::memcpy(&head, bytes.data(), sizeof head);
    const std::span<const std::byte> body = bytes.subspan(sizeof head);
    head = chunk_head(kGeneration, head.tag(), head.offset(), head.total(), percale::crc32c(body.data(), body.size()),
                      numbers_[peer]++, &percale::crc32c);
    exchange_.on_chunk(id(peer), message_of(std::as_bytes(std::span(&head, 1)), body));
  }

  // An exchange whose time limit has passed: it ends with what has come before. The bytes are the
  // sizes.
  void run(std::span<const std::byte> sizes) {
    std::vector<ByteVector> buffers;
    std::vector<percale_bytes> all;
    for (size_t i = 0; i < 2 * kSize; ++i) {
      const size_t size = i + 1 < sizes.size() ? static_cast<size_t>(sizes[i + 1]) : 0;
      ByteVector& one = buffers.emplace_back(i % kSize == 0 ? 0 : size);
      all.push_back({one.data(), one.size()});
    }
    tag_ += sizes.empty() ? 1 : static_cast<uint64_t>(sizes[0]);
    try {
      exchange_.run(tag_, std::span(all).first(kSize), std::span(all).last(kSize), Clock::now());
    } catch (const percale::plugin::Failure&) {  // as it should be
    }
  }

  Exchange exchange_{0, kSize, &percale::crc32c};
  std::shared_ptr<RecordingStream> links_[kSize];
  std::shared_ptr<Links> openings_;
  int received_[kSize] = {};
  uint32_t numbers_[kSize] = {}, rounds_[kSize] = {};
  uint64_t tag_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Rank0 rank;
  for (RemoteInput input(data, size); input.has_next();) rank.step(input.next());
  return 0;
}
