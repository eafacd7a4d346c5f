#include "devices/cuda/stream/stream.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

namespace percale::cuda {
namespace {

constexpr uint64_t kSmallChunk = 64 << 10, kLargeChunk = 4 << 20;
constexpr uint64_t kDrawOffset = 64;  // from the guard
constexpr unsigned kPlainShared = 48 << 10;
constexpr size_t kMostChunks = 4;  // of each size
// Time that a waiter spins before it sleeps: about the cost of waking up.
constexpr std::chrono::microseconds kSpin{20};

}  // namespace

Stream::Stream(Device& device) : device_(device), driver_(device.driver()) {
  device.check_alive();
  driver_.check(driver_.cuStreamCreate(&handle_, abi::kStreamNonBlocking), "cuStreamCreate");
  try {
    exchange_.word = static_cast<ErrorWord*>(device.shared().pinned.allocate(sizeof(ErrorWord)));
    std::memset(static_cast<void*>(exchange_.word), 0, sizeof(ErrorWord));
    driver_.check(driver_.cuMemHostGetDevicePointer_v2(&exchange_.word_address, exchange_.word, 0),
                  "cuMemHostGetDevicePointer");
    exchange_.guard = device.memory().allocate(kDrawOffset + sizeof(Draw));
    clear(exchange_.guard, sizeof(uint32_t));
  } catch (...) {
    if (exchange_.guard != 0) device.memory().free(exchange_.guard);
    if (exchange_.word != nullptr) device.shared().pinned.free(exchange_.word);
    driver_.cuStreamDestroy_v2(handle_);
    throw;
  }
}

Stream::~Stream() {
  flush();
  {
    std::unique_lock lock(mutex_);
    less_.wait(lock, [&] { return tasks_.empty(); });
    stop_ = true;
    more_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  driver_.cuStreamSynchronize(handle_);
  if (beside_.handle != nullptr) {
    driver_.cuStreamSynchronize(beside_.handle);
    driver_.cuStreamDestroy_v2(beside_.handle);
  }
  if (beside_.so_far != nullptr) driver_.cuEventDestroy_v2(beside_.so_far);
  for (const auto& chunk : chunks_) {
    driver_.cuEventDestroy_v2(chunk->done);
    device_.shared().pinned.free(chunk->data);
  }
  for (abi::Event event : spare_events_) driver_.cuEventDestroy_v2(event);
  device_.memory().free(exchange_.guard);
  device_.shared().pinned.free(exchange_.word);
  driver_.cuStreamDestroy_v2(handle_);
}

// ---- Errors

void Stream::note(percale_code code, bool lost, const char* text) noexcept {
  if (lost) device_.note_lost();
  const std::lock_guard lock(mutex_);
  if (trouble_.code != PERCALE_OK) return;
  trouble_.code = code;
  trouble_.lost = lost;
  std::snprintf(trouble_.text.data(), trouble_.text.size(), "%s", text);
}

void Stream::note_result(abi::Result result, const char* what) noexcept {
  try {
    note(code_of(result), is_sticky(result), (what + (": " + driver_.describe(result))).c_str());
  } catch (const std::bad_alloc&) {
    note(code_of(result), is_sticky(result), what);
  }
}

void Stream::fail(const Failure& failure) { note(failure.code(), failure.lost(), failure.what()); }

bool Stream::failed() const {
  const std::lock_guard lock(mutex_);
  return trouble_.code != PERCALE_OK;
}

ErrorPlace Stream::errors(percale_run_context* run) const {
  ErrorPlace out{};
  out.guard = {exchange_.guard};
  out.word = {exchange_.word_address};
  out.run = reinterpret_cast<uint64_t>(run);
  out.mark = device_.host().run->mark(run);
  return out;
}

// The device code has no public header, so it repeats the numbers.
static_assert(kIndexOutOfRange == PERCALE_RUN_ERROR_INDEX_OUT_OF_RANGE &&
              kDivisionByZero == PERCALE_RUN_ERROR_DIVISION_BY_ZERO && kBadSize == PERCALE_RUN_ERROR_BAD_SIZE &&
              kNotPositive == PERCALE_RUN_ERROR_NOT_POSITIVE && kNotFinite == PERCALE_RUN_ERROR_NOT_FINITE);

// The stream must have completed everything that was enqueued.
void Stream::report_word() {
  const volatile ErrorWord& word = *exchange_.word;
  if (word.code == 0) return;
  device_.host().run->fail_at(reinterpret_cast<percale_run_context*>(word.run), word.mark, word.code, word.detail);
  std::memset(static_cast<void*>(exchange_.word), 0, sizeof(ErrorWord));
  clear(exchange_.guard, sizeof(uint32_t));
}

percale_code Stream::code_so_far() const {
  {
    const std::lock_guard lock(mutex_);
    if (trouble_.code != PERCALE_OK) return trouble_.code;
  }
  if (device_.lost()) return PERCALE_UNAVAILABLE;
  const volatile ErrorWord& word = *exchange_.word;
  return word.code == 0 ? PERCALE_OK : PERCALE_OUT_OF_RANGE;
}

void Stream::synchronize() {
  flush();
  {
    std::unique_lock lock(mutex_);
    less_.wait(lock, [&] { return tasks_.empty(); });
  }
  abi::Result result = driver_.cuStreamSynchronize(handle_);
  if (result == abi::kSuccess && beside_.leaving) result = driver_.cuStreamSynchronize(beside_.handle);
  beside_.leaving = false;
  if (result == abi::kSuccess) {
    report_word();
  } else {
    note_result(result, "the work of the stream");
  }
  Trouble trouble;
  {
    const std::lock_guard lock(mutex_);
    std::swap(trouble, trouble_);
  }
  if (trouble.code != PERCALE_OK) throw Failure(trouble.code, trouble.text.data(), trouble.lost);
  device_.check_alive();
}

// ---- Work

void Stream::flush() {
  std::unique_ptr<Waiting> work;
  {
    const std::lock_guard lock(waiting_mutex_);
    work = std::move(waiting_);
  }
  if (work == nullptr || failed()) return;
  try {
    work->enqueue(*this);
  } catch (const Failure& failure) {
    fail(failure);
  }
}

void Stream::launch(abi::Function function, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
                    unsigned shared_bytes, const void* arguments) {
  flush();
  if (shared_bytes > kPlainShared) device_.allow_shared(function, shared_bytes);
  void* parameters[] = {const_cast<void*>(arguments)};
  driver_.check(driver_.cuLaunchKernel(function, grid_x, grid_y, 1, block_x, block_y, 1, shared_bytes, handle_,
                                       parameters, nullptr),
                "cuLaunchKernel");
}

void Stream::capture_begin() {
  flush();
  // Relaxed mode, because while the stream is captured a new kernel may load its module and
  // NVIDIA's libraries may allocate.
  driver_.check(driver_.cuStreamBeginCapture_v2(handle_, abi::kCaptureRelaxed), "cuStreamBeginCapture");
  capture_.active = true;
  capture_.failed_before = failed();
  capture_.once = capture_.draws = false;
}

std::unique_ptr<CapturedSegment> Stream::capture_end() {
  flush();
  capture_.active = false;
  abi::Graph graph = nullptr;
  const abi::Result ended = driver_.cuStreamEndCapture(handle_, &graph);
  if (is_sticky(ended)) driver_.check(ended, "cuStreamEndCapture");
  abi::GraphExec work = nullptr;
  if (ended == abi::kSuccess && !capture_.once && !failed()) {
    const abi::Result result = driver_.cuGraphInstantiateWithFlags(&work, graph, 0);
    if (result != abi::kSuccess) work = nullptr;
  }
  if (graph != nullptr) driver_.cuGraphDestroy(graph);
  // Captured work was not executed. If capture failed, the library enqueues the work again piece by
  // piece, so errors of the capture are discarded.
  const std::lock_guard lock(mutex_);
  if (!capture_.failed_before && !trouble_.lost) trouble_ = {};
  return work == nullptr ? nullptr : std::make_unique<CapturedSegment>(device_, work, capture_.draws);
}

void Stream::replay(const CapturedSegment& segment, percale_run_context* run) {
  flush();
  if (segment.draws()) tell_draw(run);
  driver_.check(driver_.cuGraphLaunch(segment.work(), handle_), "cuGraphLaunch");
}

Ptr Stream::draw(percale_run_context* run) {
  if (capture_.active) {
    capture_.draws = true;
  } else {
    tell_draw(run);
  }
  return {exchange_.guard + kDrawOffset};
}

// Written by a kernel's arguments, because the source of a copy would have to stay unchanged until
// the copy is done.
void Stream::tell_draw(percale_run_context* run) {
  DrawArgs now{{exchange_.guard + kDrawOffset}, {}};
  device_.host().run->random(run, &now.draw.seed, &now.draw.step, &now.draw.first_row);
  if (std::memcmp(&now, &exchange_.told, sizeof now) == 0) return;
  launch(device_.function(Family::random, "percale_tell_draw", sizeof now), 1, 1, 32, 1, 0, &now);
  exchange_.told = now;
}

CapturedSegment::~CapturedSegment() { device_.driver().cuGraphExecDestroy(work_); }

void Stream::clear(abi::Address memory, uint64_t bytes) {
  flush();
  driver_.check(driver_.cuMemsetD8Async(memory, 0, bytes, handle_), "cuMemsetD8Async");
}

Stream::Chunk& Stream::take_chunk(uint64_t wanted) {
  const uint64_t bytes = wanted <= kSmallChunk ? kSmallChunk : kLargeChunk;
  std::unique_lock lock(mutex_);
  while (true) {
    Chunk* oldest = nullptr;
    size_t count = 0;
    bool any_written = false;
    for (const auto& chunk : chunks_) {
      if (chunk->bytes != bytes) continue;
      ++count;
      if (chunk->state == Chunk::State::kRead && driver_.cuEventQuery(chunk->done) == abi::kSuccess) {
        chunk->state = Chunk::State::kFree;
      }
      if (chunk->state == Chunk::State::kFree) return *chunk;
      if (chunk->state == Chunk::State::kRead && oldest == nullptr) oldest = chunk.get();
      any_written = any_written || chunk->state == Chunk::State::kWritten;
    }
    if (count < kMostChunks) {
      auto chunk = std::make_unique<Chunk>();
      chunk->bytes = bytes;
      driver_.check(driver_.cuEventCreate(&chunk->done, abi::kEventDisableTiming | abi::kEventBlockingSync),
                    "cuEventCreate");
      try {
        chunk->data = static_cast<std::byte*>(device_.shared().pinned.allocate(bytes));
        chunks_.push_back(std::move(chunk));
      } catch (...) {
        if (chunk != nullptr) {
          if (chunk->data != nullptr) device_.shared().pinned.free(chunk->data);
          driver_.cuEventDestroy_v2(chunk->done);
        }
        throw;
      }
      return *chunks_.back();
    }
    if (oldest != nullptr) {
      lock.unlock();
      driver_.check(wait(oldest->done), "a copy to the device");
      lock.lock();
      oldest->state = Chunk::State::kFree;
    } else if (any_written) {
      less_.wait(lock);  // The stream's thread frees a chunk.
    }
  }
}

void Stream::copy_to_device(abi::Address to, const void* from, uint64_t bytes) {
  flush();
  device_.check_alive();
  if (bytes == 0) return;
  if (capture_.active) return note_once();  // The source differs in each run.
  if (device_.shared().pinned.contains(from, bytes)) {
    driver_.check(driver_.cuMemcpyHtoDAsync_v2(to, from, bytes, handle_), "cuMemcpyHtoDAsync");
    return;
  }
  const auto* at = static_cast<const std::byte*>(from);
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t n = std::min(bytes - done, kLargeChunk);
    Chunk& chunk = take_chunk(n);
    std::memcpy(chunk.data, at + done, n);
    driver_.check(driver_.cuMemcpyHtoDAsync_v2(to + done, chunk.data, n, handle_), "cuMemcpyHtoDAsync");
    driver_.check(driver_.cuEventRecord(chunk.done, handle_), "cuEventRecord");
    const std::lock_guard lock(mutex_);
    chunk.state = Chunk::State::kRead;
    done += n;
  }
}

// Returns the second stream, after making it wait for all work given to the stream so far.
abi::Stream Stream::beside() {
  if (beside_.so_far == nullptr)
    driver_.check(driver_.cuEventCreate(&beside_.so_far, abi::kEventDisableTiming), "cuEventCreate");
  if (beside_.handle == nullptr)
    driver_.check(driver_.cuStreamCreate(&beside_.handle, abi::kStreamNonBlocking), "cuStreamCreate");
  driver_.check(driver_.cuEventRecord(beside_.so_far, handle_), "cuEventRecord");
  driver_.check(driver_.cuStreamWaitEvent(beside_.handle, beside_.so_far, 0), "cuStreamWaitEvent");
  return beside_.handle;
}

void Stream::copy_to_host(void* to, abi::Address from, uint64_t bytes) {
  flush();
  copy_to_host(to, from, bytes, handle_);
}

void Stream::copy_out(void* to, abi::Address from, uint64_t bytes) {
  flush();
  device_.check_alive();
  if (bytes == 0) return;
  if (capture_.active) return note_once();
  beside_.leaving = true;
  copy_to_host(to, from, bytes, beside());
}

void Stream::copy_to_host(void* to, abi::Address from, uint64_t bytes, abi::Stream stream) {
  device_.check_alive();
  if (bytes == 0) return;
  if (capture_.active) return note_once();  // The destination differs in each run.
  if (device_.shared().pinned.contains(to, bytes)) {
    driver_.check(driver_.cuMemcpyDtoHAsync_v2(to, from, bytes, stream), "cuMemcpyDtoHAsync");
    return;
  }
  auto* at = static_cast<std::byte*>(to);
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t n = std::min(bytes - done, kLargeChunk);
    Chunk& chunk = take_chunk(n);
    driver_.check(driver_.cuMemcpyDtoHAsync_v2(chunk.data, from + done, n, stream), "cuMemcpyDtoHAsync");
    Task task;
    task.chunk = &chunk;
    task.to = at + done;
    task.bytes = n;
    push(task, stream);
    done += n;
  }
}

