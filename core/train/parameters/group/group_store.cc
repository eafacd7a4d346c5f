#include "core/train/parameters/group/group_store.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/train/shards/averaging.h"

namespace percale {

Result<std::unique_ptr<ParameterStore>> GroupStore::create(const SegmentCommit::Source& source,
                                                           const SegmentRules& rules, Group& group,
                                                           WorkingSet& working) {
  std::unique_ptr<GroupStore> out(new GroupStore(source, group, working));
  PERCALE_RETURN_IF_ERROR(out->lay_out(rules));
  for (const size_t segment : group.holders().held_by(group.origin())) {
    PERCALE_RETURN_IF_ERROR(out->add_held(segment));
  }
  out->note_assigned();
  return std::unique_ptr<ParameterStore>(std::move(out));
}

// Sets what each segment consists of.
Status GroupStore::lay_out(const SegmentRules& rules) {
  const TrainGraph& graph = *source_.graph;
  const size_t segments = group_.holders().segments();
  parts_ = cut_segments(graph.parameters, rules);
  segments_.resize(segments);
  first_square_.assign(segments + 1, 0);
  for (const ParameterPart& part : parts_) {
    segments_[part.device].add_slots(graph, source_.optimizer, working_, part, is_table(part.parameter));
    for (size_t after = part.device; after < segments; ++after) first_square_[after + 1] = part.parameter + 1;
  }
  for (const ParameterBucket& bucket : cut_buckets(graph.parameters, rules)) {
    std::vector<ParameterPart> dense;
    std::ranges::copy_if(parts_, std::back_inserter(dense), [&](const ParameterPart& part) {
      return !is_table(part.parameter) && std::ranges::binary_search(bucket.parameters, part.parameter);
    });
    add_values(dense, false);
    add_values(dense, true);
  }
  PERCALE_RETURN_IF_ERROR(make_memory());
  std::vector<StatePart> statistics;
  for (const size_t index : working_.statistics()) statistics.push_back({index, 0, -1});
  PERCALE_ASSIGN_OR_RETURN(next_statistics_, allocate_tensors(part_types(graph, statistics), source_.memory));
  std::vector<ValueType> squares;
  for (const Variable& v : graph.parameters) squares.push_back({v.dtype, Shape{}});
  PERCALE_ASSIGN_OR_RETURN(squares_, allocate_tensors(squares, source_.memory));
  std::vector<SharedTables::Table> tables;
  const std::vector<size_t> segment_of = table_segments(parts_, graph.by_rows);
  for (size_t i = 0; i < segment_of.size(); ++i) {
    const Variable* const table = graph.graph->find_variable(graph.parameters[graph.by_rows[i]].name);
    tables.push_back({static_cast<size_t>(table - graph.graph->variables.data()), segment_of[i]});
  }
  tables_.emplace(group_, working_, std::move(tables), source_.memory);
  return {};
}

bool GroupStore::is_table(size_t parameter) const {
  return std::ranges::find(source_.graph->by_rows, parameter) != source_.graph->by_rows.end();
}

// Adds the parts of a bucket, or of the averages of its parameters, as a run.
void GroupStore::add_values(const std::vector<ParameterPart>& parts, bool averages) {
  const size_t before = shared_.size();
  for (const ParameterPart& part : parts) {
    size_t index = working_.trained()[part.parameter];
    if (averages) {
      if (working_.average_of(index) < 0) continue;
      index = static_cast<size_t>(working_.average_of(index));
    }
    segments_[part.device].values.push_back({index, part.begin, part.end});
    if (shared_.empty() || shared_.back() != index) shared_.push_back(index);
  }
  if (shared_.size() == before) return;
  std::vector<size_t>& ends = run_ends_.emplace_back();
  for (const SharedSegment& segment : segments_) ends.push_back(segment.values.size());
}

// Moves the shared values of the working set into memory in their order.
Status GroupStore::make_memory() {
  std::vector<StatePart> whole;
  for (const size_t index : shared_) whole.push_back({index, 0, -1});
  const std::vector<ValueType> types = part_types(*source_.graph, whole);
  PERCALE_ASSIGN_OR_RETURN(next_, allocate_tensors(types, source_.memory));
  PERCALE_ASSIGN_OR_RETURN(std::vector<Tensor> present, allocate_tensors(types, source_.memory));
  for (size_t i = 0; i < shared_.size(); ++i) {
    copy_contents(working_.values()[shared_[i]], present[i]);
    working_.memory()[shared_[i]] = std::move(present[i]);
  }
  std::vector<const Tensor*> next_of(working_.size());
  for (size_t i = 0; i < shared_.size(); ++i) next_of[shared_[i]] = &next_[i];
  for (SharedSegment& segment : segments_) {
    for (const StatePart& part : segment.values) {
      segment.present.push_back(view_of(working_.values()[part.of], part));
      segment.next.push_back(view_of(*next_of[part.of], part));
    }
  }
  return {};
}

// The values of a segment in a run: the next ones, or those of the working set.
ByteSpan GroupStore::memory_in(size_t run, size_t segment, bool next) const {
  const std::vector<Tensor>& values = next ? segments_[segment].next : segments_[segment].present;
  const size_t begin = run == 0 ? 0 : run_ends_[run - 1][segment], end = run_ends_[run][segment];
  return memory_of(std::span(values).subspan(begin, end - begin));
}

Status GroupStore::add_held(size_t segment) {
  std::vector<ParameterPart> parts;
  std::ranges::copy_if(parts_, std::back_inserter(parts), [&](const auto& part) { return part.device == segment; });
  PERCALE_ASSIGN_OR_RETURN(
      held_.emplace_back(),
      HeldSegment::create(source_, segment, std::move(parts), segments_.size() == 1, segments_[segment], working_));
  return {};
}

HeldSegment* GroupStore::held(size_t segment) {
  const auto found = std::ranges::find_if(held_, [&](const auto& h) { return h->number() == segment; });
  return found == held_.end() ? nullptr : found->get();
}

// The norm of all gradients is computed of the squares in the order of the parameters. Where it is
// needed, that is the order of the segments.
Status GroupStore::exchange_squares(const std::vector<Tensor>& feeds) {
  if (!held_.front()->needs_squares()) return {};
  const auto squares_of = [&](size_t segment) {
    const auto begin = squares_.begin();
    return std::vector<Tensor>(begin + static_cast<ptrdiff_t>(first_square_[segment]),
                               begin + static_cast<ptrdiff_t>(first_square_[segment + 1]));
  };
  for (const auto& segment : held_) {
    PERCALE_RETURN_IF_ERROR(segment->compute_squares(feeds, squares_of(segment->number())));
  }
  const Group::Wait wait(group_);
  return group_.exchange_segments("squares", [&](size_t segment) { return memory_of(squares_of(segment)); });
}

Status GroupStore::compute(const StepCommit& step) {
  const std::vector<Tensor> feeds = commit_feeds(source_.graph->layout, step);
  PERCALE_RETURN_IF_ERROR(exchange_squares(feeds));
  for (const auto& segment : held_) {
    PERCALE_RETURN_IF_ERROR(segment->compute(feeds, squares_, next_statistics_, step.trace));
    PERCALE_RETURN_IF_ERROR(tables_->keep(step.by_rows, segment->number(), segment->table_slots()));
  }
  for (const auto& segment : held_) PERCALE_RETURN_IF_ERROR(segment->change_tables(feeds, squares_, step.trace));
  computed_ = true;
  return {};
}

Status GroupStore::commit(const StepCommit& step) {
  Status status = compute(step);
  if (status.ok()) status = exchange_values(step);
  if (!status.ok() && group_.broken()) {
    PERCALE_ASSIGN_OR_RETURN(const bool adopted, recover_step(&step));
    if (adopted) return {};
    return Status(Code::kAborted, str_cat("the step begins again, because an exchange has failed: ", status.message()));
  }
  if (!status.ok()) {
    discard();
    return status;
  }
  adopt();
  return {};
}

Status GroupStore::exchange_values(const StepCommit& step) {
  const Group::Wait wait(group_);
  for (size_t run = 0; run < run_ends_.size(); ++run) {
    PERCALE_RETURN_IF_ERROR(
        group_.exchange_segments("parameters", [&](size_t segment) { return memory_in(run, segment, true); }));
  }
  return tables_->exchange(step.by_rows);
}

void GroupStore::adopt() noexcept {
  CommitGuard guard(working_);
  for (size_t i = 0; i < shared_.size(); ++i) std::swap(working_.memory()[shared_[i]], next_[i]);
  for (SharedSegment& segment : segments_) segment.present.swap(segment.next);
  for (size_t i = 0; i < next_statistics_.size(); ++i) {
    copy_contents(next_statistics_[i], working_.values()[working_.statistics()[i]]);
  }
  for (const auto& segment : held_) segment->adopt();
  tables_->adopt();
  ++adopted_;
  group_.note_progress();
  computed_ = false;
  guard.succeed();
}

// The state is that before the step; versions of tables that were changed are not used again.
void GroupStore::discard() noexcept {
  const CommitGuard guard(working_);
  tables_->undo();
  computed_ = false;
}

// Slots that were assigned are taken from the working set.
void GroupStore::note_assigned() noexcept {
  for (const auto& segment : held_) segment->take_slots();
  release_slots();
  ParameterStore::note_assigned();
}

Status GroupStore::make_slots() {
  for (const SharedSegment& segment : segments_) {
    for (const std::vector<StatePart>* parts : {&segment.slots, &segment.table_slots}) {
      for (const StatePart& part : *parts) {
        Tensor& whole = working_.memory()[part.of];
        if (whole.defined()) continue;
        const Variable& v = source_.graph->graph->variables[part.of];
        PERCALE_ASSIGN_OR_RETURN(whole, Tensor::allocate(source_.memory, v.dtype, v.shape));
      }
    }
  }
  return {};
}

void GroupStore::release_slots() noexcept {
  for (const SharedSegment& segment : segments_) {
    for (const StatePart& part : segment.slots) working_.memory()[part.of] = Tensor();
    for (const StatePart& part : segment.table_slots) working_.memory()[part.of] = Tensor();
  }
}

// A rank that another one knows to have confirmed is done, whatever it has missed of the last
// exchange: rank 0 confirms when it has all slots.
Result<bool> GroupStore::collect() {
  PERCALE_RETURN_IF_ERROR(pass([this] { return collect_slots(); }).status());
  return group_.rank() == 0;
}

// Rank 0 receives the slots of all segments from their first holders.
Status GroupStore::collect_slots() {
  const bool writes = group_.rank() == 0;
  if (writes) PERCALE_RETURN_IF_ERROR(make_slots());
  for (size_t number = 0; number < segments_.size(); ++number) {
    const SharedSegment& segment = segments_[number];
    const size_t holder = group_.rank_of(group_.holders().first(number));
    for (const bool table : {false, true}) {
      const std::vector<StatePart>& parts = table ? segment.table_slots : segment.slots;
      std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
      std::vector<Tensor> slots;
      if (holder == group_.rank()) {
        slots = table ? held(number)->table_slots() : held(number)->slots();
        sends[0] = memory_of(slots);
      } else if (writes) {
        PERCALE_ASSIGN_OR_RETURN(slots, allocate_tensors(part_types(*source_.graph, parts), source_.memory));
        recvs[holder] = memory_of(slots);
      }
      PERCALE_RETURN_IF_ERROR(group_.exchange("the optimizer's slots", std::move(sends), std::move(recvs)));
      for (size_t i = 0; i < slots.size() && writes; ++i) {
        copy_contents(slots[i], view_of(working_.values()[parts[i].of], parts[i]));
      }
    }
  }
  return confirm_collected();
}

// Each rank waits for a byte of all others, so that it goes on only when rank 0 has all slots.
Status GroupStore::confirm_collected() {
  uint8_t own = 1;
  std::vector<uint8_t> others(group_.size());
  std::vector<ByteSpan> sends(group_.size(), {&own, 1}), recvs;
  for (uint8_t& other : others) recvs.push_back({&other, 1});
  return group_.exchange("the end of a checkpoint", std::move(sends), std::move(recvs));
}

// ---- After a failed exchange

// An error of another rank is a result, too: all ranks get it.
Result<bool> GroupStore::pass(const std::function<Status()>& exchange) {
  const int64_t before = passed_;
  while (passed_ == before) {
    const bool had_ended = group_.broken();
    const Status status = exchange();
    if (!group_.broken()) {
      ++passed_;
      group_.note_progress();
      PERCALE_RETURN_IF_ERROR(status);
      return true;
    }
    const Status recovered = recover();
    if (!recovered.ok()) return had_ended ? status : recovered;
  }
  return false;
}

// A step whose commit has failed for good is computed, but this rank cannot complete it any more:
// only the commit knows the step's gradients of tables.
Status GroupStore::recover() {
  computed_ = false;
  return recover_step(nullptr).status();
}

// Ranks are in the same step, or one has adopted it and is in the next one. True if the step of
// `step`, which this rank has not adopted, is adopted. Null: the rank is in no commit.
Result<bool> GroupStore::recover_step(const StepCommit* step) {
  const int64_t before = adopted_;
  while (true) {
    PERCALE_RETURN_IF_ERROR(group_.reform());
    const Status status = settle_step(step);
    if (status.ok()) return adopted_ > before;
    if (group_.broken()) continue;
    group_.end(status);
    return status;
  }
}

// The ranks that are left adopt the step, or all discard it. Then they hold all segments.
Status GroupStore::settle_step(const StepCommit* step) {
  PERCALE_ASSIGN_OR_RETURN(const std::vector<Standing> standings, exchange_standings());
  std::vector<size_t> left;
  std::vector<std::vector<bool>> have(segments_.size(), std::vector<bool>(segments_.size()));
  int64_t newest = 0;
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    left.push_back(group_.origin(rank));
    have[left.back()] = standings[rank].have;
    newest = std::max(newest, standings[rank].adopted);
    passed_ = std::max(passed_, standings[rank].passed);
  }
  const bool stateful =
      std::ranges::any_of(segments_, [](const SharedSegment& s) { return !s.slots.empty() || !s.table_slots.empty(); });
  PERCALE_ASSIGN_OR_RETURN(const auto transfers, group_.holders().keep(left, have, stateful));
  if (std::ranges::any_of(standings, [&](const Standing& s) { return s.adopted < newest; })) {
    PERCALE_RETURN_IF_ERROR(help_behind(standings, newest));
  } else if (can_complete(standings)) {
    PERCALE_RETURN_IF_ERROR(exchange_values(*step));
    adopt();
  } else {
    discard();
  }
  return transfer(transfers);
}

