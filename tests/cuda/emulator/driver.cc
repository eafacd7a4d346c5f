// An emulated libcuda.so.1: the functions that the plug-in uses, with checks of their rules. Work
// on streams is delayed until it is waited for or queried. So a missing wait always reads old
// bytes, not only sometimes.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "tests/cuda/emulator/block.h"
#include "tests/cuda/emulator/emulator.h"
#include "tests/cuda/emulator/memory.h"

using namespace percale::cuda::abi;

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

namespace percale_emulator {
namespace {

constexpr Result kStreamCaptureInvalidated = 901;

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
State& state() {
  static auto* const only = new State;
  return *only;
}

thread_local std::vector<ContextTag*> current_contexts;

Options parse(const char* text) {
  Options out;
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string item(rest.substr(0, rest.find(',')));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = item.substr(0, equals);
    const uint64_t value = std::strtoull(item.c_str() + equals + 1, nullptr, 10);
    if (key == "devices") out.devices = static_cast<int>(value);
    if (key == "memory") out.memory = value;
    if (key == "fail_allocation") out.fail_allocation = value;
    if (key == "fail_host_allocation") out.fail_host_allocation = value;
    if (key == "sticky_launch") out.sticky_launch = value;
    if (key == "sticky_copy") out.sticky_copy = value;
    if (key == "strict") out.strict = value != 0;
    if (key == "peers") out.peers = value != 0;
    if (key == "order") out.order = value;
    if (key == "fail_capture") out.fail_capture = value;
    if (key == "version") out.version = static_cast<int>(value);
  }
  return out;
}

Result misuse(const std::string& what, Result result = kInvalidValue) {
  note_problem(what);
  return result;
}

// Returns the context of the calling thread. If there is none, returns null and sets *result.
ContextTag* context(const char* who, Result* result) {
  *result = kSuccess;
  if (current_contexts.empty()) {
    *result = misuse(std::string(who) + " without a context", kInvalidContext);
    return nullptr;
  }
  ContextTag* out = current_contexts.back();
  if (out->users == 0) {
    *result = misuse(std::string(who) + " with a context that was released", kInvalidContext);
    return nullptr;
  }
  *result = out->sticky;
  return out;
}

// Executes the first piece of work of the stream.
void step(StreamTag& stream) {
  const auto work = std::move(stream.work.front());
  stream.work.pop_front();
  const std::string wrong = work();
  const std::string beside = state().memory.check_touched(stream.context->device);
  for (const std::string& what : {wrong, beside}) {
    if (what.empty()) continue;
    note_problem(what);
    stream.context->sticky = kIllegalAddress;
  }
}

// A lost context executes nothing more.
void drain(StreamTag& stream) {
  while (!stream.work.empty() && stream.context->sticky == kSuccess) step(stream);
  if (stream.context->sticky != kSuccess) stream.work.clear();
}

Result wait_for(EventTag& event, uint64_t number) {
  while (event.reached < number && event.context->sticky == kSuccess && !event.stream->work.empty())
    step(*event.stream);
  return event.context->sticky;
}

bool known(StreamTag* stream, const char* who) {
  if (state().streams.contains(stream)) return true;
  note_problem(std::string(who) + " on no stream");
  return false;
}
bool known(EventTag* event, const char* who) {
  if (state().events.contains(event)) return true;
  note_problem(std::string(who) + " of no event");
  return false;
}

// Enters a driver call: takes the lock and finds the thread's context.
struct Call {
  explicit Call(const char* who) : lock(state().mutex), context(percale_emulator::context(who, &result)) {}
  std::lock_guard<std::recursive_mutex> lock;
  Result result;
  ContextTag* context;
  bool fails() const { return result != kSuccess; }
};

// Loads the code through a file with a unique name, because the loader identifies libraries by
// name, even after they are unloaded.
void* open_code(const CompiledCode& code) {
  std::string path = (std::filesystem::temp_directory_path() / "percale-code-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  const auto* bytes = reinterpret_cast<const char*>(&code + 1);
  const bool written = write(file, bytes, code.bytes) == static_cast<ssize_t>(code.bytes);
  void* out = written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  close(file);
  unlink(path.c_str());
  return out;
}

bool fault(uint64_t count, uint64_t at, ContextTag& context) {
  if (at == 0 || count != at) return false;
  context.sticky = kIllegalAddress;
  return true;
}

Result copy(const char* who, StreamTag* stream, uint64_t device, uint64_t bytes, const void* host,
            std::function<std::string()> work, bool to_host = false) {
  Call call(who);
  if (call.fails()) return call.result;
  State& s = state();
  if (!known(stream, who)) return kInvalidValue;
  if (bytes == 0) return misuse(std::string(who) + " of nothing");
  if (host != nullptr && !s.memory.is_host(host, bytes))
    return misuse(std::string(who) + " with memory that is not pinned");
  if (s.memory.reach(device, bytes) == nullptr) return misuse(std::string(who) + " beyond a block");
  s.memory.check_touched();
  if (to_host && s.launches_at_copy == 0) s.launches_at_copy = s.launches;
  // A later call reports it.
  if (host != nullptr && fault(++s.copies, s.options.sticky_copy, *call.context)) return kSuccess;
  stream->push(std::move(work));
  return kSuccess;
}

}  // namespace

void note_problem(const std::string& what) {
  State& s = state();
  ++s.problems;
  std::fprintf(stderr, "cuda emulator: %s\n", what.c_str());
  if (s.options.strict) std::abort();
}

void* reach(uint64_t address) {
  if (address == 0) return nullptr;
  void* out = state().memory.reach(address, 0);
  if (out != nullptr) return out;
  complain("a kernel is given an address that is no memory");
  static std::byte nowhere[1 << 16];
  return nowhere;
}

void* reach_bytes(uint64_t address, uint64_t bytes) { return state().memory.reach(address, bytes); }

Result enqueue(Stream stream, std::function<std::string()> work) {
  Call call("cublasLtMatmul");
  if (call.fails()) return call.result;
  if (!known(stream, "cublasLtMatmul")) return kInvalidValue;
  ++state().launches;
  if (fault(state().launches, state().options.sticky_launch, *call.context)) return kSuccess;
  stream->push(std::move(work));
  return kSuccess;
}

}  // namespace percale_emulator

