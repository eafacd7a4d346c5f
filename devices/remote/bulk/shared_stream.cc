#include "devices/remote/bulk/shared_stream.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "devices/remote/bulk/ring.h"

namespace percale::remote {
namespace {

// The rest of a message's head, then the body in the ring.
class HeadedBytes final : public Message::Bytes {
 public:
  HeadedBytes(Message head, std::unique_ptr<RingReader::Body> body) : head_(std::move(head)), body_(std::move(body)) {}
  size_t left() const override { return head_.left() + body_->left(); }
  void read(void* to, size_t bytes) override {
    const size_t first = std::min(bytes, head_.left());
    head_.read(to, first);
    body_->read(static_cast<std::byte*>(to) + first, bytes - first);
  }

 private:
  Message head_;
  const std::unique_ptr<RingReader::Body> body_;
};

class NoBytes final : public Message::Bytes {
 public:
  size_t left() const override { return 0; }
  void read(void*, size_t) override {}
};

template <class T>
std::optional<T> read_struct(Message& message) {
  T out;
  if (message.left() < sizeof out) return std::nullopt;
  message.read(&out, sizeof out);
  return out;
}

uint32_t crc_of(const wire::Parcel& parcel, Checksum checksum) {
  return checksum(&parcel, sizeof parcel - sizeof parcel.crc(), 0);
}

wire::Parcel make_parcel(wire::ParcelKind kind, size_t bytes, Checksum checksum) {
  const wire::Parcel draft(kind, static_cast<uint32_t>(bytes), 0);
  return {kind, draft.bytes(), crc_of(draft, checksum)};
}

class SharedStream final : public Stream, public StreamEvents, public std::enable_shared_from_this<SharedStream> {
 public:
  explicit SharedStream(const Sharing& sharing) : sharing_(sharing) {}
  ~SharedStream() override { stop_watching(); }

  // Events that come at once wait for the stream below.
  template <class F>
  void attach_below(F&& open) {
    const std::lock_guard lock(mutex_);
    below_ = std::forward<F>(open)();
  }
  void attach_above(std::shared_ptr<StreamEvents> events) {
    const std::lock_guard lock(mutex_);
    above_ = std::move(events);
  }

  void send(std::span<const std::byte> head, std::span<const std::byte> body) override {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    if (body.size() < kLeastSharedBytes || !put(body)) return post(wire::ParcelKind_Whole, 0, head, body);
    try {
      post(wire::ParcelKind_Headed, body.size(), head, {});
    } catch (...) {
      ring_->take_back();
      throw;
    }
    changed_.notify_all();
  }
  void read_next() override { below()->read_next(); }
  void close() override { below()->close(); }
  void abort() override { below()->abort(); }
  const std::string& peer() const override { return below()->peer(); }

  void on_message(Message message) override {
    const std::shared_ptr<StreamEvents> events = above();
    const auto front = read_struct<wire::Parcel>(message);
    const bool is_good = front && front->crc() == crc_of(*front, sharing_.checksum);
    if (is_good && front->kind() == wire::ParcelKind_Whole) return events->on_message(std::move(message));
    if (is_good && front->kind() == wire::ParcelKind_Offer && take_offer(message)) return read_next();
    std::unique_ptr<RingReader::Body> body;
    if (is_good && front->kind() == wire::ParcelKind_Headed && reader_ != nullptr &&
        front->bytes() <= kMaxMessageBytes - message.left()) {
      body = RingReader::next(reader_, front->bytes());
    }
    // No message at all is refused as one that is none.
    if (body == nullptr) return events->on_message(Message(std::make_unique<NoBytes>()));
    events->on_message(Message(std::make_unique<HeadedBytes>(std::move(message), std::move(body))));
  }

  void on_sent() override {
    std::shared_ptr<StreamEvents> events;
    {
      const std::lock_guard lock(mutex_);
      if (unsent_.empty()) return;
      if (unsent_.front() == wire::ParcelKind_Whole) events = above_;
      unsent_.pop_front();
    }
    if (events != nullptr) events->on_sent();
  }

  void on_closed(const std::string& reason) override {
    stop_watching();
    const std::shared_ptr<StreamEvents> events = above();
    if (events != nullptr) events->on_closed(reason);
    attach_above(nullptr);
  }

