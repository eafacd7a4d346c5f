// Fuzzes what the other end of a stream with shared memory sends, and writes into the memory that
// it shares: bodies arrive, messages of nothing do, or the stream ends.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/file/crc32c.h"
#include "devices/remote/bulk/ring.h"
#include "devices/remote/bulk/shared_stream.h"
#include "tests/fuzz/remote/input.h"
#include "tests/unit/remote/fake_link.h"

namespace {

using namespace percale::remote;
using percale::fuzz::RemoteInput;
using percale::fuzz::RemoteStep;

constexpr size_t kRingBytes = size_t{256} << 10, kStateBytes = 4096;

// The kinds of steps.
constexpr uint8_t kMessage = 0, kRightMessage = 1, kOffers = 2, kPuts = 3, kSends = 4, kTakes = 5, kScribbles = 6;
constexpr uint8_t kKinds = 7;

// Reads messages in pieces of 100 bytes, and keeps the last one.
class Reader final : public StreamEvents {
 public:
  void on_message(Message message) override {
    char piece[100];
    while (message.left() > sizeof piece) message.read(piece, sizeof piece);
    last_.clear();
    last_.push_back(std::move(message));
  }
  void on_closed(const std::string&) override { last_.clear(); }

 private:
  std::vector<Message> last_;
};

// One end. The input plays the other one.
class Input {
 public:
  Input() {
    const auto open = [this](std::shared_ptr<StreamEvents> events) {
      events_ = std::move(events);
      return below_;
    };
    stream_ = open_shared(open, std::make_shared<Reader>(), {&percale::crc32c, kRingBytes});
  }
  ~Input() { events_->on_closed(""); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  void step(const RemoteStep& step) {
    switch (step.kind & kKinds) {
      case kMessage: return events_->on_message(message_of(step.bytes));
      case kRightMessage: return receive(step.bytes);
      case kOffers: return offer();
      case kPuts: return put(step.bytes);
      case kSends: return send(step.bytes.size());
      case kTakes: return take();
      case kScribbles: return scribble(step.bytes);
      default: return;
    }
  }

 private:
  // With the checksum that its beginning should have.
  void receive(std::span<const std::byte> bytes) {
    ByteVector whole(bytes.begin(), bytes.end());
    if (whole.size() >= sizeof(wire::Parcel)) {
      const uint32_t crc = percale::crc32c(whole.data(), 8);
      std::memcpy(whole.data() + 8, &crc, sizeof crc);
    }
    events_->on_message(message_of(whole));
  }
  void receive(wire::ParcelKind kind, size_t size, std::span<const std::byte> rest) {
    const wire::Parcel front(kind, static_cast<uint32_t>(size), 0);
    receive(join(std::as_bytes(std::span(&front, 1)), rest));
  }
  // The other end's ring.
  void offer() {
    if (theirs_ == nullptr) theirs_ = RingWriter::make(kRingBytes);
    if (theirs_ != nullptr) receive(wire::ParcelKind_Offer, 0, std::as_bytes(std::span(&theirs_->offer(), 1)));
  }
  void put(std::span<const std::byte> body) {
    if (theirs_ == nullptr || !theirs_->take_released() || body.empty()) return;
    if (theirs_->put(body)) receive(wire::ParcelKind_Headed, body.size(), {});
  }
  // This end's ring, which its first large body offers.
  void send(size_t more) {
    stream_->send({}, ByteVector(kLeastSharedBytes + more));
    events_->on_sent();
  }
  void take() {
    if (below_->sent() == 0 || own_ != nullptr) return;
    const ByteVector message = below_->message(0);
    wire::RingOffer offer;
    if (message.size() != sizeof(wire::Parcel) + sizeof offer) return;
    std::memcpy(&offer, message.data() + sizeof(wire::Parcel), sizeof offer);
    own_ = SharedMemory::open(offer.process(), offer.handle(), kStateBytes + offer.bytes());
    RingReader::open(offer);
  }
  void scribble(std::span<const std::byte> bytes) {
    if (own_ == nullptr) return;
    std::copy_n(bytes.begin(), std::min(bytes.size(), kStateBytes), own_->data());
  }

  const std::shared_ptr<RecordingStream> below_ = std::make_shared<RecordingStream>();
  std::shared_ptr<StreamEvents> events_;
  std::shared_ptr<Stream> stream_;
  std::unique_ptr<RingWriter> theirs_;
  std::unique_ptr<SharedMemory> own_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input all;
  for (RemoteInput input(data, size); input.has_next();) all.step(input.next());
  return 0;
}