using namespace percale_emulator;

extern "C" {

Result cuInit(unsigned) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.started) return kSuccess;
  s.options = parse(std::getenv("PERCALE_CUDA_EMULATOR"));
  set_order(s.options.order);
  s.started = true;
  for (int i = 0; i < s.options.devices; ++i) s.contexts[i].device = i;
  return s.options.devices == 0 ? kNoDevice : kSuccess;
}

Result cuDriverGetVersion(int* version) {
  *version = state().options.version;
  return kSuccess;
}

Result cuGetErrorName(Result error, const char** name) {
  *name = error == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kInvalidValue   ? "CUDA_ERROR_INVALID_VALUE"
          : error == kInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
          : error == kNotFound       ? "CUDA_ERROR_NOT_FOUND"
                                     : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

Result cuGetErrorString(Result, const char** text) {
  *text = "an emulated error";
  return kSuccess;
}

Result cuDeviceGetCount(int* count) {
  *count = state().options.devices;
  return kSuccess;
}

Result cuDeviceGet(DeviceNumber* device, int ordinal) {
  if (ordinal < 0 || ordinal >= state().options.devices) return misuse("cuDeviceGet of no device");
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char* name, int size, DeviceNumber) {
  std::snprintf(name, static_cast<size_t>(size), "emulated GPU");
  return kSuccess;
}

Result cuDeviceGetAttribute(int* value, int attribute, DeviceNumber) {
  switch (attribute) {
    case kAttributeMajor: *value = 9; break;
    case kAttributeMultiprocessors: *value = 132; break;
    case kAttributeClockRate: *value = 1'980'000; break;
    case kAttributeMemoryClockRate: *value = 2'619'000; break;
    case kAttributeMemoryBusWidth: *value = 5120; break;
    case kAttributeSharedPerBlockOptin: *value = 227 << 10; break;
    default: *value = 0;
  }
  return kSuccess;
}

Result cuDeviceTotalMem_v2(size_t* bytes, DeviceNumber) {
  *bytes = state().options.memory;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context* out, DeviceNumber device) {
  const std::lock_guard lock(state().mutex);
  ContextTag& c = state().contexts.at(device);
  ++c.users;
  *out = &c;
  return kSuccess;
}

// When the last user releases the context, all its resources must have been freed.
Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ContextTag& c = s.contexts.at(device);
  if (c.users == 0) return misuse("a context released too often");
  if (--c.users > 0) return kSuccess;
  const auto left = [&](const auto& set, const char* what) {
    for (const auto* item : set) {
      if (item->context == &c) {
        note_problem(std::string("the context was released, and there is still ") + what);
        return;
      }
    }
  };
  left(s.streams, "a stream");
  left(s.events, "an event");
  left(s.modules, "a module");
  if (s.memory.blocks(device) > 0) note_problem("the context was released, and there is still device memory");
  c.sticky = kSuccess;  // a new context begins
  s.memory.close_ways(device);
  return kSuccess;
}

