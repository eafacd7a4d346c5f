// The structs behind handles that several files use.
#ifndef PERCALE_C_API_HANDLES_H_
#define PERCALE_C_API_HANDLES_H_

#include <memory>

#include "c_api/api.h"
#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

struct percale_tensor : percale::c_api::Counted {
  explicit percale_tensor(percale::Tensor t) : tensor(std::move(t)) {}
  percale::Tensor tensor;  // set once, before the handle is given out
};

struct percale_graph : percale::c_api::Counted {
  explicit percale_graph(std::shared_ptr<const percale::Graph> g) : graph(std::move(g)) {}
  std::shared_ptr<const percale::Graph> graph;  // set once, before the handle is given out
};

namespace percale::c_api {

// Memory of the host, as a buffer. Until take_over() its end leaves the memory to the host, because
// a call that fails has taken nothing over.
class HostMemory {
 public:
  HostMemory(void* data, int64_t bytes, percale_deleter deleter, void* user);
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }
  // From now on `deleter` is called when the last user of the buffer is gone.
  void take_over();

 private:
  struct Lease;
  Lease* lease_;  // the buffer ends it
  std::shared_ptr<Buffer> buffer_;
};

// A tensor over memory that `deleter` ends (may be null), called once and never when this fails.
Status borrow(const char* function, DType dtype, const Shape& shape, void* data, percale_deleter deleter, void* user,
              percale_tensor** out_tensor);

// The tensors of `count` handles, none of them null.
inline std::vector<Tensor> tensors_of(percale_tensor* const* handles, size_t count) {
  std::vector<Tensor> out;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) out.push_back(handles[i]->tensor);
  return out;
}

// A new handle for each tensor; all of them, or none and bad_alloc.
inline void give_tensors(std::vector<Tensor> tensors, percale_tensor** out) {
  std::vector<std::unique_ptr<percale_tensor>> made;
  made.reserve(tensors.size());
  for (Tensor& tensor : tensors) made.push_back(std::make_unique<percale_tensor>(std::move(tensor)));
  for (size_t i = 0; i < made.size(); ++i) out[i] = made[i].release();
}

}  // namespace percale::c_api

#endif  // PERCALE_C_API_HANDLES_H_
