#include "core/train/parameters/group/held_segment.h"

#include <algorithm>
#include <utility>

#include "core/train/shards/averaging.h"

namespace percale {
namespace {

// The place of `value` in the list; the size of the list if it is not there.
template <class T>
size_t place_in(const std::vector<T>& list, const T& value) {
  return static_cast<size_t>(std::ranges::find(list, value) - list.begin());
}

}  // namespace

void SharedSegment::add_slots(const TrainGraph& graph, const Optimizer& optimizer, const WorkingSet& working,
                              const ParameterPart& part, bool table) {
  const Variable& parameter = graph.parameters[part.parameter];
  const int32_t average = working.average_of(working.trained()[part.parameter]);
  for (const Variable& slot : slot_variables(optimizer, parameter)) {
    const auto at = static_cast<size_t>(graph.graph->find_variable(slot.name) - graph.graph->variables.data());
    if (!table && average == static_cast<int32_t>(at)) continue;
    (table ? table_slots : slots).push_back({at, part.begin, part.end});
  }
}

std::vector<ValueType> part_types(const TrainGraph& graph, const std::vector<StatePart>& parts) {
  std::vector<ValueType> out;
  for (const StatePart& part : parts) {
    const Variable& v = graph.graph->variables[part.of];
    ValueType& type = out.emplace_back(ValueType{v.dtype, v.shape});
    if (part.end >= 0) type.shape[0] = part.end - part.begin;
  }
  return out;
}

HeldSegment::HeldSegment(size_t number, SegmentCommit commit, const SharedSegment& shared, const WorkingSet& working)
    : number_(number), commit_(std::move(commit)), shared_(shared), working_(working) {
  for (const StatePart& variable : commit_.variables()) places_.push_back(place_of(variable));
}

Result<std::unique_ptr<HeldSegment>> HeldSegment::create(const SegmentCommit::Source& source, size_t number,
                                                         std::vector<ParameterPart> parts, bool all,
                                                         const SharedSegment& shared, const WorkingSet& working) {
  PERCALE_ASSIGN_OR_RETURN(SegmentCommit commit, SegmentCommit::create(source, std::move(parts), all));
  std::unique_ptr<HeldSegment> out(new HeldSegment(number, std::move(commit), shared, working));
  const std::vector<ValueType> slots = part_types(*source.graph, shared.slots);
  PERCALE_ASSIGN_OR_RETURN(out->slots_, allocate_tensors(slots, source.memory));
  PERCALE_ASSIGN_OR_RETURN(out->next_slots_, allocate_tensors(slots, source.memory));
  PERCALE_ASSIGN_OR_RETURN(out->table_slots_,
                           allocate_tensors(part_types(*source.graph, shared.table_slots), source.memory));
  out->take_slots();
  return out;
}

HeldSegment::Place HeldSegment::place_of(const StatePart& variable) const {
  const std::vector<size_t>& statistics = working_.statistics();
  if (const size_t i = place_in(shared_.values, variable); i < shared_.values.size()) return {Kind::kValue, i};
  if (const size_t i = place_in(shared_.slots, variable); i < shared_.slots.size()) return {Kind::kSlot, i};
  if (const size_t i = place_in(shared_.table_slots, variable); i < shared_.table_slots.size()) {
    return {Kind::kTableSlot, i};
  }
  if (const size_t i = place_in(statistics, variable.of); i < statistics.size()) return {Kind::kStatistic, i};
  return {Kind::kTable, 0};
}

SegmentCommit::State HeldSegment::state() const {
  SegmentCommit::State out;
  for (size_t i = 0; i < places_.size(); ++i) {
    const StatePart& variable = commit_.variables()[i];
    const size_t number = places_[i].number;
    out.versions.push_back(working_.versions()[variable.of]);
    switch (places_[i].kind) {
      case Kind::kSlot: out.values.push_back(slots_[number]); break;
      case Kind::kTableSlot: out.values.push_back(table_slots_[number]); break;
      default: out.values.push_back(view_of(working_.values()[variable.of], variable)); break;
    }
  }
  return out;
}

Status HeldSegment::compute(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares,
                            const std::vector<Tensor>& statistics, Trace* trace) {
  std::vector<Tensor> next;
  for (const Place& place : places_) {
    switch (place.kind) {
      case Kind::kValue: next.push_back(shared_.next[place.number]); break;
      case Kind::kSlot: next.push_back(next_slots_[place.number]); break;
      case Kind::kStatistic: next.push_back(statistics[place.number]); break;
      case Kind::kTable:
      case Kind::kTableSlot: next.emplace_back(); break;  // changed in place
    }
  }
  return commit_.compute(feeds, squares, state(), next, trace);
}

Status HeldSegment::change_tables(const std::vector<Tensor>& feeds, const std::vector<Tensor>& squares, Trace* trace) {
  return commit_.change_tables(feeds, squares, state(), trace);
}

void HeldSegment::take_slots() noexcept {
  const auto take = [&](const std::vector<StatePart>& parts, const std::vector<Tensor>& to) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const Tensor& whole = working_.values()[parts[i].of];
      if (whole.defined()) copy_contents(view_of(whole, parts[i]), to[i]);
    }
  };
  take(shared_.slots, slots_);
  take(shared_.table_slots, table_slots_);
}

}  // namespace percale
