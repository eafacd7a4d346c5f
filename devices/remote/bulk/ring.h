// A ring of memory through which one process hands bodies of messages to another one of its
// machine. Heads and order of the messages go another way.
#ifndef PERCALE_DEVICES_REMOTE_BULK_RING_H_
#define PERCALE_DEVICES_REMOTE_BULK_RING_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "devices/remote/bulk/shared_memory.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include "devices/remote/schema/bulk_generated.h"
#pragma GCC diagnostic pop

namespace percale::remote {

// A larger ring is neither made nor opened.
inline constexpr size_t kMaxRingBytes = size_t{16} << 20;
// All rings that this process has made or opened. Beyond, bodies stay in their streams.
inline constexpr size_t kAllRingBytes = size_t{512} << 20;

// A part of these bytes, as long as it lives.
class RingShare {
 public:
  // Null: so much is not left.
  static std::unique_ptr<RingShare> take(size_t bytes);
  ~RingShare();
  RingShare(const RingShare&) = delete;
  RingShare& operator=(const RingShare&) = delete;

 private:
  explicit RingShare(size_t bytes) : bytes_(bytes) {}
  const size_t bytes_;
};

// The sending end, which makes the memory. One caller at a time, apart from wait().
class RingWriter {
 public:
  // Null if there is no memory for it. Precondition: bytes <= kMaxRingBytes.
  static std::unique_ptr<RingWriter> make(size_t bytes);

  const wire::RingOffer& offer() const { return offer_; }
  // True once the process that has the offer has opened the memory. If it is the first time, takes
  // the pages from the system; false if there are too few.
  bool is_taken();

  // Copies a body into the ring. False: there is no room.
  bool put(std::span<const std::byte> body);
  // Forgets the last body, whose head could not be sent.
  void take_back();
  // Counts the bodies that the reader has released since the last call. Not set: the reader claims
  // what cannot be.
  std::optional<size_t> take_released();
  // False if take_released() has counted all bodies.
  bool has_bodies() const { return !ends_.empty() || uncounted_ > 0; }

  // Waits until the reader has released something since `seen = tick()`, or for a moment.
  uint32_t tick() const;
  void wait(uint32_t seen) const;
  // Ends a wait().
  void wake();

 private:
  RingWriter(std::unique_ptr<RingShare> share, std::unique_ptr<SharedMemory> memory, size_t bytes);
  // Forgets the bodies that the reader has released. False: see take_released().
  bool collect();

  const std::unique_ptr<RingShare> share_;
  const std::unique_ptr<SharedMemory> memory_;
  const size_t bytes_;
  const wire::RingOffer offer_;
  enum class State { kOffered, kTaken, kFailed } state_ = State::kOffered;
  uint64_t head_ = 0, tail_ = 0;  // bytes that were written, and those that are released
  std::deque<uint64_t> ends_;     // of the bodies between them
  size_t uncounted_ = 0;          // bodies that are released
};

// The receiving end. Trusts nothing in the memory: sizes come with the heads, and bodies are
// copied once. Thread-safe.
class RingReader {
 public:
  // Null if the memory is not reached, or does not begin with the mark of the offer.
  static std::shared_ptr<RingReader> open(const wire::RingOffer& offer);

  // A body whose head has arrived. It is released when it was read or is destroyed.
  class Body {
   public:
    Body(std::shared_ptr<RingReader> ring, uint64_t begin, size_t bytes)
        : ring_(std::move(ring)), at_(begin), left_(bytes) {}
    ~Body() { release(); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;
    size_t left() const { return left_; }
    // Precondition: left() >= bytes.
    void read(void* to, size_t bytes);

   private:
    void release();

    std::shared_ptr<RingReader> ring_;  // null once it is released
    uint64_t at_;
    size_t left_;
  };
  // The next body. Null: the ring cannot hold one of that size.
  static std::unique_ptr<Body> next(const std::shared_ptr<RingReader>& ring, size_t bytes);

 private:
  RingReader(std::unique_ptr<RingShare> share, std::unique_ptr<SharedMemory> memory, size_t bytes)
      : share_(std::move(share)), memory_(std::move(memory)), bytes_(bytes) {}
  void release(uint64_t end);

  struct Expected {
    uint64_t end;
    bool is_released;
  };
  const std::unique_ptr<RingShare> share_;
  const std::unique_ptr<SharedMemory> memory_;
  const size_t bytes_;
  std::mutex mutex_;  // guards what follows
  uint64_t head_ = 0, tail_ = 0;
  std::deque<Expected> bodies_;  // between them
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_BULK_RING_H_
