#include "core/train/group/sum_exchange.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/thread_pool.h"

namespace percale {
namespace {

void copy_all(const std::vector<Tensor>& from, const std::vector<Tensor>& to) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i].data() != to[i].data()) std::memcpy(to[i].data(), from[i].data(), static_cast<size_t>(to[i].bytes()));
  }
}

std::vector<ValueType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<ValueType> out;
  for (const Tensor& t : tensors) out.push_back({t.dtype(), t.shape()});
  return out;
}

}  // namespace

SumExchange::SumExchange(Group& group, const StepLayout& layout, std::vector<GradientPart> parts,
                         std::vector<size_t> table_segments, bool shares_rows, std::shared_ptr<MemoryPool> memory)
    : group_(group),
      layout_(layout),
      parts_(std::move(parts)),
      buckets_(parts_.empty() ? 0 : parts_.back().bucket + 1),
      table_segments_(std::move(table_segments)),
      shares_rows_(shares_rows),
      memory_(std::move(memory)),
      expects_rows_(shares_rows) {}

Result<std::vector<SumExchange::RankPart>> SumExchange::share(std::string_view what, const Status& status,
                                                              const RankPart& own) {
  const Group::Wait wait(group_);
  std::vector<std::vector<double>> all(group_.size(), std::vector<double>(2));
  all[group_.rank()] = {static_cast<double>(own.count), static_cast<double>(own.row_elements)};
  const Status exchanged = group_.exchange_numbers(what, status, all);
  failed_ = !exchanged.ok();
  PERCALE_RETURN_IF_ERROR(exchanged);
  std::vector<RankPart> out;
  for (const auto& of_rank : all) {
    out.push_back({static_cast<int64_t>(of_rank[0]), static_cast<int64_t>(of_rank[1])});
  }
  return out;
}

Status SumExchange::exchange_all(ShardSums& sums, const RowGradients& by_rows, const BatchCut& cut) {
  if (subtrees_.empty()) {
    PERCALE_RETURN_IF_ERROR(exchange_errors({}));
    PERCALE_RETURN_IF_ERROR(prepare(sums));
  }
  find_own(sums, cut);
  SubtreeSums own;
  for (size_t i = 0; i < sums.subtrees().size(); ++i) own.push_back(sums.of_subtree(i));
  PERCALE_RETURN_IF_ERROR(exchange_buckets(own));
  PERCALE_RETURN_IF_ERROR(exchange_small({}));
  return exchange_rows(group_, table_segments_, sums.shards(), by_rows);
}

Status SumExchange::complete(ShardSums& sums, const RowGradients& by_rows, const BatchCut& cut,
                             const ParallelFor& parallel) {
  if (group_.size() == 1) return {};
  const Status status = [&] {
    const Group::Wait wait(group_);
    return exchange_all(sums, by_rows, cut);
  }();
  failed_ = !status.ok();
  PERCALE_RETURN_IF_ERROR(status);
  const FloatMode mode;  // of the host's thread
  size_t next = 0;
  const Sums all = add_up({0, sums.shards()}, next, parallel);
  const Subtree own{{}, 0, 0, small_of(sums.batch()), held_of(sums.batch())};
  copy_all(*all, own.all());  // a batch has a row
  return {};
}

Status SumExchange::reduce(const Batch& batch, const std::function<Status(SumWatcher*)>& reduce) {
  if (group_.size() == 1) return reduce(nullptr);
  if (batch.barrier != nullptr) return with_barrier(batch, reduce);
  // The last gradients of a backward pass leave nothing to compute beside their exchange.
  const bool worth_it = !subtrees_.empty() && next_bucket_ + 1 < buckets_;
  return worth_it ? with_buckets(batch, reduce) : reduce(nullptr);
}

Status SumExchange::with_barrier(const Batch& batch, const std::function<Status(SumWatcher*)>& reduce) {
  PERCALE_ASSIGN_OR_RETURN(const auto exchange,
                           BarrierExchange::begin(group_, *batch.barrier, batch.cut.rows_of_shards(), batch.stop));
  const Status status = exchange->finish(reduce(nullptr));
  failed_ = exchange->failed();
  return status;
}

Status SumExchange::with_buckets(const Batch& batch, const std::function<Status(SumWatcher*)>& reduce) {
  const auto send = [this](size_t bucket, const SubtreeSums& own) { return exchange_bucket(bucket, own); };
  PERCALE_ASSIGN_OR_RETURN(const auto exchange, BucketExchange::begin(watched(batch), send, batch.stop));
  const Status reduced = reduce(exchange.get());
  const Group::Wait wait(group_);
  const Status status = exchange->finish(reduced);
  next_bucket_ = exchange->next_bucket();
  failed_ = exchange->failed();
  return status;
}

