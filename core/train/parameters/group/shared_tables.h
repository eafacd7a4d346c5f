// Tables that train by rows, of which every rank of a group has a copy and one rank commits each.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_GROUP_SHARED_TABLES_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_GROUP_SHARED_TABLES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/train/group/group.h"
#include "core/train/parameters/working_set.h"
#include "core/train/shards/row_gradients.h"

namespace percale {

// A commit changes a table in place. Only the rows that a step looked up are kept for the case that
// it fails, and only these are sent, so that a step takes no longer for a large table.
// Thread-compatible.
class SharedTables {
 public:
  struct Table {
    size_t variable = 0;  // of the working set
    size_t segment = 0;   // whose holders commit it
  };
  // Borrows the group and the working set. `tables`: in the order of RowGradients.
  SharedTables(Group& group, WorkingSet& working, std::vector<Table> tables, std::shared_ptr<MemoryPool> memory);

  // Keeps the rows of the step that a commit of the segment will change, of its tables and of their
  // slots, so that undo() can bring them back. `slots`: as many for each table.
  Status keep(const RowGradients& step, size_t segment, const std::vector<Tensor>& slots);
  void undo() noexcept;
  // The first holders send the rows that the step has changed.
  Status exchange(const RowGradients& step);
  // Writes the rows that were received.
  void adopt() noexcept;
  // The tables, whole.
  std::vector<Tensor> values() const;

 private:
  // Rows of a tensor outside of it: number by number, as often as the step has them.
  struct Rows {
    Tensor whole, numbers, values;
  };
  Result<Rows> gather(const Tensor& whole, const Tensor& numbers) const;
  static void scatter(const Rows& rows) noexcept;

  Group& group_;
  WorkingSet& working_;
  const std::vector<Table> tables_;
  const std::shared_ptr<MemoryPool> memory_;
  std::vector<Rows> kept_, received_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_GROUP_SHARED_TABLES_H_
