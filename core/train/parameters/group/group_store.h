// Parameters of a group: each rank commits segments of them, and sends these to the others.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_GROUP_GROUP_STORE_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_GROUP_GROUP_STORE_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/train/group/group.h"
#include "core/train/group/segments.h"
#include "core/train/parameters/group/held_segment.h"
#include "core/train/parameters/group/shared_tables.h"
#include "core/train/parameters/parameter_store.h"

namespace percale {

// Every rank has all parameters, averages and statistics, in the working set. The optimizer's slots
// are with the ranks that hold a segment (SegmentHolders); the working set has none. A step is
// adopted when the next values of all segments are here: a rank that is lost within a step has
// changed nothing.
class GroupStore final : public ParameterStore {
 public:
  // Borrows the group, and the graph of `source`.
  static Result<std::unique_ptr<ParameterStore>> create(const SegmentCommit::Source& source, const SegmentRules& rules,
                                                        Group& group, WorkingSet& working);

  Status commit(const StepCommit& step) override;
  // Goes on with the ranks that are left. The step under way was not committed, and must begin
  // again.
  Status recover() override;
  Result<bool> pass(const std::function<Status()>& exchange) override;
  void note_assigned() noexcept override;
  Result<bool> collect() override;
  Status make_slots() override;
  void release_slots() noexcept override;

 private:
  // The progress of a rank, which it tells the others after a failed exchange.
  struct Standing {
    int64_t adopted = 0;     // steps
    int64_t passed = 0;      // calls of pass() whose exchange is done
    bool computed = false;   // the next values of its segments
    std::vector<bool> have;  // segments whose slots it has
  };

  GroupStore(const SegmentCommit::Source& source, Group& group, WorkingSet& working)
      : ParameterStore(working), source_(source), group_(group) {}
  Status lay_out(const SegmentRules& rules);
  bool is_table(size_t parameter) const;
  void add_values(const std::vector<ParameterPart>& parts, bool averages);
  Status make_memory();
  ByteSpan memory_in(size_t run, size_t segment, bool next) const;
  Status add_held(size_t segment);
  HeldSegment* held(size_t segment);
  Status exchange_squares(const std::vector<Tensor>& feeds);
  Status compute(const StepCommit& step);
  Status exchange_values(const StepCommit& step);
  void adopt() noexcept;
  void discard() noexcept;
  Status collect_slots();
  Status confirm_collected();

  Result<bool> recover_step(const StepCommit* step);
  Status settle_step(const StepCommit* step);
  Result<std::vector<Standing>> exchange_standings();
  bool can_complete(const std::vector<Standing>& standings) const;
  Status help_behind(const std::vector<Standing>& standings, int64_t newest);
  Status transfer(const std::vector<SegmentHolders::Transfer>& transfers);

  const SegmentCommit::Source source_;
  Group& group_;
  std::vector<ParameterPart> parts_;     // of all parameters; ParameterPart::device is the segment
  std::vector<SharedSegment> segments_;  // all of them
  // The variables that are `values` of segments, in the order of their memory, and memory of their
  // next values. A step is adopted by exchanging it with that of the working set.
  std::vector<size_t> shared_;
  std::vector<Tensor> next_;
  // Runs of variables whose parts of a segment follow each other in memory: the parameters of a
  // bucket, or their averages. The number of the last `value` + 1, by segment.
  std::vector<std::vector<size_t>> run_ends_;
  std::vector<std::unique_ptr<HeldSegment>> held_;
  std::optional<SharedTables> tables_;
  std::vector<Tensor> next_statistics_;
  // The squares of all parameters if the commit needs them, and the number of the first one of each
  // segment.
  std::vector<Tensor> squares_;
  std::vector<size_t> first_square_;
  int64_t adopted_ = 0, passed_ = 0;  // see Standing
  // The next values of the held segments, of the step under way.
  bool computed_ = false;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_GROUP_GROUP_STORE_H_