void Stream::signal(Reached reached, void* event, uint64_t value) {
  flush();
  Task task;
  task.reached = reached;
  task.what = event;
  task.value = value;
  push(task, beside_.leaving ? beside() : handle_);
}

// ---- The thread

void Stream::start_thread() {
  // The thread inherits this mask, so that it does not handle the host's signals.
  sigset_t all, saved;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &saved);
  try {
    thread_ = std::thread([this] { follow(); });
  } catch (const std::exception&) {
    pthread_sigmask(SIG_SETMASK, &saved, nullptr);
    throw Failure(PERCALE_RESOURCE_EXHAUSTED, "cannot start a thread for the stream of a GPU");
  }
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
  pthread_setname_np(thread_.native_handle(), "percale-cuda");
}

void Stream::push(Task task, abi::Stream stream) {
  {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) start_thread();
    if (!spare_events_.empty()) {
      task.event = spare_events_.back();
      spare_events_.pop_back();
    }
  }
  if (task.event == nullptr) {
    driver_.check(driver_.cuEventCreate(&task.event, abi::kEventDisableTiming | abi::kEventBlockingSync),
                  "cuEventCreate");
  }
  const abi::Result recorded = driver_.cuEventRecord(task.event, stream);
  if (recorded != abi::kSuccess) note_result(recorded, "cuEventRecord");
  const std::lock_guard lock(mutex_);
  // Reserved here, so that the thread never allocates.
  spare_events_.reserve(tasks_.size() + spare_events_.size() + 1);
  if (recorded != abi::kSuccess) {
    // The thread reports a broken stream in order, as it does for work.
    spare_events_.push_back(task.event);
    task.event = nullptr;
  }
  tasks_.push_back(task);
  if (task.chunk != nullptr) task.chunk->state = Chunk::State::kWritten;
  more_.notify_one();
}