BucketExchange::Batch SumExchange::watched(const Batch& batch) const {
  BucketExchange::Batch out{next_bucket_, {}, std::vector<size_t>(buckets_), {}};
  out.bucket_of.assign(layout_.sums().count, BucketExchange::kNone);
  for (const GradientPart& part : parts_) {
    size_t& bucket = out.bucket_of[layout_.gradients().begin + part.gradient];
    if (bucket == BucketExchange::kNone) ++out.gradients[part.bucket];
    bucket = part.bucket;
  }
  for (const Subtree& tree : subtrees_) {
    if (tree.rank == group_.rank()) out.subtree_rows.push_back(batch.cut.of(tree.range).count() > 0);
  }
  return out;
}

// Makes room for what other ranks send.
Status SumExchange::prepare(const ShardSums& sums) {
  held_by_.clear();
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    held_by_.push_back(group_.holders().held_by(group_.origin(rank)));
  }
  const std::vector<Tensor>& like = sums.batch();
  const std::vector<std::vector<Tensor>> held = held_of(like);
  std::vector<Subtree> trees;
  std::vector<std::vector<Tensor>> small;
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    const std::vector<ShardRange> ranges = subtrees(sums.shards(), group_.shards_of(rank, sums.shards()));
    std::vector<ValueType> types = {{DType::kU8, Shape{static_cast<int64_t>(kErrorBytes)}}};
    for (size_t i = 0; i < ranges.size(); ++i) {
      for (const ValueType& type : types_of(small_of(like))) types.push_back(type);
    }
    PERCALE_ASSIGN_OR_RETURN(small.emplace_back(), allocate_tensors(types, memory_));
    const auto each = static_cast<ptrdiff_t>((types.size() - 1) / ranges.size());
    for (size_t i = 0; i < ranges.size(); ++i) {
      Subtree& tree = trees.emplace_back(Subtree{ranges[i], rank, i, {}, {}});
      const auto first = small.back().begin() + 1 + static_cast<ptrdiff_t>(i) * each;
      tree.small.assign(first, first + each);
      if (rank == group_.rank()) continue;
      for (const std::vector<Tensor>& segment : held) {
        PERCALE_ASSIGN_OR_RETURN(tree.segments.emplace_back(), allocate_tensors(types_of(segment), memory_));
      }
    }
  }
  small_ = std::move(small);
  subtrees_ = std::move(trees);
  any_sums_ = like;
  return {};
}

// Which sub-trees have rows, and where the sums of the own ones lie.
void SumExchange::find_own(const ShardSums& sums, const BatchCut& cut) {
  for (Subtree& tree : subtrees_) {
    tree.has_rows = cut.of(tree.range).count() > 0;
    if (tree.rank != group_.rank() || !tree.has_rows) continue;
    const std::vector<Tensor>& own = *sums.of_subtree(tree.number);
    copy_all(small_of(own), tree.small);
    tree.segments = held_of(own);
  }
}

std::vector<Tensor> SumExchange::small_of(const std::vector<Tensor>& sums) const {
  std::vector<Tensor> out;
  for (const IndexSpan& span : {layout_.totals(), layout_.statistics()}) {
    for (const Tensor& t : span.of(sums)) out.push_back(t);
  }
  return out;
}

std::vector<Tensor> SumExchange::Subtree::all() const {
  std::vector<Tensor> out = small;
  for (const std::vector<Tensor>& segment : segments) out.insert(out.end(), segment.begin(), segment.end());
  return out;
}

std::vector<std::vector<Tensor>> SumExchange::held_of(const std::vector<Tensor>& sums) const {
  std::vector<std::vector<Tensor>> out;
  for (const size_t segment : held_by_[group_.rank()]) out.push_back(segment_of(sums, segment));
  return out;
}

std::vector<Tensor> SumExchange::segment_of(const std::vector<Tensor>& sums, size_t segment) const {
  std::vector<Tensor> out;
  for (size_t bucket = 0; bucket < buckets_; ++bucket) {
    std::ranges::move(bucket_of(sums, segment, bucket), std::back_inserter(out));
  }
  return out;
}

// The part of a segment that lies in a bucket: one piece of memory.
std::vector<Tensor> SumExchange::bucket_of(const std::vector<Tensor>& sums, size_t segment, size_t bucket) const {
  std::vector<Tensor> out;
  for (const GradientPart& part : parts_) {
    if (part.segment != segment || part.bucket != bucket) continue;
    const Tensor& whole = sums[layout_.gradients().begin + part.gradient];
    out.push_back(part.end < 0 ? whole : whole.rows(part.begin, part.end));
  }
  return out;
}

// The same of a segment that another rank sends.
std::vector<Tensor> SumExchange::received_of(const Subtree& tree, size_t held, size_t bucket) const {
  const size_t segment = held_by_[group_.rank()][held];
  size_t begin = 0, count = 0;
  for (const GradientPart& part : parts_) {
    if (part.segment != segment || part.bucket > bucket) continue;
    ++(part.bucket < bucket ? begin : count);
  }
  const auto first = tree.segments[held].begin() + static_cast<ptrdiff_t>(begin);
  return {first, first + static_cast<ptrdiff_t>(count)};
}