Result<std::vector<GroupStore::Standing>> GroupStore::exchange_standings() {
  const size_t counts = 2 * sizeof(int64_t), size = counts + 1 + segments_.size();
  std::vector<std::vector<uint8_t>> messages(group_.size(), std::vector<uint8_t>(size, 0));
  uint8_t* const own = messages[group_.rank()].data();
  std::memcpy(own, &adopted_, sizeof adopted_);
  std::memcpy(own + sizeof adopted_, &passed_, sizeof passed_);
  own[counts] = computed_ ? 1 : 0;
  for (const auto& segment : held_) own[counts + 1 + segment->number()] = 1;
  std::vector<ByteSpan> recvs;
  for (std::vector<uint8_t>& message : messages) recvs.push_back({message.data(), message.size()});
  std::vector<ByteSpan> sends(group_.size(), recvs[group_.rank()]);
  PERCALE_RETURN_IF_ERROR(group_.exchange("standings", std::move(sends), std::move(recvs)));
  std::vector<Standing> out;
  for (const std::vector<uint8_t>& message : messages) {
    Standing& standing = out.emplace_back();
    std::memcpy(&standing.adopted, message.data(), sizeof standing.adopted);
    std::memcpy(&standing.passed, message.data() + sizeof standing.adopted, sizeof standing.passed);
    standing.computed = message[counts] != 0;
    for (size_t i = 0; i < segments_.size(); ++i) {
      standing.have.push_back(message[counts + 1 + i] != 0);
    }
  }
  return out;
}

