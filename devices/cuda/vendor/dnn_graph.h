// cuDNN's graph API: graphs of its operations as data, and the plans that cuDNN makes for them.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_DNN_GRAPH_H_
#define PERCALE_DEVICES_CUDA_VENDOR_DNN_GRAPH_H_

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// Returns cuDNN's code of a float type, or of i32 or bool between operations.
int dnn_type(percale_dtype dtype);

// Descriptors in the order of their creation, and the list of operations. Nothing in this class
// calls cuDNN.
class DnnGraph {
 public:
  // The number of a descriptor, counted from 0. run() uses that of a tensor to assign its memory.
  using Number = int64_t;

  // tensor() adds an operand or a result in memory. between() adds an intermediate value, in f32 or
  // another type, which has no memory. number() adds a scalar that is passed by the address of a
  // float on the host.
  Number tensor(percale_dtype dtype, const Dims& dims, const Dims& strides);
  Number between(const Dims& dims, const Dims& strides, percale_dtype dtype = PERCALE_DTYPE_F32);
  Number number(size_t rank);

  // Adds a descriptor of a cuDNN type. The following set*() calls apply to it.
  Number add(int type);
  void set(int name, int type, const void* elements, int64_t count, size_t bytes);
  void set(int name, int64_t value) { set(name, abi::kDnnTypeInt64, &value, 1, sizeof value); }
  void set(int name, const Dims& values) {
    set(name, abi::kDnnTypeInt64, values.data(), static_cast<int64_t>(values.size()), values.size() * sizeof(int64_t));
  }
  void set_enum(int name, int type, int value) { set(name, type, &value, 1, sizeof value); }
  void set_flag(int name) {
    const bool yes = true;
    set(name, abi::kDnnTypeBoolean, &yes, 1, sizeof yes);
  }
  void set_scalar(int name, double value, bool wide);
  void set_descriptor(int name, Number other);
  // Marks the last descriptor as an operation of the graph.
  void is_operation() { operations_.push_back(static_cast<Number>(specs_.size()) - 1); }

  // y = f(x), or f(x, b) of shapes that broadcast, in f32. b is -1 if there is none.
  void pointwise(int mode, Number x, Number b, Number y);
  // y (i32) is the position along dim `axis` of each element of x.
  void index(int64_t axis, Number x, Number y);
  // y (bool) is true where a >= b, which are i32.
  void at_least(Number a, Number b, Number y);
  // y is a where `condition` is true, else b.
  void select(Number condition, Number a, Number b, Number y);

  // c = a b, over the last two dims.
  void matmul(Number a, Number b, Number c);
  // y is the memory of x with other dims and strides.
  void reshape(Number x, Number y);
  // y is x reduced over the dims in which y has size 1.
  void reduction(int mode, Number x, Number y);

  // Returns the whole content of the graph as a key for comparison.
  std::string key() const;

  struct Attribute {
    int name, type;
    int64_t count;
    std::vector<std::byte> bytes;
    Number other;  // the number of a descriptor; else -1
  };
  struct Spec {
    int type;
    std::vector<Attribute> attributes;
  };
  const std::vector<Spec>& specs() const { return specs_; }
  const std::vector<Number>& operations() const { return operations_; }

 private:
  Number add_tensor(percale_dtype dtype, const Dims& dims, const Dims& strides);
  // A pointwise operation that computes in a type. `axis` is -1 if the mode has none.
  struct Pointwise {
    int mode, type;
    int64_t axis = -1;
  };
  // Operands that are absent are -1.
  void add_pointwise(const Pointwise& how, Number x, Number b, Number condition, Number y);

  std::vector<Spec> specs_;
  std::vector<Number> operations_;
};

// The engines of cuDNN that are acceptable.
struct DnnRules {
  int64_t workspace = 0;  // most bytes
  bool deterministic = true;
  bool rounds = false;    // tf32 may be used for f32 operands; always true for narrower types
  bool compiles = false;  // cuDNN may compile code for the graph, which takes most of a second
  bool fallback = false;  // use cuDNN's second list, of slow engines that support nearly everything
};

