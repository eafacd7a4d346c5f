// The way in which kernels of this plug-in are made: one function per kernel looks at a node and
// gives what runs it; the rest is the same for all.
#ifndef PERCALE_DEVICES_CUDA_LAUNCH_KERNEL_H_
#define PERCALE_DEVICES_CUDA_LAUNCH_KERNEL_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "devices/cuda/stream/stream.h"

namespace percale::cuda {

inline Ptr operator+(Ptr p, int64_t bytes) { return {p.address + static_cast<uint64_t>(bytes)}; }

// A kernel of the device code: the file that it stands in, and its name there.
struct DeviceKernel {
  Family family;
  std::string name;
};

// Blocks and their threads.
struct Grid {
  unsigned blocks = 1, threads = 256, blocks_y = 1, threads_y = 1;
  unsigned shared = 0;  // bytes of PERCALE_DYNAMIC_SHARED
};
// For a loop over `size` elements, `each` per thread: as many threads as that needs, but no more
// blocks than keep a GPU busy; the kernels go on in steps of the whole grid.
Grid grid_for(int64_t size, int64_t each = 1);

// One run of a node: its operands, and the stream that the work goes to.
class Launch {
 public:
  Launch(Stream& stream, const percale_launch& launch, size_t inputs)
      : stream_(stream), launch_(launch), inputs_(inputs) {}

  Stream& stream() const { return stream_; }
  Ptr in(size_t i) const { return address(launch_.operands[i]); }
  Ptr out(size_t k) const { return address(launch_.operands[inputs_ + k]); }
  // Behind the first `offset` bytes of the scratch.
  Ptr scratch(int64_t offset = 0) const { return address(launch_.scratch) + offset; }
  // The memory that book_workspace() has requested.
  Ptr workspace(int64_t offset) const;
  ErrorPlace errors() const { return stream_.errors(launch_.run); }
  // Where kernels read what random numbers are counted by.
  Ptr draw() const { return stream_.draw(launch_.run); }

  template <class Args>
  void run(const DeviceKernel& kernel, const Grid& grid, const Args& args) const {
    enqueue(stream_.device().function(kernel.family, kernel.name, sizeof(Args)), grid, args);
  }
  // False, and nothing was enqueued, where the kernel cannot be compiled.
  template <class Args>
  bool try_run(const KernelSource& kernel, const Grid& grid, const Args& args) const {
    const abi::Function function = stream_.device().function(kernel, sizeof(Args));
    if (function != nullptr) enqueue(function, grid, args);
    return function != nullptr;
  }

 private:
  template <class Args>
  void enqueue(abi::Function function, const Grid& grid, const Args& args) const {
    static_assert(std::is_trivially_copyable_v<Args> && sizeof(Args) <= 4096);
    stream_.launch(function, grid.blocks, grid.blocks_y, grid.threads, grid.threads_y, grid.shared, &args);
  }
  static Ptr address(const void* p) { return {reinterpret_cast<uint64_t>(p)}; }

  Stream& stream_;
  const percale_launch& launch_;
  size_t inputs_;
};

// Enqueues a node's work. Called by several threads at once; throws a Failure.
using Run = std::function<void(const Launch& launch)>;

struct KernelContext;

// The planner as prepare() sees it.
class Plan {
 public:
  // `plan` null: the node is only looked at.
  Plan(const KernelContext& context, const Node& node, percale_kernel_plan* plan)
      : context_(context), node_(node), requests_(node.host(), plan) {}

  const Node& node() const { return node_; }
  // Books more scratch; where it begins.
  int64_t book(int64_t bytes);
  // The same for a library of the vendor, which wants 256 bytes of alignment where the library's
  // memory has 64.
  int64_t book_workspace(int64_t bytes);
  // The operand (inputs, then outputs) lies with channels last; it is as if it had been left out
  // where that makes no difference. False: everything is row-major here.
  bool want_channels_last(size_t operand);
  // True if cuDNN is available.
  bool has_dnn() const;
  // The output may lie over that input: each element is read before it is written, by the same
  // thread.
  void may_replace(size_t output, size_t input);

 private:
  const KernelContext& context_;
  const Node& node_;
  plugin::KernelPlan requests_;
  int64_t scratch_ = 0;
};

// The table entry of a kernel. `prepare` throws a Refusal where it does not take the node.
struct KernelEntry {
  const char* name;
  const char* domain;
  const char* op;
  Run (*prepare)(Plan& plan);
  // The number of its first inputs that may be images with channels last, which it then sees with
  // their dims in that order (Node::dims), as it does its outputs. 0: everything is row-major,
  // unless prepare() wants it otherwise.
  size_t images = 0;
};
inline constexpr size_t kAllImages = SIZE_MAX;

// A planned node: the state of a kernel. An error of run() fails the stream: later commands are
// left out, and synchronising reports it.
class PlannedNode {
 public:
  PlannedNode(size_t inputs, Run run, std::string who) : inputs_(inputs), run_(std::move(run)), who_(std::move(who)) {}
  void run(const percale_launch& launch) const noexcept;

 private:
  const size_t inputs_;
  const Run run_;
  const std::string who_;  // "MatMul 'fc1'"
};

// The context of a kernel for plugin::kernel_of().
struct KernelContext {
  Shared* shared;
  KernelEntry entry;

  const percale_host_api& host() const { return shared->host; }
  void accepts(const percale_node_view* view) const;
  std::unique_ptr<PlannedNode> plan(const percale_node_view* view, percale_kernel_plan* plan) const;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_LAUNCH_KERNEL_H_
