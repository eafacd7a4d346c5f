// Brings the row-sparse gradients of a batch to the ranks that commit them.
#ifndef PERCALE_CORE_TRAIN_GROUP_ROW_EXCHANGE_H_
#define PERCALE_CORE_TRAIN_GROUP_ROW_EXCHANGE_H_

#include <vector>

#include "core/train/group/group.h"
#include "core/train/shards/row_gradients.h"

namespace percale {

// Precondition: `rows` has those of the own shards, out of `shards`. Then the ranks that hold
// segment segments[i] have those of all shards for table `i`, in the order of shards, as one
// process has them.
Status exchange_rows(Group& group, const std::vector<size_t>& segments, int64_t shards, const RowGradients& rows);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_GROUP_ROW_EXCHANGE_H_