Result cuDeviceCanAccessPeer(int* can, DeviceNumber device, DeviceNumber peer) {
  *can = device != peer && state().options.peers ? 1 : 0;
  return kSuccess;
}

Result cuCtxEnablePeerAccess(Context peer, unsigned flags) {
  const Call call("cuCtxEnablePeerAccess");
  if (call.fails()) return call.result;
  if (peer == nullptr || peer->users == 0 || peer == call.context || flags != 0 || !state().options.peers) {
    return misuse("cuCtxEnablePeerAccess of no peer");
  }
  return state().memory.open_way(call.context->device, peer->device) ? kSuccess : kPeerAccessAlreadyEnabled;
}

Result cuCtxPushCurrent_v2(Context context) {
  if (context == nullptr || context->users == 0) return misuse("cuCtxPushCurrent of no context", kInvalidContext);
  current_contexts.push_back(context);
  return kSuccess;
}

Result cuCtxPopCurrent_v2(Context* context) {
  if (current_contexts.empty()) return misuse("cuCtxPopCurrent without a context", kInvalidContext);
  *context = current_contexts.back();
  current_contexts.pop_back();
  return kSuccess;
}

Result cuMemAlloc_v2(Address* out, size_t bytes) {
  const Call call("cuMemAlloc");
  if (call.fails()) return call.result;
  State& s = state();
  if (bytes == 0) return misuse("cuMemAlloc of nothing");
  ++s.allocations;
  if (s.allocations == s.options.fail_allocation) return kOutOfMemory;
  if (bytes > s.options.memory - std::min(s.options.memory, s.memory.used(call.context->device))) return kOutOfMemory;
  *out = s.memory.allocate(call.context->device, bytes);
  return *out == 0 ? kOutOfMemory : kSuccess;
}

// Waits for the whole device, as the real one does.
Result cuMemFree_v2(Address memory) {
  const Call call("cuMemFree");
  if (call.context == nullptr) return call.result;
  State& s = state();
  for (StreamTag* stream : s.streams) {
    if (stream->context == call.context) drain(*stream);
  }
  const std::string wrong = s.memory.free(memory);
  if (!wrong.empty()) return misuse(wrong);
  return call.context->sticky;
}

Result cuMemHostAlloc(void** out, size_t bytes, unsigned flags) {
  const Call call("cuMemHostAlloc");
  if (call.fails()) return call.result;
  State& s = state();
  if (bytes == 0) return misuse("cuMemHostAlloc of nothing");
  if (++s.host_allocations == s.options.fail_host_allocation) return kOutOfMemory;
  if ((flags & kHostPortable) == 0) note_problem("pinned memory that other devices do not know");
  *out = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*out == nullptr) return kOutOfMemory;
  s.memory.add_host(*out, bytes);
  return kSuccess;
}

Result cuMemFreeHost(void* memory) {
  const Call call("cuMemFreeHost");
  if (call.context == nullptr) return call.result;
  State& s = state();
  for (StreamTag* stream : s.streams) drain(*stream);
  if (!s.memory.remove_host(memory)) return misuse("cuMemFreeHost of what is not allocated");
  std::free(memory);
  return kSuccess;
}

