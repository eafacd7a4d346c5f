// The contents that a run reads, and their versions.
#ifndef PERCALE_CORE_SESSION_CONTEXT_RUN_VALUES_H_
#define PERCALE_CORE_SESSION_CONTEXT_RUN_VALUES_H_

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace percale {

// A version number tells that contents are the same as before; -1 means unknown contents. Lists of
// versions are per variable of the graph and borrowed until the end of the run.
struct ValueVersions {
  // Changes whenever any variable changes. Values that depend on variables alone are computed once
  // per number, and in every run if it is -1.
  int64_t all = -1;
  // Identifies the contents of each variable in the memory of devices, wherever the host's tensor
  // lies. Null: `all` and the address of the tensor do.
  const std::vector<int64_t>* each = nullptr;
  // The versions of the values that the run computes for RunBinding's fetches. Null: no device
  // keeps them.
  const std::vector<int64_t>* next = nullptr;
};

// Plans of RunBinding::exclusive() need of_caller(). Only valid combinations can be made.
class RunValues {
 public:
  // The session's table of variables, in its newest version.
  RunValues() = default;
  // `variables`: in the order of the graph's variables. Borrowed until the end of the run.
  static RunValues of_caller(const std::vector<Tensor>& variables, ValueVersions versions = {}) {
    RunValues out;
    out.variables_ = &variables;
    out.versions_ = versions;
    return out;
  }
  // The same with the versions of the resident values that the run reads and computes.
  RunValues with_resident(int64_t read, int64_t computed) const {
    RunValues out = *this;
    out.resident_ = read;
    out.next_resident_ = computed;
    return out;
  }

  bool are_callers() const { return variables_ != nullptr; }
  // Null unless are_callers().
  const std::vector<Tensor>* variables() const { return variables_; }
  const ValueVersions& versions() const { return versions_; }
  int64_t resident_version() const { return resident_; }
  int64_t next_resident_version() const { return next_resident_; }

 private:
  const std::vector<Tensor>* variables_ = nullptr;
  ValueVersions versions_;
  int64_t resident_ = -1, next_resident_ = -1;
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_CONTEXT_RUN_VALUES_H_
