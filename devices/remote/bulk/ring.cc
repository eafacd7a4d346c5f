#include "devices/remote/bulk/ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <random>
#include <stdexcept>
#include <utility>

namespace percale::remote {
namespace {

// The beginning of the memory, which both ends write and neither believes.
struct RingState {
  std::atomic<uint64_t> mark;
  std::atomic<uint64_t> answer;
  alignas(64) std::atomic<uint64_t> released;  // bytes since the beginning
  std::atomic<uint32_t> ticks;                 // grows with each release; a futex
};
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);
// Bodies begin at a page.
constexpr size_t kStateBytes = 4096;
static_assert(sizeof(RingState) <= kStateBytes);

// A wake that a hostile reader leaves out delays by this much.
constexpr timespec kLongestWait{0, 100'000'000};

RingState& state_of(const SharedMemory& memory) { return *reinterpret_cast<RingState*>(memory.data()); }

void call_futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* limit) {
  syscall(SYS_futex, &word, operation, value, limit, nullptr, 0);
}

void tick_on(RingState& state) {
  state.ticks.fetch_add(1);
  call_futex(state.ticks, FUTEX_WAKE, INT_MAX, nullptr);
}

uint64_t draw() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

std::atomic<size_t>& taken_bytes() {
  static std::atomic<size_t> bytes{0};
  return bytes;
}

// Calls `f(offset in the ring, offset in the body, bytes)` for the one or two parts of a body.
template <class F>
void each_part(uint64_t begin, size_t bytes, size_t ring_bytes, F&& f) {
  const auto at = static_cast<size_t>(begin % ring_bytes);
  const size_t first = std::min(bytes, ring_bytes - at);
  f(at, size_t{0}, first);
  if (first < bytes) f(size_t{0}, first, bytes - first);
}

}  // namespace

std::unique_ptr<RingShare> RingShare::take(size_t bytes) {
  std::unique_ptr<RingShare> out(new RingShare(bytes));
  if (taken_bytes().fetch_add(bytes) + bytes > kAllRingBytes) out.reset();
  return out;
}

RingShare::~RingShare() { taken_bytes().fetch_sub(bytes_); }

RingWriter::RingWriter(std::unique_ptr<RingShare> share, std::unique_ptr<SharedMemory> memory, size_t bytes)
    : share_(std::move(share)),
      memory_(std::move(memory)),
      bytes_(bytes),
      offer_(draw(), draw() | 1, own_process(), memory_->handle(), static_cast<uint32_t>(bytes), 0) {
  new (memory_->data()) RingState{};
  state_of(*memory_).mark = offer_.mark();
}

std::unique_ptr<RingWriter> RingWriter::make(size_t bytes) {
  auto share = RingShare::take(bytes);
  auto memory = share == nullptr ? nullptr : SharedMemory::make(kStateBytes + bytes);
  if (memory == nullptr) return nullptr;
  try {
    return std::unique_ptr<RingWriter>(new RingWriter(std::move(share), std::move(memory), bytes));
  } catch (const std::runtime_error&) {  // no random numbers
    return nullptr;
  }
}

bool RingWriter::is_taken() {
  if (state_ == State::kOffered && state_of(*memory_).answer == offer_.answer()) {
    state_ = memory_->reserve() ? State::kTaken : State::kFailed;
    memory_->hide();
  }
  return state_ == State::kTaken;
}

bool RingWriter::put(std::span<const std::byte> body) {
  const auto has_room = [&] { return body.size() <= bytes_ - (head_ - tail_); };
  if (!has_room() && (!collect() || !has_room())) return false;
  ends_.push_back(head_ + body.size());
  each_part(head_, body.size(), bytes_, [&](size_t at, size_t offset, size_t part) {
    std::memcpy(memory_->data() + kStateBytes + at, body.data() + offset, part);
  });
  head_ += body.size();
  return true;
}

void RingWriter::take_back() {
  ends_.pop_back();
  head_ = ends_.empty() ? tail_ : ends_.back();
}

bool RingWriter::collect() {
  const uint64_t released = state_of(*memory_).released.load(std::memory_order_acquire);
  if (released - tail_ > head_ - tail_) return false;
  for (; !ends_.empty() && ends_.front() <= released; ++uncounted_) {
    tail_ = ends_.front();
    ends_.pop_front();
  }
  return true;
}

std::optional<size_t> RingWriter::take_released() {
  if (!collect()) return std::nullopt;
  return std::exchange(uncounted_, 0);
}

uint32_t RingWriter::tick() const { return state_of(*memory_).ticks; }

void RingWriter::wait(uint32_t seen) const { call_futex(state_of(*memory_).ticks, FUTEX_WAIT, seen, &kLongestWait); }

void RingWriter::wake() { tick_on(state_of(*memory_)); }

std::shared_ptr<RingReader> RingReader::open(const wire::RingOffer& offer) {
  if (offer.bytes() == 0 || offer.bytes() > kMaxRingBytes) return nullptr;
  auto share = RingShare::take(offer.bytes());
  if (share == nullptr) return nullptr;
  auto memory = SharedMemory::open(offer.process(), offer.handle(), kStateBytes + offer.bytes());
  if (memory == nullptr || state_of(*memory).mark != offer.mark()) return nullptr;
  state_of(*memory).answer = offer.answer();
  return std::shared_ptr<RingReader>(new RingReader(std::move(share), std::move(memory), offer.bytes()));
}

std::unique_ptr<RingReader::Body> RingReader::next(const std::shared_ptr<RingReader>& ring, size_t bytes) {
  uint64_t begin = 0;
  {
    const std::lock_guard lock(ring->mutex_);
    if (bytes == 0 || bytes > ring->bytes_ - (ring->head_ - ring->tail_)) return nullptr;
    begin = ring->head_;
    ring->bodies_.push_back({begin + bytes, false});
    ring->head_ += bytes;
  }
  return std::make_unique<Body>(ring, begin, bytes);
}

void RingReader::Body::read(void* to, size_t bytes) {
  if (bytes == 0) return;
  each_part(at_, bytes, ring_->bytes_, [&](size_t at, size_t offset, size_t part) {
    std::memcpy(static_cast<std::byte*>(to) + offset, ring_->memory_->data() + kStateBytes + at, part);
  });
  at_ += bytes;
  left_ -= bytes;
  if (left_ == 0) release();
}

void RingReader::Body::release() {
  if (ring_ == nullptr) return;
  ring_->release(at_ + left_);
  ring_ = nullptr;
}

void RingReader::release(uint64_t end) {
  const std::lock_guard lock(mutex_);
  for (Expected& one : bodies_) one.is_released |= one.end == end;
  for (; !bodies_.empty() && bodies_.front().is_released; bodies_.pop_front()) tail_ = bodies_.front().end;
  RingState& state = state_of(*memory_);
  state.released.store(tail_, std::memory_order_release);
  tick_on(state);
}

}  // namespace percale::remote