Result cuMemHostGetDevicePointer_v2(Address* address, void* memory, unsigned) {
  *address = reinterpret_cast<Address>(memory);
  return kSuccess;
}

Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream stream) {
  return copy("cuMemcpyHtoDAsync", stream, to, bytes, from, [=]() -> std::string {
    void* target = reach_bytes(to, bytes);
    if (target == nullptr || reach_bytes(reinterpret_cast<uint64_t>(from), bytes) == nullptr)
      return "a copy of what was freed";
    std::memcpy(target, from, bytes);
    return "";
  });
}

Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream stream) {
  return copy(
      "cuMemcpyDtoHAsync", stream, from, bytes, to,
      [=]() -> std::string {
        const void* source = reach_bytes(from, bytes);
        if (source == nullptr || reach_bytes(reinterpret_cast<uint64_t>(to), bytes) == nullptr)
          return "a copy of what was freed";
        std::memcpy(to, source, bytes);
        return "";
      },
      true);
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream stream) {
  return copy("cuMemcpyDtoDAsync", stream, to, bytes, nullptr, [=]() -> std::string {
    const void* source = reach_bytes(from, bytes);
    void* target = reach_bytes(to, bytes);
    if (source == nullptr || target == nullptr) return "a copy of what is no memory";
    std::memmove(target, source, bytes);
    return "";
  });
}

Result cuMemsetD8Async(Address to, unsigned char value, size_t bytes, Stream stream) {
  return copy("cuMemsetD8Async", stream, to, bytes, nullptr, [=]() -> std::string {
    void* target = reach_bytes(to, bytes);
    if (target == nullptr) return "cuMemsetD8 of what was freed";
    std::memset(target, value, bytes);
    return "";
  });
}

Result cuStreamCreate(Stream* out, unsigned flags) {
  const Call call("cuStreamCreate");
  if (call.fails()) return call.result;
  if ((flags & kStreamNonBlocking) == 0) note_problem("a stream that waits for the host's own work");
  *out = new StreamTag{call.context};
  state().streams.insert(*out);
  return kSuccess;
}

Result cuStreamDestroy_v2(Stream stream) {
  const Call call("cuStreamDestroy");
  if (call.context == nullptr || !known(stream, "cuStreamDestroy")) return kInvalidValue;
  if (!stream->work.empty() && call.result == kSuccess) note_problem("a stream destroyed with work in it");
  if (stream->keeps) note_problem("a stream destroyed while it keeps work");
  state().streams.erase(stream);
  delete stream;
  return call.result;
}

Result cuStreamSynchronize(Stream stream) {
  const Call call("cuStreamSynchronize");
  if (call.context == nullptr || !known(stream, "cuStreamSynchronize")) return kInvalidValue;
  if (stream->keeps) return misuse("cuStreamSynchronize of a stream that keeps work");
  drain(*stream);
  return call.context->sticky;
}

Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  const Call call("cuStreamWaitEvent");
  if (call.fails()) return call.result;
  if (!known(stream, "cuStreamWaitEvent") || !known(event, "cuStreamWaitEvent")) return kInvalidValue;
  const uint64_t number = event->recorded;  // later records do not matter
  stream->push([event, number]() -> std::string {
    wait_for(*event, number);
    return "";
  });
  return kSuccess;
}

Result cuStreamBeginCapture_v2(Stream stream, int mode) {
  const Call call("cuStreamBeginCapture");
  if (call.fails()) return call.result;
  if (!known(stream, "cuStreamBeginCapture")) return kInvalidValue;
  if (stream->keeps || mode != kCaptureRelaxed) return misuse("cuStreamBeginCapture twice, or of another mode");
  stream->keeps = true;
  stream->broken = ++state().captures == state().options.fail_capture;
  return kSuccess;
}

Result cuStreamEndCapture(Stream stream, Graph* out) {
  const Call call("cuStreamEndCapture");
  if (call.context == nullptr || !known(stream, "cuStreamEndCapture")) return kInvalidValue;
  if (!stream->keeps) return misuse("cuStreamEndCapture without a begin");
  stream->keeps = false;
  *out = nullptr;
  auto kept = std::exchange(stream->kept, {});
  if (std::exchange(stream->broken, false)) return kStreamCaptureInvalidated;
  *out = new GraphTag{std::move(kept)};
  state().graphs.insert(*out);
  return kSuccess;
}

Result cuGraphInstantiateWithFlags(GraphExec* out, Graph graph, unsigned long long flags) {
  const Call call("cuGraphInstantiate");
  if (call.fails()) return call.result;
  if (!state().graphs.contains(graph) || flags != 0) return misuse("cuGraphInstantiate of no graph");
  *out = new GraphExecTag{call.context, graph->work};
  state().plays.insert(*out);
  return kSuccess;
}

