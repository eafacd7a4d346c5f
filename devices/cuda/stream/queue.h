// A queue of a device: a stream, and a thread that follows it for whoever waits.
#ifndef PERCALE_DEVICES_CUDA_STREAM_QUEUE_H_
#define PERCALE_DEVICES_CUDA_STREAM_QUEUE_H_

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

class Queue;

// Work that has been given to a queue and waits for more of its kind: it is enqueued before whatever else comes.
class Waiting {
 public:
  virtual ~Waiting() = default;
  virtual void enqueue(Queue& queue) = 0;
};

// Work that was kept while it was enqueued: a graph of the driver's.
class Recording {
 public:
  // `draws`: some of it makes random numbers.
  Recording(Device& device, abi::GraphExec work, bool draws) : device_(device), work_(work), draws_(draws) {}
  ~Recording();  // the device's context must be current
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Device& device() const { return device_; }
  abi::GraphExec work() const { return work_; }
  bool draws() const { return draws_; }

 private:
  Device& device_;
  const abi::GraphExec work_;
  const bool draws_;
};

// Enqueuing is serialised by the library; all else is thread-safe.
//
// Host functions of a stream are not called once its context is lost, and may not call the driver; so points on the timeline are
// events that a thread of the queue waits for, in order. It is started by the first thing that needs it.
class Queue {
 public:
  using Reached = void (*)(void* event, uint64_t value, percale_code code);

  // The device's context must be current, here and in every function that does not say otherwise.
  explicit Queue(Device& device);
  ~Queue();  // waits for all work
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  Device& device() const { return device_; }
  // For what others enqueue: it comes behind all that was given to the queue.
  abi::Stream stream() {
    flush();
    return stream_;
  }

  // Work that waits for more of its kind: joined with what waits already, where join(waiting) says that it is, else what make() gives waits
  // by itself. Enqueuing anything else, and synchronising, makes it go first.
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

  // From pinned memory at once; anything else passes through pinned memory of the queue's own, and is read before this returns.
  void copy_to_device(abi::Address to, const void* from, uint64_t bytes);
  // To pinned memory at once; to anything else by the queue's thread.
  void copy_to_host(void* to, abi::Address from, uint64_t bytes);
  // The same beside what comes behind it, which does not write those bytes.
  void copy_out(void* to, abi::Address from, uint64_t bytes);
  void signal(Reached reached, void* event, uint64_t value);
  // Throws what went wrong first since the last time; what kernels found in their data goes to the run.
  void synchronize();

  void launch(abi::Function function, unsigned grid_x, unsigned grid_y, unsigned block_x, unsigned block_y,
              unsigned shared_bytes, const void* arguments);
  void clear(abi::Address memory, uint64_t bytes);

  // Between them what is enqueued is kept and not done. Null: some of it cannot be done again, or the driver has no room.
  void record_begin();
  std::unique_ptr<Recording> record_end();
  void play(const Recording& recording, percale_run_context* run);
  // What is being enqueued depends on the run.
  void note_once() { once_ = true; }

  // Where kernels read what random numbers are counted by: it is that of the run for which they are enqueued, or played.
  Ptr draw(percale_run_context* run);
  // Where a kernel notes that an index or a value is out of range, in the name of the instruction that is being enqueued.
  ErrorPlace errors(percale_run_context* run) const;

  // A failure met while enqueuing: it is told by synchronize() and signals. What would come after it is left out.
  void fail(const Failure& failure);
  bool failed() const;

 private:
  // Pinned memory that a copy passes through.
  struct Chunk {
    std::byte* data = nullptr;
    uint64_t bytes = 0;
    abi::Event done = nullptr;
    enum class State { kFree, kRead, kWritten } state = State::kFree;  // the GPU reads it; it is written, then emptied
  };
  // What went wrong first; kept without memory of its own, which may be what is lacking.
  struct Trouble {
    percale_code code = PERCALE_OK;
    bool lost = false;
    std::array<char, 400> text{};
  };
  struct Task {
    abi::Event event = nullptr;
    Chunk* chunk = nullptr;  // to be emptied into `to`
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

  Device& device_;
  const Driver& driver_;
  abi::Stream stream_ = nullptr;
  // What leaves beside the work, which it follows by an event: null until something does.
  abi::Stream beside_ = nullptr;
  abi::Event so_far_ = nullptr;
  bool leaving_ = false;           // something was put there since all was done
  ErrorWord* word_ = nullptr;      // pinned
  abi::Address word_address_ = 0;  // as kernels know it
  abi::Address guard_ = 0;         // on the device: 1 once the word is taken; a Draw lies behind it
  DrawArgs told_{};                // what was last written there
  std::vector<std::unique_ptr<Chunk>> chunks_;

  bool recording_ = false, once_ = false, draws_ = false, failed_before_ = false;

  std::mutex waiting_mutex_;
  std::unique_ptr<Waiting> waiting_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable more_, less_;
  std::deque<Task> tasks_;  // the first one is being done
  std::vector<abi::Event> spare_events_;
  Trouble trouble_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_STREAM_QUEUE_H_
