#include "core/train/parameters/group/group_store.h"

#include <algorithm>
#include <utility>

#include "core/train/group/segments.h"
#include "core/train/shards/averaging.h"

namespace percale {
namespace {

// The numbers in `list` of what is equal to `value`; the size of the list if nothing is.
template <class T>
size_t number_in(const std::vector<T>& list, const T& value) {
  return static_cast<size_t>(std::ranges::find(list, value) - list.begin());
}

size_t variable_index(const TrainGraph& graph, const std::string& variable) {
  return static_cast<size_t>(graph.graph->find_variable(variable) - graph.graph->variables.data());
}

}  // namespace

Result<std::unique_ptr<ParameterStore>> GroupStore::create(const SegmentCommit::Source& source, Group& group,
                                                           WorkingSet& working) {
  std::unique_ptr<GroupStore> out(new GroupStore(source, group, working));
  PERCALE_RETURN_IF_ERROR(out->lay_out(source));
  PERCALE_RETURN_IF_ERROR(out->make_memory());
  out->note_assigned();
  return std::unique_ptr<ParameterStore>(std::move(out));
}

// Sets what each rank commits, and the commit of this one.
Status GroupStore::lay_out(const SegmentCommit::Source& source) {
  const auto parts = cut_segments(graph_.parameters, graph_.by_rows, source.optimizer, group_.size());
  segments_.resize(group_.size());
  first_square_.assign(group_.size() + 1, 0);
  std::vector<ParameterPart> mine;
  for (const ParameterPart& part : parts) {
    if (part.device == group_.rank()) mine.push_back(part);
    add_to_segment(source, part);
    for (size_t rank = part.device; rank < group_.size(); ++rank) first_square_[rank + 1] = part.parameter + 1;
  }
  PERCALE_ASSIGN_OR_RETURN(commit_, SegmentCommit::create(source, std::move(mine), group_.size() == 1));
  for (const Part& variable : commit_->variables()) places_.push_back(place_of(variable));
  std::vector<SharedTables::Table> tables;
  const std::vector<size_t> owners = table_owners(parts, graph_.by_rows);
  for (size_t i = 0; i < owners.size(); ++i) {
    tables.push_back({variable_index(graph_, graph_.parameters[graph_.by_rows[i]].name), owners[i]});
  }
  tables_.emplace(group_, working_, std::move(tables), memory_);
  return {};
}

void GroupStore::add_to_segment(const SegmentCommit::Source& source, const ParameterPart& part) {
  Segment& segment = segments_[part.device];
  const Variable& parameter = graph_.parameters[part.parameter];
  const bool table = std::ranges::find(graph_.by_rows, part.parameter) != graph_.by_rows.end();
  const size_t index = variable_index(graph_, parameter.name);
  if (!table) segment.shared.push_back({index, part.begin, part.end});
  for (const Variable& slot : slot_variables(source.optimizer, parameter)) {
    const size_t at = variable_index(graph_, slot.name);
    const bool average = working_.average_of(index) == static_cast<int32_t>(at);
    (table ? segment.table_slots : average ? segment.shared : segment.slots).push_back({at, part.begin, part.end});
  }
}

GroupStore::Place GroupStore::place_of(const Part& variable) {
  const std::vector<size_t>& statistics = working_.statistics();
  if (const size_t i = number_in(own().shared, variable); i < own().shared.size()) return {Kind::kShared, i};
  if (const size_t i = number_in(own().slots, variable); i < own().slots.size()) return {Kind::kSlot, i};
  if (const size_t i = number_in(own().table_slots, variable); i < own().table_slots.size()) {
    return {Kind::kTableSlot, i};
  }
  if (const size_t i = number_in(statistics, variable.of); i < statistics.size()) return {Kind::kStatistic, i};
  return {Kind::kTable, 0};
}

std::vector<ValueType> GroupStore::types_of(const std::vector<Part>& parts) const {
  std::vector<ValueType> out;
  for (const Part& part : parts) {
    const Variable& v = graph_.graph->variables[part.of];
    ValueType& type = out.emplace_back(ValueType{v.dtype, v.shape});
    if (part.end >= 0) type.shape[0] = part.end - part.begin;
  }
  return out;
}

Status GroupStore::make_memory() {
  for (Segment& segment : segments_) {
    PERCALE_ASSIGN_OR_RETURN(segment.next, allocate_tensors(types_of(segment.shared), memory_));
  }
  PERCALE_ASSIGN_OR_RETURN(slots_, allocate_tensors(types_of(own().slots), memory_));
  PERCALE_ASSIGN_OR_RETURN(next_slots_, allocate_tensors(types_of(own().slots), memory_));
  PERCALE_ASSIGN_OR_RETURN(table_slots_, allocate_tensors(types_of(own().table_slots), memory_));
  std::vector<Part> statistics;
  for (const size_t index : working_.statistics()) statistics.push_back({index, 0, -1});
  PERCALE_ASSIGN_OR_RETURN(next_statistics_, allocate_tensors(types_of(statistics), memory_));
  if (!commit_->needs_squares()) return {};
  std::vector<ValueType> squares;
  for (const Variable& v : graph_.parameters) squares.push_back({v.dtype, Shape{}});
  PERCALE_ASSIGN_OR_RETURN(squares_, allocate_tensors(squares, memory_));
  return {};
}

SegmentCommit::State GroupStore::state() {
  SegmentCommit::State out;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Part& variable = commit_->variables()[i];
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

// The norm of all gradients is computed of the squares in the order of the parameters.
Status GroupStore::exchange_squares(const std::vector<Tensor>& feeds) {
  if (!commit_->needs_squares()) return {};
  std::vector<ByteSpan> recvs;
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    const auto begin = squares_.begin();
    const std::vector<Tensor> part(begin + static_cast<ptrdiff_t>(first_square_[rank]),
                                   begin + static_cast<ptrdiff_t>(first_square_[rank + 1]));
    if (rank == group_.rank()) PERCALE_RETURN_IF_ERROR(commit_->compute_squares(feeds, part));
    recvs.push_back(memory_of(part));
  }
  return group_.exchange("squares", std::vector<ByteSpan>(group_.size(), recvs[group_.rank()]), recvs);
}

Status GroupStore::compute(const StepCommit& step) {
  const std::vector<Tensor> feeds = commit_feeds(graph_.layout, step);
  PERCALE_RETURN_IF_ERROR(exchange_squares(feeds));
  std::vector<Tensor> next;
  for (const Place& place : places_) {
    switch (place.kind) {
      case Kind::kShared: next.push_back(own().next[place.number]); break;
      case Kind::kSlot: next.push_back(next_slots_[place.number]); break;
      case Kind::kStatistic: next.push_back(next_statistics_[place.number]); break;
      case Kind::kTable:
      case Kind::kTableSlot: next.emplace_back(); break;  // changed in place
    }
  }
  const SegmentCommit::State now = state();
  PERCALE_RETURN_IF_ERROR(commit_->compute(feeds, squares_, now, next, step.trace));
  PERCALE_RETURN_IF_ERROR(tables_->keep(step.by_rows, table_slots_));
  return commit_->change_tables(feeds, squares_, now, step.trace);
}

Status GroupStore::commit(const StepCommit& step) {
  CommitGuard guard(working_);
  Status status = compute(step);
  if (status.ok()) status = exchange_values(step);
  if (!status.ok()) {
    tables_->undo();
    return status;
  }
  adopt();
  guard.succeed();
  return {};
}

Status GroupStore::exchange_values(const StepCommit& step) {
  std::vector<ByteSpan> recvs;
  for (const Segment& segment : segments_) recvs.push_back(memory_of(segment.next));
  std::vector<ByteSpan> sends(group_.size(), recvs[group_.rank()]);
  PERCALE_RETURN_IF_ERROR(group_.exchange("parameters", std::move(sends), std::move(recvs)));
  return tables_->exchange(step.by_rows);
}

void GroupStore::adopt() noexcept {
  for (const Segment& segment : segments_) {
    for (size_t i = 0; i < segment.shared.size(); ++i) {
      copy_contents(segment.next[i], view_of(working_.values()[segment.shared[i].of], segment.shared[i]));
    }
  }
  for (size_t i = 0; i < next_statistics_.size(); ++i) {
    copy_contents(next_statistics_[i], working_.values()[working_.statistics()[i]]);
  }
  slots_.swap(next_slots_);
  tables_->adopt();
}

// Slots that were assigned are taken from the working set.
void GroupStore::note_assigned() noexcept {
  const auto take = [&](const std::vector<Part>& parts, const std::vector<Tensor>& to) {
    for (size_t i = 0; i < parts.size(); ++i) {
      const Tensor& whole = working_.values()[parts[i].of];
      if (whole.defined()) copy_contents(view_of(whole, parts[i]), to[i]);
    }
  };
  take(own().slots, slots_);
  take(own().table_slots, table_slots_);
  release_slots();
  ParameterStore::note_assigned();
}

Status GroupStore::make_slots() {
  for (const Segment& segment : segments_) {
    for (const std::vector<Part>* parts : {&segment.slots, &segment.table_slots}) {
      for (const Part& part : *parts) {
        Tensor& whole = working_.memory()[part.of];
        if (whole.defined()) continue;
        const Variable& v = graph_.graph->variables[part.of];
        PERCALE_ASSIGN_OR_RETURN(whole, Tensor::allocate(memory_, v.dtype, v.shape));
      }
    }
  }
  return {};
}

void GroupStore::release_slots() noexcept {
  for (const Segment& segment : segments_) {
    for (const Part& part : segment.slots) working_.memory()[part.of] = Tensor();
    for (const Part& part : segment.table_slots) working_.memory()[part.of] = Tensor();
  }
}

// Rank 0 receives all slots.
Result<bool> GroupStore::collect() {
  const bool writes = group_.rank() == 0;
  if (writes) PERCALE_RETURN_IF_ERROR(make_slots());
  for (const bool table : {false, true}) {
    const auto parts_of = [&](size_t rank) -> const std::vector<Part>& {
      return table ? segments_[rank].table_slots : segments_[rank].slots;
    };
    std::vector<std::vector<Tensor>> received(group_.size());
    std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
    received[group_.rank()] = table ? table_slots_ : slots_;
    sends[0] = memory_of(received[group_.rank()]);
    for (size_t rank = 1; rank < group_.size() && writes; ++rank) {
      PERCALE_ASSIGN_OR_RETURN(received[rank], allocate_tensors(types_of(parts_of(rank)), memory_));
      recvs[rank] = memory_of(received[rank]);
    }
    PERCALE_RETURN_IF_ERROR(group_.exchange("the optimizer's slots", std::move(sends), std::move(recvs)));
    for (size_t rank = 0; rank < group_.size() && writes; ++rank) {
      for (size_t i = 0; i < received[rank].size(); ++i) {
        const Part& part = parts_of(rank)[i];
        copy_contents(received[rank][i], view_of(working_.values()[part.of], part));
      }
    }
  }
  return writes;
}

}  // namespace percale
