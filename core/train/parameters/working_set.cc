#include "core/train/parameters/working_set.h"

#include <algorithm>
#include <cstring>

#include "core/train/parameters/whole_step.h"

namespace percale {
namespace {

size_t index_of(const Graph& graph, const std::string& variable) {
  return static_cast<size_t>(graph.find_variable(variable) - graph.variables.data());
}

}  // namespace

void copy_contents(const Tensor& from, const Tensor& to) noexcept {
  if (to.bytes() > 0) std::memcpy(to.data(), from.data(), static_cast<size_t>(to.bytes()));
}

Result<std::unique_ptr<WorkingSet>> WorkingSet::create(const TrainGraph& graph, std::span<const Tensor> first,
                                                       bool averaged, const std::shared_ptr<MemoryPool>& memory) {
  std::unique_ptr<WorkingSet> out(new WorkingSet);
  const std::vector<Variable>& variables = graph.graph->variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(Tensor own, Tensor::allocate(memory, variables[i].dtype, variables[i].shape));
    copy_contents(first[i], own);
    out->values_.push_back(std::move(own));
  }
  out->committed_.assign(variables.size(), false);
  for (const NextValue& next : next_values(*graph.graph)) out->committed_[static_cast<size_t>(next.variable)] = true;
  for (const Variable& v : graph.parameters) out->trained_.push_back(index_of(*graph.graph, v.name));
  for (const Variable& v : graph.statistics) {
    out->statistics_.push_back(index_of(*graph.graph, v.name));
    out->trained_.push_back(out->statistics_.back());
  }
  for (const Variable& v : variables) {
    const auto is_average = [&](const Variable& other) { return other.slot && other.name == average_name(v.name); };
    const auto found = averaged ? std::ranges::find_if(variables, is_average) : variables.end();
    out->averages_.push_back(found == variables.end() ? -1 : static_cast<int32_t>(found - variables.begin()));
  }
  out->versions_.resize(variables.size());
  out->note_assigned();
  return out;
}

int64_t WorkingSet::committed_bytes() const {
  int64_t out = 0;
  for (size_t i = 0; i < values_.size(); ++i) out += committed_[i] ? values_[i].bytes() : 0;
  return out;
}

size_t WorkingSet::served_at(size_t i, int64_t steps) const {
  return averages_[i] >= 0 && steps > 0 ? static_cast<size_t>(averages_[i]) : i;
}

void WorkingSet::assign(size_t i, const Tensor& value) noexcept {
  copy_contents(value, values_[i]);
  if (averages_[i] >= 0) copy_contents(value, values_[static_cast<size_t>(averages_[i])]);
}

void WorkingSet::note_state(bool all) noexcept {
  ++state_version_;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (all || committed_[i]) versions_[i] = version_number(state_version_, i);
  }
}

void WorkingSet::note_assigned() noexcept { note_state(true); }

void WorkingSet::note_commit(bool succeeded) noexcept {
  if (!succeeded) ++state_version_;
  note_state(false);
}

std::vector<int64_t> WorkingSet::versions_after(int64_t state) const {
  std::vector<int64_t> out = versions_;
  for (size_t i = 0; i < out.size(); ++i) {
    if (committed_[i]) out[i] = version_number(state, i);
  }
  return out;
}

}  // namespace percale
