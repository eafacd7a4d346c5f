// An emulated libcuda.so.1: the functions that the plug-in uses, with checks of their rules. Work
// on streams is delayed until it is waited for or queried. So a missing wait always reads old
// bytes, not only sometimes. This header has the state that the functions share.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_DRIVER_DRIVER_H_
#define PERCALE_TESTS_CUDA_EMULATOR_DRIVER_DRIVER_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cuda/emulator/block.h"
#include "tests/cuda/emulator/emulator.h"
#include "tests/cuda/emulator/memory.h"

namespace percale::cuda::abi {

struct ContextTag {
  int device;
  int users = 0;
  Result sticky = kSuccess;
};
struct EventTag {
  ContextTag* context;
  bool timing;
  StreamTag* stream = nullptr;  // the stream of the last record
  uint64_t recorded = 0, reached = 0;
};
using Work = std::function<std::string()>;
struct StreamTag {
  ContextTag* context;
  std::deque<Work> work = {};
  bool keeps = false;   // capture: enqueued work goes to `kept`
  bool broken = false;  // the capture has failed
  std::vector<Work> kept = {};

  void push(Work piece) {
    if (keeps) {
      kept.push_back(std::move(piece));
    } else {
      work.push_back(std::move(piece));
    }
  }
};
struct GraphTag {
  std::vector<Work> work;
};
struct GraphExecTag {
  ContextTag* context;
  std::vector<Work> work;
};
struct ModuleTag {
  ContextTag* context;
  void* library = nullptr;  // of code that was compiled at run time
};
struct FunctionTag {
  std::string name;
  percale_emulator::Kernel kernel;
  unsigned argument_bytes, max_threads;
  unsigned most_shared = 48 << 10;
};

}  // namespace percale::cuda::abi

namespace percale_emulator::driver {

using namespace percale::cuda::abi;

inline constexpr Result kStreamCaptureInvalidated = 901;

struct Options {
  int devices = 1;
  uint64_t memory = uint64_t{8} << 30;
  // The n-th call fails, from 1.
  uint64_t fail_allocation = 0, fail_host_allocation = 0, sticky_launch = 0, sticky_copy = 0;
  bool strict = false, peers = true;  // peers: GPUs can access each other's memory
  uint64_t order = 0;                 // execution order of threads and blocks
  uint64_t fail_capture = 0;          // the n-th capture fails, from 1
  int version = 13000;
};

struct State {
  std::recursive_mutex mutex;
  Options options;
  Memory memory;
  bool started = false;
  std::map<int, ContextTag> contexts;
  std::set<StreamTag*> streams;
  std::set<EventTag*> events;
  std::set<ModuleTag*> modules;
  std::set<GraphTag*> graphs;
  std::set<GraphExecTag*> plays;
  std::map<std::string, std::unique_ptr<FunctionTag>> functions;
  uint64_t problems = 0, launches = 0, replayed = 0, captures = 0, launches_at_copy = 0, copies = 0, allocations = 0,
           host_allocations = 0;
};
State& state();

// Reads a text as in PERCALE_CUDA_EMULATOR.
Options parse(const char* text);

// Notes a problem and returns `result`.
Result misuse(const std::string& what, Result result = kInvalidValue);

// Returns the context of the calling thread. If there is none, returns null and sets *result.
ContextTag* context(const char* who, Result* result);

// Enters a driver call: takes the lock and finds the thread's context.
struct Call {
  explicit Call(const char* who) : lock(state().mutex), context(driver::context(who, &result)) {}
  std::lock_guard<std::recursive_mutex> lock;
  Result result;
  ContextTag* context;
  bool fails() const { return result != kSuccess; }
};

// Returns true if there is such a stream or event; otherwise notes a problem.
bool known(StreamTag* stream, const char* who);
bool known(EventTag* event, const char* who);

// Executes the first piece of work of the stream.
void step(StreamTag& stream);
// Executes all work of the stream. A lost context executes nothing more.
void drain(StreamTag& stream);
// Executes work until the event has reached the number.
Result wait_for(EventTag& event, uint64_t number);

// Loses the context if `count` is the number of the call that fails.
bool fault(uint64_t count, uint64_t at, ContextTag& context);

}  // namespace percale_emulator::driver

#endif  // PERCALE_TESTS_CUDA_EMULATOR_DRIVER_DRIVER_H_