// The whole graph counts as one launch.
Result cuGraphLaunch(GraphExec exec, Stream stream) {
  const Call call("cuGraphLaunch");
  if (call.fails()) return call.result;
  if (!known(stream, "cuGraphLaunch")) return kInvalidValue;
  State& s = state();
  if (!s.plays.contains(exec) || stream->keeps) return misuse("cuGraphLaunch of what cannot be launched");
  ++s.launches;
  ++s.replayed;
  // A later call reports it.
  if (fault(s.launches, s.options.sticky_launch, *call.context)) return kSuccess;
  for (const Work& piece : exec->work) stream->push(piece);
  return kSuccess;
}

Result cuGraphDestroy(Graph graph) {
  const Call call("cuGraphDestroy");
  if (state().graphs.erase(graph) == 0) return misuse("cuGraphDestroy of no graph");
  delete graph;
  return call.result;
}

Result cuGraphExecDestroy(GraphExec exec) {
  const Call call("cuGraphExecDestroy");
  if (state().plays.erase(exec) == 0) return misuse("cuGraphExecDestroy of nothing");
  delete exec;
  return call.result;
}

Result cuEventCreate(Event* out, unsigned flags) {
  const Call call("cuEventCreate");
  if (call.fails()) return call.result;
  *out = new EventTag{call.context, (flags & kEventDisableTiming) == 0};
  state().events.insert(*out);
  return kSuccess;
}

Result cuEventDestroy_v2(Event event) {
  const Call call("cuEventDestroy");
  if (call.context == nullptr || !known(event, "cuEventDestroy")) return kInvalidValue;
  if (event->reached < event->recorded && call.result == kSuccess) wait_for(*event, event->recorded);
  state().events.erase(event);
  delete event;
  return call.result;
}

Result cuEventRecord(Event event, Stream stream) {
  const Call call("cuEventRecord");
  if (call.fails()) return call.result;
  if (!known(stream, "cuEventRecord") || !known(event, "cuEventRecord")) return kInvalidValue;
  if (stream->keeps) return misuse("cuEventRecord on a stream that keeps work");
  event->stream = stream;
  const uint64_t number = ++event->recorded;
  stream->push([event, number]() -> std::string {
    event->reached = number;
    return "";
  });
  return kSuccess;
}

// Each query executes one piece of work, so the event is reached after some queries.
Result cuEventQuery(Event event) {
  const Call call("cuEventQuery");
  if (call.context == nullptr || !known(event, "cuEventQuery")) return kInvalidValue;
  if (event->context->sticky != kSuccess) return event->context->sticky;
  if (event->reached >= event->recorded) return kSuccess;
  step(*event->stream);
  return event->context->sticky != kSuccess ? event->context->sticky : kNotReady;
}

Result cuEventSynchronize(Event event) {
  const Call call("cuEventSynchronize");
  if (call.context == nullptr || !known(event, "cuEventSynchronize")) return kInvalidValue;
  return wait_for(*event, event->recorded);
}

// The kernels are functions of this library: the same sources, compiled for the host. Code compiled
// at run time is a library of its own.
Result cuModuleLoadData(Module* out, const void* image) {
  const Call call("cuModuleLoadData");
  if (call.fails()) return call.result;
  if (image == nullptr) return misuse("cuModuleLoadData of nothing");
  void* library = nullptr;
  if (const auto* code = static_cast<const CompiledCode*>(image);
      std::memcmp(code->mark, kCompiledMark, sizeof code->mark) == 0) {
    library = open_code(*code);
    if (library == nullptr) return misuse("cuModuleLoadData of code that cannot be loaded");
  }
  *out = new ModuleTag{call.context, library};
  state().modules.insert(*out);
  return kSuccess;
}

Result cuModuleUnload(Module module) {
  const Call call("cuModuleUnload");
  if (state().modules.erase(module) == 0) return misuse("cuModuleUnload of no module");
  delete module;
  return call.result;
}

