// The way in which kernels of this plug-in are made: one function per kernel prepares a node, the
// rest is the same for all.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_KERNEL_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_KERNEL_H_

#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/onednn/support/primitive.h"

namespace percale::onednn {

// The work of a node: primitives, one after the other or all at once; or, where that is
// faster, a function of ours.
using Function = std::function<void(const percale_launch& launch)>;
struct Steps {
  std::vector<std::unique_ptr<Primitive>> primitives;
  bool at_once = false;
  Function function;
};

// A primitive that could run a node.
struct Made {
  std::function<dnnl::primitive()> create;
  MemoryDesc scratchpad;
  struct Operand {
    Argument argument;
    MemoryDesc row_major;  // the same tensor as the library knows it
    // A place in scratch memory: primitives of a node with the same slot share it.
    int slot = -1;
  };
  std::vector<Operand> operands;

  // An f32 argument, or one of another type, with the dims that oneDNN gives it and, where it is
  // not row-major over them, the strides that it has in the library.
  void add(int name, int operand, const MemoryDesc& desc, const Dims& dims, const Dims& strides = {});
  // One that the node does not have: a copy of `bytes`.
  void add_own(int name, const MemoryDesc& desc, const void* bytes);
  // The result's argument, which has been added, begins as this input, which lies as it does.
  void start_from(int operand);
  // The layout of the argument of that name. Precondition: there is one.
  const MemoryDesc& find(int name) const;
  // A value that one primitive of the node leaves to the next.
  void add_scratch(int name, int slot, const MemoryDesc& desc);
};

// The planner as prepare() sees it.
class Plan {
 public:
  // `plan` null: the node is only looked at, nothing is made that costs.
  Plan(const Node& node, percale_kernel_plan* plan) : node_(node), requests_(node.host(), plan) {}

  const Node& node() const { return node_; }
  // True if the kernel has accepted the node before.
  bool is_taken() const { return requests_.is_real(); }

  // A step whose primitive make(formats) describes: with formats of oneDNN's choice, or, where the
  // planner wants everything row-major, without. It is cut into so many pieces.
  void add(Steps& steps, int pieces, const std::function<Made(bool formats)>& make);
  // Primitives that follow each other.
  void add_all(Steps& steps, int pieces, const std::function<std::vector<Made>(bool formats)>& make);
  // Primitives for one thread each that run at once, parts of `make`'s: they have the formats that
  // it asks for. Where there are none it runs alone.
  void add_parts(Steps& steps, int pieces, const std::function<Made(bool formats)>& make,
                 const std::function<std::vector<Made>(const Made& whole)>& parts);
  // The same for primitives whose formats are those of the node's operands.
  void add_as_given(Steps& steps, int pieces, const std::function<std::vector<Made>()>& make);

  // An operand (inputs, then outputs) in a format that takes so many bytes; Refusal where all are
  // row-major here.
  void require_format(size_t operand, const std::string& format, size_t bytes);
  // The same for a tensor that lies so, with the library's dims.
  void require_format(size_t operand, const MemoryDesc& desc);
  // The result may lie where this input does.
  void work_in_place(size_t input);
  void book(size_t scratch_bytes);

 private:
  bool ask_for_format(size_t operand, const std::string& format, size_t bytes);
  // False where everything has to be row-major and something is not.
  bool ask_for_formats(const std::vector<Made>& all);
  void finish(Steps& steps, std::vector<Made> all, int pieces);

  const Node& node_;
  plugin::KernelPlan requests_;
};

// f32, or bf16 where this CPU computes in it; Refusal for anything else.
DataType float_type(percale_dtype dtype);

// oneDNN has a slow implementation of nearly everything: that is nothing to take a node for.
template <class PrimitiveDesc>
void refuse_reference(const PrimitiveDesc& primitive) {
  refuse_if(std::string_view(primitive.impl_info_str()).starts_with("ref"),
            "oneDNN has only a slow reference implementation");
}

inline bool is_empty(const Dims& dims) { return elements(dims) == 0; }

// Attributes that all primitives have.
dnnl::primitive_attr attributes(const dnnl::post_ops& post_ops = {});

// The table entry of a kernel. `prepare` throws Refusal where it does not take the node.
struct KernelEntry {
  const char* name;
  const char* domain;
  const char* op;
  void (*prepare)(Plan& plan, Steps& steps);
  const char* first = nullptr;  // of a group: the op that it must begin with; null: any
};

// A planned node: the state of a kernel.
class PlannedNode {
 public:
  PlannedNode(const percale_host_api& host, Steps steps) : host_(host), steps_(std::move(steps)) {}
  void run(const percale_launch& launch) const noexcept;

 private:
  const percale_host_api& host_;
  const Steps steps_;
};

// The context of a kernel for plugin::kernel_of().
struct KernelContext {
  const percale_host_api* library;
  KernelEntry entry;

  const percale_host_api& host() const { return *library; }
  void accepts(const percale_node_view* view) const;
  // percale_kernel::accepts with a KernelContext as its `user`. Compares `entry.first` before it
  // calls accepts(): most groups begin with another op, and an exception takes long.
  static percale_status* accept(void* context, const percale_node_view* view);
  std::unique_ptr<PlannedNode> plan(const percale_node_view* view, percale_kernel_plan* plan) const;
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_KERNEL_H_