 private:
  std::shared_ptr<Stream> below() const {
    const std::lock_guard lock(mutex_);
    return below_;
  }
  std::shared_ptr<StreamEvents> above() const {
    const std::lock_guard lock(mutex_);
    return above_;
  }

  // The mutex is held in these three.
  void post(wire::ParcelKind kind, size_t bytes, std::span<const std::byte> head, std::span<const std::byte> body) {
    const wire::Parcel front = make_parcel(kind, bytes, sharing_.checksum);
    std::vector<std::byte> whole(sizeof front + head.size());
    std::memcpy(whole.data(), &front, sizeof front);
    if (!head.empty()) std::memcpy(whole.data() + sizeof front, head.data(), head.size());
    unsent_.push_back(kind);
    try {
      below_->send(whole, body);
    } catch (...) {
      unsent_.pop_back();
      throw;
    }
  }
  // The first large body offers the ring, and is too early for it.
  void offer() {
    was_offered_ = true;
    ring_ = RingWriter::make(sharing_.ring_bytes);
    if (ring_ != nullptr) post(wire::ParcelKind_Offer, 0, std::as_bytes(std::span(&ring_->offer(), 1)), {});
  }
  // False: the body belongs into the stream.
  bool put(std::span<const std::byte> body) {
    if (!was_offered_) offer();
    if (ring_ == nullptr || !ring_->is_taken()) return false;
    try {
      if (!watch_.joinable()) watch_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {  // no more threads
      ring_.reset();
      return false;
    }
    return ring_->put(body);
  }

  // True: the ring is opened, or the other process runs elsewhere. False: this is no first offer.
  bool take_offer(Message& message) {
    const auto offer = read_struct<wire::RingOffer>(message);
    if (!offer || std::exchange(has_offer_, true)) return false;
    reader_ = RingReader::open(*offer);
    return true;
  }

  // Says what the other side has read, as long as the stream lives.
  void watch() noexcept {
    try {
      while (const std::optional<size_t> released = next_released()) {
        for (size_t i = 0; i < *released; ++i) above()->on_sent();
      }
    } catch (...) {  // as the stream below does it
      abort();
    }
  }
  // Not set: the stream has ended, or must.
  std::optional<size_t> next_released() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_closed_ || ring_->has_bodies(); });
      if (is_closed_) return std::nullopt;
      const uint32_t seen = ring_->tick();
      const std::optional<size_t> released = ring_->take_released();
      if (!released) below_->abort();
      if (!released || *released > 0) return released;
      lock.unlock();
      ring_->wait(seen);
      lock.lock();
    }
  }
  void stop_watching() {
    {
      const std::lock_guard lock(mutex_);
      is_closed_ = true;
      if (watch_.joinable()) ring_->wake();
      changed_.notify_all();
    }
    if (watch_.joinable()) watch_.join();
  }

  const Sharing sharing_;
  bool has_offer_ = false;              // of the other side; only for events, as is what follows
  std::shared_ptr<RingReader> reader_;  // null: the bodies of the other side are in the stream
  mutable std::mutex mutex_;            // guards what follows
  std::condition_variable changed_;
  std::shared_ptr<Stream> below_;
  std::shared_ptr<StreamEvents> above_;
  std::deque<wire::ParcelKind> unsent_;  // that the stream below has not handed over
  std::unique_ptr<RingWriter> ring_;     // stays as it is while watch_ runs
  bool was_offered_ = false, is_closed_ = false;
  std::thread watch_;  // from the first body in the ring on
};

}  // namespace

std::shared_ptr<Stream> open_shared(const OpenBelow& open, std::shared_ptr<StreamEvents> events,
                                    const Sharing& sharing) {
  const auto out = std::make_shared<SharedStream>(sharing);
  out->attach_above(std::move(events));
  out->attach_below([&] { return open(out); });
  return out;
}

std::shared_ptr<StreamEvents> accept_shared(std::shared_ptr<Stream> below, const AcceptAbove& accept,
                                            const Sharing& sharing) {
  const auto out = std::make_shared<SharedStream>(sharing);
  out->attach_below([&] { return std::move(below); });
  std::shared_ptr<StreamEvents> events = accept(out);
  if (events == nullptr) return nullptr;
  out->attach_above(std::move(events));
  return out;
}

}  // namespace percale::remote
