// A stream of a device, with a thread that waits for its events and notifies the library.
#ifndef PERCALE_DEVICES_CUDA_STREAM_STREAM_H_
#define PERCALE_DEVICES_CUDA_STREAM_STREAM_H_

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "devices/cuda/kernels/common/args.h"
#include "devices/cuda/stream/device.h"

namespace percale::cuda {

class Stream;

// Work that waits for more work of its kind, so that both are enqueued together. It is enqueued
// before anything else that follows.
class Waiting {
 public:
  virtual ~Waiting() = default;
  virtual void enqueue(Stream& stream) = 0;
};

// A captured segment: work that was captured while it was enqueued, as an executable CUDA graph.
class CapturedSegment {
 public:
  // `draws`: the work generates random numbers.
  CapturedSegment(Device& device, abi::GraphExec work, bool draws) : device_(device), work_(work), draws_(draws) {}
  ~CapturedSegment();  // The device's context must be current.
  CapturedSegment(const CapturedSegment&) = delete;
  CapturedSegment& operator=(const CapturedSegment&) = delete;

  Device& device() const { return device_; }
  abi::GraphExec work() const { return work_; }
  bool draws() const { return draws_; }

 private:
  Device& device_;
  const abi::GraphExec work_;
  const bool draws_;
};

// A stream with its thread. The library serialises enqueuing. All other functions are thread-safe.
//
// CUDA does not call a stream's host functions once its context is lost, and host functions may not
// call the driver. Points on the timeline are therefore events, for which a thread of this
// object waits in order. The thread starts when it is first needed.
class Stream {
 public:
  using Reached = void (*)(void* event, uint64_t value, percale_code code);

  // The device's context must be current, here and in every function that does not say otherwise.
  explicit Stream(Device& device);
  ~Stream();  // Waits for all work.
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  // Returns CUDA's stream for other code to enqueue on, behind all work given to this one so far.
  abi::Stream handle() {
    flush();
    return handle_;
  }

  // Adds work that waits for more of its kind. If join(waiting) returns true, the new work has
  // joined the waiting work; otherwise the result of make() waits instead. Enqueuing anything else
  // and synchronising enqueue the waiting work first.
  template <class Join, class Make>
  void wait_with(const Join& join, const Make& make) {
    {
      const std::lock_guard lock(waiting_mutex_);
      if (waiting_ != nullptr && join(*waiting_)) return;
    }
    flush();
    const std::lock_guard lock(waiting_mutex_);
    waiting_ = make();
  }
  void flush();

  // Copies directly from pinned memory. Other memory is copied through pinned chunks of the
  // stream, and has been read when this returns.
  void copy_to_device(abi::Address to, const void* from, uint64_t bytes);
  // Copies directly to pinned memory. Into other memory, the stream's thread copies the data.
  void copy_to_host(void* to, abi::Address from, uint64_t bytes);
  // Like copy_to_host(), but concurrently with the work that follows. That work must not write
  // these bytes.
  void copy_out(void* to, abi::Address from, uint64_t bytes);
  void signal(Reached reached, void* event, uint64_t value);
  // Waits for all work. Throws the first failure since the last call. Errors that kernels found in
  // their data are reported to the run.
  void synchronize();

  void launch(abi::Function function, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
              unsigned shared_bytes, const void* arguments);
  void clear(abi::Address memory, uint64_t bytes);

  // Work that is enqueued between these two calls is captured and not executed. capture_end()
  // returns null if some of the work cannot be replayed or the driver refuses the graph.
  void capture_begin();
  std::unique_ptr<CapturedSegment> capture_end();
  void replay(const CapturedSegment& segment, percale_run_context* run);
  // Marks the work being captured as specific to this run, so that it cannot be replayed.
  void note_once() { capture_.once = true; }

  // Returns where kernels read the counters of random numbers. The counters are those of the run
  // for which the kernels are enqueued or replayed.
  Ptr draw(percale_run_context* run);
  // Returns where a kernel records that an index or a value is out of range. The error names the
  // instruction that is being enqueued.
  ErrorPlace errors(percale_run_context* run) const;

  // Records a failure met while enqueuing. synchronize() and signals report it, and later work is
  // not enqueued.
  void fail(const Failure& failure);
  bool failed() const;

 private:
  // Pinned memory that a copy passes through.
  struct Chunk {
    std::byte* data = nullptr;
    uint64_t bytes = 0;
    abi::Event done = nullptr;
    // The state of the chunk: free, read by the GPU, or written by the GPU and then emptied by the
    // thread.
    enum class State { kFree, kRead, kWritten } state = State::kFree;
  };
  // The first failure. It has a fixed size, because memory may be what is lacking.
  struct Trouble {
    percale_code code = PERCALE_OK;
    bool lost = false;
    std::array<char, 400> text{};
  };
  struct Task {
    abi::Event event = nullptr;
    Chunk* chunk = nullptr;  // the chunk to copy into `to`
    void* to = nullptr;
    uint64_t bytes = 0;
    Reached reached = nullptr;
    void* what = nullptr;
    uint64_t value = 0;
  };

  void tell_draw(percale_run_context* run);
  Chunk& take_chunk(uint64_t bytes);
  void copy_to_host(void* to, abi::Address from, uint64_t bytes, abi::Stream stream);
  abi::Stream beside();
  void push(Task task, abi::Stream stream);
  void follow();
  abi::Result wait(abi::Event event) const;
  void note(percale_code code, bool lost, const char* text) noexcept;
  void note_result(abi::Result result, const char* what) noexcept;
  percale_code code_so_far() const;
  void report_word();
  void start_thread();

  // The stream for copies that run beside the work. It waits for an event of the main stream. Null
  // until the first such copy.
  struct Beside {
    abi::Stream handle = nullptr;
    abi::Event so_far = nullptr;
    bool leaving = false;  // true if copies on it may be unfinished
  };
  // The memory through which kernels report errors and read the counters of random numbers.
  struct Exchange {
    ErrorWord* word = nullptr;      // pinned
    abi::Address word_address = 0;  // its address on the device
    abi::Address guard = 0;         // On the device: 1 once the word is taken. Then a Draw.
    DrawArgs told{};                // the arguments last written there
  };
  // The capture in progress.
  struct Capture {
    bool active = false;
    bool once = false, draws = false;  // facts about the work captured so far
    bool failed_before = false;
  };

  Device& device_;
  const Driver& driver_;
  abi::Stream handle_ = nullptr;
  Beside beside_;
  Exchange exchange_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  Capture capture_;

  std::mutex waiting_mutex_;
  std::unique_ptr<Waiting> waiting_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable more_, less_;
  std::deque<Task> tasks_;  // the first one is in progress
  std::vector<abi::Event> spare_events_;
  Trouble trouble_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_STREAM_STREAM_H_