Result cuModuleGetFunction(Function* out, Module module, const char* name) {
  const Call call("cuModuleGetFunction");
  if (call.fails()) return call.result;
  State& s = state();
  if (!s.modules.contains(module)) return misuse("cuModuleGetFunction of no module");
  auto& found = s.functions[name];
  if (found == nullptr) {
    Dl_info own;
    void* library = module->library != nullptr ? module->library
                    : dladdr(reinterpret_cast<void*>(&cuModuleGetFunction), &own) != 0
                        ? dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD)
                        : nullptr;
    void* kernel = library == nullptr ? nullptr : dlsym(library, name);
    const auto* limits = library == nullptr
                             ? nullptr
                             : static_cast<const unsigned*>(dlsym(library, (std::string(name) + "_limits").c_str()));
    if (kernel == nullptr || limits == nullptr) return misuse(std::string("there is no kernel ") + name, kNotFound);
    found = std::make_unique<FunctionTag>(
        FunctionTag{name, reinterpret_cast<percale_emulator::Kernel>(kernel), limits[0], limits[1], 48 << 10});
  }
  *out = found.get();
  return kSuccess;
}

Result cuFuncSetAttribute(Function function, int attribute, int value) {
  if (attribute == kFunctionMaxDynamicShared && value > 227 << 10)
    return misuse("more shared memory than a block can have");
  if (attribute == kFunctionMaxDynamicShared) function->most_shared = static_cast<unsigned>(value);
  return kSuccess;
}

Result cuFuncGetParamInfo(Function function, size_t parameter, size_t* offset, size_t* bytes) {
  if (parameter > 0) return kInvalidValue;
  *offset = 0;
  *bytes = function->argument_bytes;
  return kSuccess;
}

Result cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters,
                      void** extra) {
  const Call call("cuLaunchKernel");
  if (call.fails()) return call.result;
  State& s = state();
  const std::string who = "launch of " + function->name;
  if (!known(stream, "cuLaunchKernel")) return kInvalidValue;
  const uint64_t threads = uint64_t{block_x} * block_y * block_z;
  if (threads == 0 || threads > 1024 || block_z > 64)
    return misuse(who + ": a block of " + std::to_string(threads) + " threads");
  if (threads > function->max_threads) return misuse(who + ": more threads than it was compiled for");
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || grid_x > 0x7FFFFFFF || grid_y > 65535 || grid_z > 65535) {
    return misuse(who + ": a grid of " + std::to_string(grid_x) + " x " + std::to_string(grid_y));
  }
  if (shared_bytes > function->most_shared) return misuse(who + ": shared memory that was not asked for");
  if (stream->broken) return kStreamCaptureInvalidated;
  if (parameters == nullptr || extra != nullptr) return misuse(who + ": no parameters");
  ++s.launches;
  // A later call reports it.
  if (fault(s.launches, s.options.sticky_launch, *call.context)) return kSuccess;
  const auto* bytes = static_cast<const std::byte*>(parameters[0]);
  // Aligned like any struct of arguments.
  auto arguments = std::make_shared<std::vector<uint64_t>>((function->argument_bytes + 7) / 8);
  std::memcpy(arguments->data(), bytes, function->argument_bytes);
  const EmulatedDim3 grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
  stream->push([=]() -> std::string {
    const std::string wrong = run_grid(function->kernel, arguments->data(), grid, block, shared_bytes);
    return wrong.empty() ? "" : function->name + ": " + wrong;
  });
  return kSuccess;
}

uint64_t percale_emulator_problems(void) {
  const std::lock_guard lock(state().mutex);
  return std::exchange(state().problems, 0);
}

void percale_emulator_configure(const char* text) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  const int devices = s.options.devices;
  s.options = parse(text);
  set_order(s.options.order);
  s.options.devices = devices;
  s.launches = s.copies = s.captures = s.allocations = s.host_allocations = 0;
}

uint64_t percale_emulator_launches(void) { return state().launches; }
uint64_t percale_emulator_replayed(void) { return state().replayed; }
// Returns the number of launches at the first copy to the host since the last call; 0 if there was
// no such copy.
uint64_t percale_emulator_launches_at_copy(void) { return std::exchange(state().launches_at_copy, 0); }
uint64_t percale_emulator_copies(void) { return state().copies; }
uint64_t percale_emulator_allocations(void) { return state().allocations; }

}  // extern "C"
