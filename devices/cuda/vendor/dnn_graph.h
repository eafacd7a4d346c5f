// cuDNN's graph API: graphs of its operations as data, and what it plans for them.
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

// cuDNN's number of a type of floats.
int dnn_type(percale_dtype dtype);

// Descriptors in the order in which they are made, operations last. Nothing here asks cuDNN anything.
class DnnGraph {
 public:
  // A descriptor, or a tensor by which run() is given its memory; numbers begin at 0.
  using Number = int64_t;

  // Operands and results lie in memory; what is between operations, f32 or another type, does not. A number is handed in by the address of
  // a float of the host.
  Number tensor(percale_dtype dtype, const Dims& dims, const Dims& strides);
  Number between(const Dims& dims, const Dims& strides, percale_dtype dtype = PERCALE_DTYPE_F32);
  Number number(size_t rank);

  // A descriptor of cuDNN's type; what is set next is set of it.
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
  // What was added last is an operation of the graph.
  void is_operation() { operations_.push_back(static_cast<Number>(specs_.size()) - 1); }

  // y = f(x), or f(x, b) of shapes that broadcast; b: -1 where there is none.
  void pointwise(int mode, Number x, Number b, Number y);

  // c = a b, of the last two dims.
  void matmul(Number a, Number b, Number c);
  // y is the memory of x, by other dims and strides.
  void reshape(Number x, Number y);
  // y = x joined over the dims that y has one of.
  void reduction(int mode, Number x, Number y);

  // All that it says, for comparing.
  std::string key() const;

  struct Attribute {
    int name, type;
    int64_t count;
    std::vector<std::byte> bytes;
    Number other;  // of a descriptor; else -1
  };
  struct Spec {
    int type;
    std::vector<Attribute> attributes;
  };
  const std::vector<Spec>& specs() const { return specs_; }
  const std::vector<Number>& operations() const { return operations_; }

 private:
  Number add_tensor(percale_dtype dtype, const Dims& dims, const Dims& strides);

  std::vector<Spec> specs_;
  std::vector<Number> operations_;
};

// What of cuDNN's offers will do.
struct DnnRules {
  int64_t workspace = 0;  // bytes, at most
  bool deterministic = true;
  bool rounds = false;    // operands of f32 may be taken as tf32; always true of narrower types
  bool compiles = false;  // code that cuDNN compiles for the graph, which takes it most of a second
  bool fallback = false;  // its second list, of what does nearly everything, slowly
};

// Whom plans are made for: a GPU by its handle, or the properties of one that is not there.
struct DnnTarget {
  abi::Dnn handle = nullptr;
  abi::DnnDesc properties = nullptr;
};

// A descriptor that is given back. Its attributes are set, then it is finalized.
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
  // How many there are, and as many of them as there is room for.
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

// The first of cuDNN's offers, in its own order, that will do: nothing is measured, so that the choice is the same everywhere.
class DnnPlan {
 public:
  DnnPlan(const DnnLibrary& lib, const DnnTarget& target, const DnnGraph& graph, const DnnRules& rules);

  bool is_there() const { return plan_ != nullptr; }
  abi::DnnDesc get() const { return plan_->get(); }
  // For those who look at it: the engine's number, the workspace, why there is none.
  int64_t engine() const { return engine_; }
  int64_t workspace() const { return workspace_; }
  const std::string& reason() const { return reason_; }

 private:
  void make(const DnnLibrary& lib, const DnnTarget& target, const DnnGraph& graph, const DnnRules& rules);
  bool choose(const DnnLibrary& lib, const DnnTarget& target, const DnnRules& rules, const DnnDescriptor& graph,
              int mode);

  std::deque<DnnDescriptor> kept_;  // a plan reads what it was made of for as long as it lives
  const DnnDescriptor* plan_ = nullptr;
  int64_t engine_ = -1, workspace_ = 0;
  std::string reason_;
};

// A graph that runs on any device; it is planned once for each. Thread-safe.
class PlannedGraph {
 public:
  PlannedGraph(DnnGraph graph, const DnnRules& rules) : graph_(std::move(graph)), rules_(rules) {}
  PlannedGraph(const PlannedGraph&) = delete;
  PlannedGraph& operator=(const PlannedGraph&) = delete;

  struct Operand {
    DnnGraph::Number tensor;
    Ptr memory;
  };
  // False, and nothing was enqueued, where cuDNN is not there or has nothing that will do.
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