// Each rank's message begins with its error.
Status SumExchange::exchange_messages(std::string_view what, const std::vector<std::vector<Tensor>>& messages,
                                      const Status& own) {
  std::vector<ByteSpan> recvs;
  for (const std::vector<Tensor>& tensors : messages) recvs.push_back(memory_of(tensors));
  write_error(own, static_cast<uint8_t*>(messages[group_.rank()][0].data()));
  PERCALE_RETURN_IF_ERROR(group_.exchange(what, std::vector<ByteSpan>(group_.size(), recvs[group_.rank()]), recvs));
  for (size_t rank = 0; rank < group_.size(); ++rank) {
    if (rank == group_.rank()) continue;
    const Status error = read_error(static_cast<const uint8_t*>(messages[rank][0].data()));
    if (!error.ok()) return error.with_context(str_cat("rank ", rank));
  }
  return {};
}

Status SumExchange::exchange_small(const Status& own) { return exchange_messages("totals", small_, own); }

// Before the first batch no rank can know how large the other messages are.
Status SumExchange::exchange_errors(const Status& own) {
  std::vector<std::vector<Tensor>> messages(group_.size());
  for (std::vector<Tensor>& message : messages) {
    PERCALE_ASSIGN_OR_RETURN(message,
                             allocate_tensors({{DType::kU8, Shape{static_cast<int64_t>(kErrorBytes)}}}, memory_));
  }
  return exchange_messages("errors", messages, own);
}

void SumExchange::refuse(const Status& error) {
  if (std::exchange(failed_, false) || error.ok() || group_.size() == 1 || group_.broken()) return;
  // The own error counts, whatever becomes of this.
  if (expects_rows_) {
    (void)share("rows", error, {});
    failed_ = false;
  } else {
    (void)exchange_outcome(error);
  }
  end_step();
}

// The messages that the other ranks wait for, if they are in a step.
Status SumExchange::exchange_outcome(const Status& own) {
  if (subtrees_.empty()) return exchange_errors(own);
  PERCALE_RETURN_IF_ERROR(exchange_buckets({}));
  return exchange_small(own);
}

// Exchanges the buckets of the batch that were not exchanged yet.
Status SumExchange::exchange_buckets(const SubtreeSums& own) {
  for (; next_bucket_ < buckets_; ++next_bucket_) PERCALE_RETURN_IF_ERROR(exchange_bucket(next_bucket_, own));
  next_bucket_ = 0;
  return {};
}

// Messages have the same sizes in every batch, so that a rank that has failed can send them, too.
Status SumExchange::exchange_bucket(size_t bucket, const SubtreeSums& own) {
  size_t rounds = 0, held = 0;
  for (const Subtree& tree : subtrees_) rounds = std::max(rounds, tree.number + 1);
  for (const std::vector<size_t>& of_rank : held_by_) held = std::max(held, of_rank.size());
  for (size_t number = 0; number < rounds; ++number) {
    const bool there = number < own.size() && own[number] != nullptr;
    for (size_t i = 0; i < held; ++i) {
      PERCALE_RETURN_IF_ERROR(exchange_sums(bucket, number, i, there ? *own[number] : any_sums_));
    }
  }
  return {};
}

// The sub-trees with this number among those of their rank go to the ranks that hold a segment: the
// one with the number `held` among those that a rank holds.
Status SumExchange::exchange_sums(size_t bucket, size_t number, size_t held, const std::vector<Tensor>& own) {
  std::vector<ByteSpan> sends(group_.size()), recvs(group_.size());
  for (const Subtree& tree : subtrees_) {
    if (tree.number != number) continue;
    if (tree.rank != group_.rank()) {
      if (held < tree.segments.size()) recvs[tree.rank] = memory_of(received_of(tree, held, bucket));
      continue;
    }
    for (size_t rank = 0; rank < group_.size(); ++rank) {
      const std::vector<size_t>& segments = held_by_[rank];
      if (held < segments.size()) sends[rank] = memory_of(bucket_of(own, segments[held], bucket));
    }
  }
  return group_.exchange("gradients", std::move(sends), std::move(recvs));
}

Status SumExchange::wait_for_all() { return exchange_outcome({}); }

SumExchange::Sums SumExchange::add_up(const ShardRange& range, size_t& next, const ParallelFor& parallel) const {
  const Subtree& tree = subtrees_[next];
  if (tree.range == range) {
    ++next;
    if (!tree.has_rows) return std::nullopt;
    return tree.all();
  }
  const int64_t middle = range.begin + left_shards(range.count());
  Sums left = add_up({range.begin, middle}, next, parallel);
  Sums right = add_up({middle, range.end}, next, parallel);
  if (!left) return right;
  if (right) add_tensors(*left, *right, parallel);
  return left;
}

}  // namespace percale
