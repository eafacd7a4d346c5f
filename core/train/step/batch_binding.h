// Fits the tensors of a batch to the inputs of a model.
#ifndef PERCALE_CORE_TRAIN_STEP_BATCH_BINDING_H_
#define PERCALE_CORE_TRAIN_STEP_BATCH_BINDING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/tensor/tensor.h"
#include "core/train/shards/batch_cut.h"

namespace percale {

struct BoundBatch {
  std::vector<Tensor> feeds;  // in the order of the inputs
  int64_t rows = 0;
};

// Binds the tensors called `names` to these inputs of `f`. Whole numbers of any type become i64
// where the input is; images without a channel dim get one. INVALID_ARGUMENT names the input that
// does not fit.
Result<BoundBatch> bind_batch(const Function& f, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& names, const std::vector<Tensor>& batch,
                              const std::shared_ptr<MemoryPool>& memory);

// Rows [begin, end) of a tensor: a view where kernels may read it as it lies, else a copy.
Result<Tensor> rows_of(const Tensor& tensor, const ShardRows& rows, const std::shared_ptr<MemoryPool>& memory);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_BATCH_BINDING_H_
