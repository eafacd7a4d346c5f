// Parameters of a group: each rank commits a segment of them, and sends it to the others.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_GROUP_GROUP_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_GROUP_GROUP_STORE_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/train/group/group.h"
#include "core/train/parameters/parameter_store.h"
#include "core/train/parameters/group/segment_commit.h"
#include "core/train/parameters/group/shared_tables.h"

namespace percale {

// Every rank has all parameters, averages and statistics, in the working set. The optimizer's slots
// exist once in the group: the rank that commits a segment has those of the segment, here, and the
// working set has none. A step is adopted when the next values of all segments are here: a rank
// that is lost within a step has changed nothing.
class GroupStore final : public ParameterStore {
 public:
  // Borrows the group, and the graph of `source`.
  static Result<std::unique_ptr<ParameterStore>> create(const SegmentCommit::Source& source, Group& group,
                                                        WorkingSet& working);

  Status commit(const StepCommit& step) override;
  void note_assigned() noexcept override;
  Result<bool> collect() override;
  Status make_slots() override;
  void release_slots() noexcept override;

 private:
  // Some rows of a variable of the working set.
  using Part = PsCommit::View;
  // The part of the state that a rank commits.
  struct Segment {
    std::vector<Part> shared;  // values that it sends to the others
    std::vector<Part> slots, table_slots;
    std::vector<Tensor> next;  // of `shared`
  };
  // A variable of the own commit: a table, or the part of this number in one of the other lists.
  enum class Kind : uint8_t { kShared, kSlot, kTableSlot, kStatistic, kTable };
  struct Place {
    Kind kind = Kind::kTable;
    size_t number = 0;
  };

  GroupStore(const SegmentCommit::Source& source, Group& group, WorkingSet& working)
      : ParameterStore(working), graph_(*source.graph), memory_(source.memory), group_(group) {}
  Status lay_out(const SegmentCommit::Source& source);
  void add_to_segment(const SegmentCommit::Source& source, const ParameterPart& part);
  Place place_of(const Part& variable);
  Status make_memory();
  std::vector<ValueType> types_of(const std::vector<Part>& parts) const;
  Segment& own() { return segments_[group_.rank()]; }
  SegmentCommit::State state();
  Status exchange_squares(const std::vector<Tensor>& feeds);
  Status compute(const StepCommit& step);
  Status exchange_values(const StepCommit& step);
  void adopt() noexcept;

  const TrainGraph& graph_;
  const std::shared_ptr<MemoryPool> memory_;
  Group& group_;
  std::vector<Segment> segments_;  // by rank
  std::optional<SegmentCommit> commit_;
  std::vector<Place> places_;  // of the variables of the own commit
  std::vector<Tensor> slots_, next_slots_, table_slots_, next_statistics_;
  std::optional<SharedTables> tables_;
  // The squares of all parameters if the commit needs them, and the first ones of each rank's.
  std::vector<Tensor> squares_;
  std::vector<size_t> first_square_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_GROUP_GROUP_STORE_H_