// The target of plans: a GPU by its handle, or the properties of a GPU that is not present.
struct DnnTarget {
  abi::Dnn handle = nullptr;
  abi::DnnDesc properties = nullptr;
};

// Owns a descriptor of cuDNN. Its attributes are set first; then it is finalized.
class DnnDescriptor {
 public:
  DnnDescriptor(const DnnLibrary& lib, int type) : lib_(&lib) {
    DnnLibrary::check(lib.cudnnBackendCreateDescriptor(type, &desc_), "cudnnBackendCreateDescriptor");
  }
  ~DnnDescriptor() {
    if (desc_ != nullptr) lib_->cudnnBackendDestroyDescriptor(desc_);
  }
  DnnDescriptor(DnnDescriptor&& other) noexcept : lib_(other.lib_), desc_(std::exchange(other.desc_, nullptr)) {}
  DnnDescriptor& operator=(DnnDescriptor&&) = delete;

  abi::DnnDesc get() const { return desc_; }
  void set(int name, int type, const void* elements, int64_t count = 1) {
    DnnLibrary::check(lib_->cudnnBackendSetAttribute(desc_, name, type, count, elements), "cudnnBackendSetAttribute");
  }
  void set(int name, const DnnDescriptor& other) { set(name, abi::kDnnTypeDescriptor, &other.desc_); }
  // Returns the number of elements, and stores at most `room` of them.
  int64_t get(int name, int type, int64_t room, void* elements) const {
    int64_t count = 0;
    DnnLibrary::check(lib_->cudnnBackendGetAttribute(desc_, name, type, room, &count, elements),
                      "cudnnBackendGetAttribute");
    return count;
  }
  abi::DnnStatus try_finalize() { return lib_->cudnnBackendFinalize(desc_); }

 private:
  const DnnLibrary* lib_;
  abi::DnnDesc desc_ = nullptr;
};

// The first engine in cuDNN's own order that satisfies the rules. Nothing is measured, so the
// choice is the same everywhere.
class DnnPlan {
 public:
  DnnPlan(const DnnLibrary& lib, const DnnTarget& target, const DnnGraph& graph, const DnnRules& rules);

  bool is_there() const { return plan_ != nullptr; }
  abi::DnnDesc get() const { return plan_->get(); }
  // For diagnostics: the engine's number, the workspace, and the reason why there is no plan.
  int64_t engine() const { return engine_; }
  int64_t workspace() const { return workspace_; }
  const std::string& reason() const { return reason_; }

 private:
  void make(const DnnLibrary& lib, const DnnTarget& target, const DnnGraph& graph, const DnnRules& rules);
  bool choose(const DnnLibrary& lib, const DnnTarget& target, const DnnRules& rules, const DnnDescriptor& graph,
              int mode);

  std::deque<DnnDescriptor> kept_;  // a plan refers to its descriptors as long as it lives
  const DnnDescriptor* plan_ = nullptr;
  int64_t engine_ = -1, workspace_ = 0;
  std::string reason_;
};

// A graph that can run on any device. It is planned once for each device. Thread-safe.
class PlannedGraph {
 public:
  PlannedGraph(DnnGraph graph, const DnnRules& rules) : graph_(std::move(graph)), rules_(rules) {}
  PlannedGraph(const PlannedGraph&) = delete;
  PlannedGraph& operator=(const PlannedGraph&) = delete;

  struct Operand {
    DnnGraph::Number tensor;
    Ptr memory;
  };
  // Returns false and enqueues nothing if cuDNN is not available or has no suitable engine.
  bool run(const Launch& launch, std::span<const Operand> operands, Ptr workspace) const;

 private:
  const DnnPlan& on(Device& device, abi::Dnn dnn) const;

  const DnnGraph graph_;
  const DnnRules rules_;
  mutable std::mutex mutex_;
  mutable std::map<const Device*, std::shared_ptr<const DnnPlan>> devices_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_VENDOR_DNN_GRAPH_H_
