// The rows of tables that shards look up, copied for shards that do not get whole tables.
#ifndef PERCALE_CORE_TRAIN_STEP_ROW_LOOKUPS_H_
#define PERCALE_CORE_TRAIN_STEP_ROW_LOOKUPS_H_

#include <memory>
#include <vector>

#include "core/session/session.h"
#include "core/train/parallel/replica_devices.h"
#include "core/train/rewrite/train_graph.h"

namespace percale {

// Makes the inputs of compute that take_out_lookups() has added: per table its rows, then the
// positions of each lookup. A shard that looks up n row numbers gets n + 1 rows, or all rows of a
// smaller table and one more; each row is there once. Thread-safe.
class RowLookups {
 public:
  // Borrows the graph. `host_group`: where row numbers are computed.
  RowLookups(std::shared_ptr<Session> session, std::shared_ptr<MemoryPool> memory, const TrainGraph& graph,
             DeviceGroup host_group);

  bool empty() const { return graph_.lookups.tables.empty(); }
  // Appends the types of these inputs. `feeds`: those of a shard. UNIMPLEMENTED if only a run tells
  // how many rows it looks up.
  Status append_types(std::vector<ValueType>& feeds) const;
  // The inputs for a shard with these feeds. `variables`: in the order of the graph's. OUT_OF_RANGE
  // for a row that a table lacks.
  Result<std::vector<Tensor>> look_up(const std::vector<Tensor>& feeds, const std::vector<Tensor>& variables) const;

 private:
  using Table = TableLookups::Table;
  Result<std::shared_ptr<const Plan>> plan(const std::vector<ValueType>& feeds) const;
  Shape rows_shape(const Table& table, int64_t looked_up) const;
  Status copy_rows(const Table& table, const Tensor* numbers, const Tensor& from, std::vector<Tensor>& out) const;

  const std::shared_ptr<Session> session_;
  const std::shared_ptr<MemoryPool> memory_;
  const TrainGraph& graph_;
  const DeviceGroup host_group_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_STEP_ROW_LOOKUPS_H_
