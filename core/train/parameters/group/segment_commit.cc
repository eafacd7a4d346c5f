#include "core/train/parameters/group/segment_commit.h"

#include <algorithm>
#include <utility>

#include "core/train/parameters/working_set.h"

namespace percale {
namespace {

std::vector<Tensor> views_of(const std::vector<Tensor>& feeds, const std::vector<PsCommit::View>& views) {
  std::vector<Tensor> out;
  for (const PsCommit::View& view : views) out.push_back(view_of(feeds[view.of], view));
  return out;
}

// `variable` is the parameter or one of its slots, whose names begin with it.
bool belongs_to(const Variable& variable, const Variable& parameter) {
  return variable.name == parameter.name || (variable.slot && variable.name.starts_with(parameter.name + "/"));
}

}  // namespace

Result<SegmentCommit> SegmentCommit::create(const Source& source, std::vector<ParameterPart> parts, bool all) {
  SegmentCommit out;
  for (ParameterPart& part : parts) part.device = 0;
  const std::vector<PsDevice> host = {{.name = "", .on_host = true}};
  PERCALE_ASSIGN_OR_RETURN(out.parts_, build_ps_commit(*source.graph, source.optimizer, parts, host, !all));
  out.squares_ = !all && source.optimizer.clip_norm > 0;
  out.sort_updates(*source.graph);
  out.make_runs(source.host_group);
  SessionOptions session;
  session.memory = source.memory;
  PERCALE_ASSIGN_OR_RETURN(out.session_, Session::create(source.engine, out.parts_.graph, nullptr, std::move(session)));
  return out;
}

void SegmentCommit::sort_updates(const TrainGraph& graph) {
  for (const PsCommit::View& view : parts_.variables) {
    const Variable& variable = graph.graph->variables[view.of];
    in_place_.push_back(std::ranges::any_of(
        graph.by_rows, [&](size_t table) { return belongs_to(variable, graph.parameters[table]); }));
  }
  source_of_.assign(parts_.variables.size(), 0);
  for (const PsCommit::Update& update : parts_.updates) {
    if (in_place_[update.variable]) {
      tables_.spec.targets.push_back(update.node);
      continue;
    }
    const auto input = std::ranges::find(parts_.input_names, update.value);
    if (input != parts_.input_names.end()) {
      source_of_[update.variable] = ~(input - parts_.input_names.begin());
      continue;
    }
    source_of_[update.variable] = static_cast<int64_t>(values_.spec.fetches.size());
    values_.spec.fetches.push_back(update.value);
  }
}

void SegmentCommit::make_runs(const DeviceGroup& host_group) {
  values_.spec = next_values_spec(kCommitFunction, parts_.input_names, std::move(values_.spec.fetches), host_group);
  tables_.spec = parts_spec(parts_.input_names, std::move(tables_.spec.targets), host_group);
  squares_run_.spec =
      next_values_spec(kSquaresFunction, parts_.squares.input_names, parts_.squares.outputs, host_group);
}

Result<const Plan*> SegmentCommit::plan(Run& run, const std::vector<Tensor>& feeds) {
  std::vector<ValueType> types;
  for (const Tensor& t : feeds) types.push_back({t.dtype(), t.shape()});
  if (run.plan == nullptr || types != run.planned_for) {
    run.plan = nullptr;
    PERCALE_ASSIGN_OR_RETURN(run.plan, session_->prepare(run.spec, types));
    run.planned_for = std::move(types);
  }
  return run.plan.get();
}

std::vector<Tensor> SegmentCommit::own_feeds(const std::vector<Tensor>& feeds,
                                             const std::vector<Tensor>& squares) const {
  std::vector<Tensor> out = views_of(feeds, parts_.inputs);
  if (squares_) out.insert(out.end(), squares.begin(), squares.end());
  return out;
}

Status SegmentCommit::compute_squares(const std::vector<Tensor>& feeds, const State& state,
                                      const std::vector<Tensor>& squares) {
  if (squares.empty()) return {};
  const std::vector<Tensor> own = views_of(feeds, parts_.squares.inputs);
  PERCALE_ASSIGN_OR_RETURN(const Plan* const planned, plan(squares_run_, own));
  std::vector<Tensor> outputs = squares;
  const RunValues values = RunValues::of_caller(state.values, {.each = &state.versions});
  return session_->run(*planned, own, outputs, commit_options(values, true, nullptr));
}

Status SegmentCommit::compute(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares, const State& state,
                              const std::vector<Tensor>& next, Trace* trace) {
  const std::vector<Tensor> own = own_feeds(feeds, squares);
  std::vector<Tensor> outputs(values_.spec.fetches.size());
  for (size_t i = 0; i < source_of_.size(); ++i) {
    if (in_place_[i]) continue;
    if (source_of_[i] >= 0) {
      outputs[static_cast<size_t>(source_of_[i])] = next[i];
    } else {
      copy_contents(own[static_cast<size_t>(~source_of_[i])], next[i]);
    }
  }
  if (outputs.empty()) return {};
  PERCALE_ASSIGN_OR_RETURN(const Plan* const planned, plan(values_, own));
  const RunValues values = RunValues::of_caller(state.values, {.each = &state.versions});
  return session_->run(*planned, own, outputs, commit_options(values, true, trace));
}

Status SegmentCommit::change_tables(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares,
                                    const State& state, Trace* trace) {
  if (tables_.spec.targets.empty()) return {};
  const std::vector<Tensor> own = own_feeds(feeds, squares);
  PERCALE_ASSIGN_OR_RETURN(const Plan* const planned, plan(tables_, own));
  const RunValues values = RunValues::of_caller(state.values, {.each = &state.versions});
  return session_->run(*planned, own, {}, commit_options(values, true, trace));
}

}  // namespace percale