abi::Result Stream::wait(abi::Event event) const {
  const auto until = std::chrono::steady_clock::now() + kSpin;
  do {
    const abi::Result result = driver_.cuEventQuery(event);
    if (result != abi::kNotReady) return result;
  } while (std::chrono::steady_clock::now() < until);
  return driver_.cuEventSynchronize(event);
}

void Stream::follow() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const Task task = tasks_.front();
    lock.unlock();
    // The context is pushed for each task. Pushing a lost context fails, and the thread reports
    // that too.
    abi::Context popped = nullptr;
    abi::Result result = driver_.cuCtxPushCurrent_v2(device_.context());
    if (result == abi::kSuccess) {
      if (task.event != nullptr) result = wait(task.event);
      driver_.cuCtxPopCurrent_v2(&popped);
    }
    if (result != abi::kSuccess) note_result(result, "the work of the stream");
    if (task.chunk != nullptr && result == abi::kSuccess) std::memcpy(task.to, task.chunk->data, task.bytes);
    if (task.reached != nullptr) task.reached(task.what, task.value, code_so_far());
    lock.lock();
    if (task.chunk != nullptr) task.chunk->state = Chunk::State::kFree;
    if (task.event != nullptr) spare_events_.push_back(task.event);
    tasks_.pop_front();
    less_.notify_all();
  }
}

}  // namespace percale::cuda
