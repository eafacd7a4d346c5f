// Chooses a kernel for a node and plans it.
#ifndef PERCALE_CORE_PLAN_KERNEL_CHOICE_H_
#define PERCALE_CORE_PLAN_KERNEL_CHOICE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/registry/kernel.h"
#include "core/registry/registry.h"

namespace percale {

// A kernel and the state that its plan() returned. All runs of a program share it.
class PlannedKernel {
 public:
  // Plans a node that the kernel accepts. With `grant_formats` the kernel may request operands that
  // are not row-major.
  static Result<std::unique_ptr<PlannedKernel>> plan(const Kernel& kernel, const NodeView& view,
                                                     bool grant_formats = false);
  ~PlannedKernel() {
    if (kernel_.destroy != nullptr && state_ != nullptr) kernel_.destroy(state_);
  }
  PlannedKernel(const PlannedKernel&) = delete;
  PlannedKernel& operator=(const PlannedKernel&) = delete;

  const char* name() const { return kernel_.name; }
  int64_t scratch_bytes() const { return scratch_bytes_; }
  // Returns the format that the kernel requests for an operand, or null for row-major. Operands are
  // numbered inputs first, then outputs.
  const Format* format(size_t operand) const {
    for (const auto& [at, format] : formats_) {
      if (at == operand) return &format;
    }
    return nullptr;
  }
  // In-place pairs in addition to those of the schema.
  const std::vector<InPlace>& in_place() const { return in_place_; }
  const void* state() const { return state_; }
  auto run_function() const { return kernel_.run; }
  void run(const percale_launch& launch) const { kernel_.run(state_, &launch); }

 private:
  explicit PlannedKernel(const Kernel& kernel) : kernel_(kernel) {}
  Kernel kernel_;
  void* state_ = nullptr;
  int64_t scratch_bytes_ = 0;
  std::vector<std::pair<size_t, Format>> formats_;
  std::vector<InPlace> in_place_;
};

// The reason why a kernel of the list was not chosen.
struct Refusal {
  std::string kernel, reason;
};

// Returns the first kernel of the list that accepts the node, planned. Kernels that refused before
// it are added to `refusals` (may be null). If none accepts, UNIMPLEMENTED names op, dtypes and
// every reason.
Result<std::unique_ptr<PlannedKernel>> choose_kernel(const Registry& registry, std::string_view device_kind,
                                                     const NodeView& view, std::vector<Refusal>* refusals,
                                                     bool grant_formats = false);

// Returns the status of a failed run from a node and the error word that one of its kernels set.
Status run_error_status(const OpSchema& schema, std::string_view node, const RunContext& run);

}  // namespace percale

#endif  // PERCALE_CORE_PLAN_KERNEL_CHOICE_H_
