// A segment of the parameters, as all ranks of a group know it, and as those do that hold it.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_GROUP_HELD_SEGMENT_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_GROUP_HELD_SEGMENT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "core/train/parameters/group/segment_commit.h"
#include "core/train/parameters/working_set.h"

namespace percale {

// Some rows of a variable of the working set.
using StatePart = PsCommit::View;

// The parts of a segment, which every rank knows.
struct SharedSegment {
  std::vector<StatePart> values;  // parameters and averages, which every rank has
  std::vector<StatePart> slots, table_slots;
  // The `values`, which are parts of the working set's memory, and the next ones.
  std::vector<Tensor> present, next;

  // Adds the slots of a part of a parameter, apart from an average. `table`: it trains by rows.
  void add_slots(const TrainGraph& graph, const Optimizer& optimizer, const WorkingSet& working,
                 const ParameterPart& part, bool table);
};
// The types of such parts.
std::vector<ValueType> part_types(const TrainGraph& graph, const std::vector<StatePart>& parts);

// Computes the next values of a segment, and has its slots. Thread-compatible.
class HeldSegment {
 public:
  // Borrows `shared` and the working set. The slots have the values of the working set, as far as
  // it has them.
  static Result<std::unique_ptr<HeldSegment>> create(const SegmentCommit::Source& source, size_t number,
                                                     std::vector<ParameterPart> parts, bool all,
                                                     const SharedSegment& shared, const WorkingSet& working);

  size_t number() const { return number_; }
  bool needs_squares() const { return commit_.needs_squares(); }
  // The squares of the gradients of its parameters.
  Status compute_squares(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares) {
    return commit_.compute_squares(feeds, state(), squares);
  }
  // Computes the next values and slots; tables and their slots change in place. `statistics`:
  // memory of their next values.
  Status compute(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares,
                 const std::vector<Tensor>& statistics, Trace* trace);
  Status change_tables(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares, Trace* trace);
  // The next slots are the slots from now on.
  void adopt() noexcept { slots_.swap(next_slots_); }
  // Slots that the working set has become those of the segment.
  void take_slots() noexcept;
  const std::vector<Tensor>& slots() const { return slots_; }
  const std::vector<Tensor>& table_slots() const { return table_slots_; }

 private:
  // A variable of the commit: a table, or the part of this number in one of the other lists.
  enum class Kind : uint8_t { kValue, kSlot, kTableSlot, kStatistic, kTable };
  struct Place {
    Kind kind = Kind::kTable;
    size_t number = 0;
  };
  HeldSegment(size_t number, SegmentCommit commit, const SharedSegment& shared, const WorkingSet& working);
  Place place_of(const StatePart& variable) const;
  SegmentCommit::State state() const;

  const size_t number_;
  SegmentCommit commit_;
  const SharedSegment& shared_;
  const WorkingSet& working_;
  std::vector<Place> places_;  // of the commit's variables
  std::vector<Tensor> slots_, next_slots_, table_slots_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_GROUP_HELD_SEGMENT_H_