// True if the ranks that are left have computed the next values of all segments.
bool GroupStore::can_complete(const std::vector<Standing>& standings) const {
  if (std::ranges::any_of(standings, [](const Standing& s) { return !s.computed; })) return false;
  for (size_t segment = 0; segment < segments_.size(); ++segment) {
    if (std::ranges::none_of(standings, [&](const Standing& s) { return s.have[segment]; })) return false;
  }
  return true;
}

// A rank that has adopted the step sends the values of all segments to those that have not. These
// have computed their own segments, because the others could not have adopted the step without.
Status GroupStore::help_behind(const std::vector<Standing>& standings, int64_t newest) {
  size_t helper = 0;
  while (standings[helper].adopted < newest) ++helper;
  std::vector<ByteSpan> values;
  for (size_t run = 0; run < run_ends_.size(); ++run) {
    for (size_t segment = 0; segment < segments_.size(); ++segment) {
      values.push_back(memory_in(run, segment, adopted_ < newest));
    }
  }
  for (const Tensor& table : tables_->values()) values.push_back(memory_of(table));
  for (const ByteSpan& value : values) {
    std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
    for (size_t rank = 0; rank < group_.size(); ++rank) {
      if (standings[rank].adopted == newest) continue;
      if (helper == group_.rank()) sends[rank] = value;
      if (rank == group_.rank()) recvs[helper] = value;
    }
    PERCALE_RETURN_IF_ERROR(group_.exchange("the adopted step", std::move(sends), std::move(recvs)));
  }
  if (adopted_ < newest) {
    adopt();
  } else {
    discard();
  }
  return {};
}

// The first holders of segments send the slots to new holders; others are no holders any more.
Status GroupStore::transfer(const std::vector<SegmentHolders::Transfer>& transfers) {
  for (const auto& [segment, to] : transfers) {
    if (to == group_.origin()) PERCALE_RETURN_IF_ERROR(add_held(segment));
    for (const bool table : {false, true}) {
      std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
      const size_t from = group_.rank_of(group_.holders().first(segment));
      HeldSegment* const own = held(segment);
      const ByteSpan slots = own == nullptr ? ByteSpan{} : memory_of(table ? own->table_slots() : own->slots());
      if (from == group_.rank()) sends[group_.rank_of(to)] = slots;
      if (to == group_.origin()) recvs[from] = slots;
      const Status status = group_.exchange("the optimizer's slots", std::move(sends), std::move(recvs));
      if (status.ok()) continue;
      if (to == group_.origin()) held_.pop_back();
      return status;
    }
  }
  std::erase_if(held_, [&](const auto& h) { return !group_.holders().holds(group_.origin(), h->number()); });
  return {};
}

}  // namespace percale
