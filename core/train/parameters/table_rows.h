// The rows of tables that devices with parts of them exchange with the host in a commit.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_TABLE_ROWS_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_TABLE_ROWS_H_

#include <memory>
#include <vector>

#include "core/train/parameters/ps_commit.h"

namespace percale {

// Divides the row-sparse gradients of a step among the parts of cut tables: makes the inputs of
// PsCommit::tables. `all`: the inputs of the training graph's commit. A part gets its rows in their
// order, and then unused ones (-1). Their number is the least power of two that suffices for all
// parts of a table, so that steps rarely differ in their types.
Status cut_table_rows(const PsCommit& parts, const std::vector<Tensor>& all, const std::shared_ptr<MemoryPool>& memory,
                      std::vector<Tensor>& inputs);

// Writes changed rows into their table. `rows`: their numbers; -1: unused.
void write_rows(const Tensor& rows, const Tensor& values, const Tensor& table) noexcept;

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_TABLE_ROWS_H_
