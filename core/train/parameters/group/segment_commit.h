// Computes the next values of the parameters that one rank of a group commits.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_GROUP_SEGMENT_COMMIT_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_GROUP_SEGMENT_COMMIT_H_

#include <memory>
#include <string>
#include <vector>

#include "core/session/session.h"
#include "core/train/parameters/ps_commit.h"
#include "core/train/parameters/train_runs.h"

namespace percale {

// Tables that train by rows are changed in place, because a step is to take no longer for a large
// table; for all other variables the next values are computed beside the present ones.
// Thread-compatible.
class SegmentCommit {
 public:
  struct Source {
    std::shared_ptr<Engine> engine;
    std::shared_ptr<MemoryPool> memory;
    const TrainGraph* graph = nullptr;  // borrowed by create()
    Optimizer optimizer;
    DeviceGroup host_group;
  };
  // The state that a commit reads, in the order of variables().
  struct State {
    std::vector<Tensor> values;
    std::vector<int64_t> versions;
  };
  // `parts`: of parameters, in their order; `device` is not read. `all`: there are no others.
  static Result<SegmentCommit> create(const Source& source, std::vector<ParameterPart> parts, bool all);

  // The variables of the commit, as views of those of the training graph: parts of parameters, each
  // with its slots, then all statistics.
  const std::vector<PsCommit::View>& variables() const { return parts_.variables; }
  // True if compute() needs the squares of all parameters.
  bool needs_squares() const { return squares_; }
  // The squares of the own parameters, scalars in their order, into `squares`. `feeds`: of the
  // commit, in the order of CommitLayout.
  Status compute_squares(const std::vector<Tensor>& feeds, const State& state, const std::vector<Tensor>& squares);
  // Writes the next value of each variable that is not in place into next[i]. `squares`: of all
  // parameters, if they are needed.
  Status compute(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares, const State& state,
                 const std::vector<Tensor>& next, Trace* trace);
  // Changes the variables that are in place.
  Status change_tables(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares, const State& state,
                       Trace* trace);

 private:
  // A run of the session, planned for the types of its feeds.
  struct Run {
    RunSpec spec;
    std::vector<ValueType> planned_for;
    std::shared_ptr<const Plan> plan;
  };
  SegmentCommit() = default;
  void sort_updates(const TrainGraph& graph);
  void make_runs(const DeviceGroup& host_group);
  Result<const Plan*> plan(Run& run, const std::vector<Tensor>& feeds);
  std::vector<Tensor> own_feeds(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares) const;

  PsCommit parts_;
  std::shared_ptr<Session> session_;
  bool squares_ = false;
  std::vector<bool> in_place_;  // per variable: a table that trains by rows, or a slot of one
  // Per variable that is not in place: the number of its fetch, or ~ the number of the input that
  // is its next value.
  std::vector<int64_t> source_of_;
  Run values_, tables_, squares_run_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_GROUP_SEGMENT_COMMIT_H_
