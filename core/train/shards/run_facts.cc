#include "core/train/shards/run_facts.h"

#include <algorithm>
#include <new>

namespace percale {

size_t RunFacts::device(const std::string& name) {
  const std::lock_guard lock(mutex_);
  size_t at = 0;
  while (at < devices_.size() && devices_[at].name != name) ++at;
  if (at == devices_.size()) devices_.push_back({name});
  return at;
}

// Before anything begins or ends: adds the exposed time since the last call.
void RunFacts::advance() {
  const int64_t now = now_ns();
  if (adding_ > 0 && computing_ == 0) exposed_ns_ += now - changed_ns_;
  changed_ns_ = now;
}

void RunFacts::begin_shard(size_t device) {
  const std::lock_guard lock(mutex_);
  advance();
  ++handed_out_;
  ++computing_;
  Device& d = devices_[device];
  if (d.running++ == 0) d.since_ns = changed_ns_;
}

void RunFacts::end_shard(size_t device, End end, int64_t rows) {
  const std::lock_guard lock(mutex_);
  advance();
  --computing_;
  Device& d = devices_[device];
  if (--d.running == 0) d.busy_ns += changed_ns_ - d.since_ns;
  if (end == End::kComputed) {
    ++computed_;
    ++d.shards;
    d.rows += rows;
  } else {
    ++(end == End::kLost ? d.lost_shards : d.stopped);
    ++dropped_;
  }
}

void RunFacts::accepted(int64_t staleness) {
  const std::lock_guard lock(mutex_);
  --computed_;
  ++accepted_;
  ++staleness_[staleness];
}

void RunFacts::dropped() {
  const std::lock_guard lock(mutex_);
  --computed_;
  ++dropped_;
}

void RunFacts::accept_all() {
  const std::lock_guard lock(mutex_);
  accepted_ += computed_;
  if (computed_ > 0) staleness_[0] += computed_;
  computed_ = 0;
}

void RunFacts::drop_all_but(int64_t keep) {
  const std::lock_guard lock(mutex_);
  dropped_ += computed_ - keep;
  computed_ = keep;
}

int64_t RunFacts::waiting() const {
  const std::lock_guard lock(mutex_);
  return computed_;
}

void RunFacts::add_time(int64_t ns, std::span<const size_t> devices) {
  const std::lock_guard lock(mutex_);
  time_ns_ += ns;
  for (const size_t device : devices) devices_[device].there_ns += ns;
}

// Exposed time is a part of all time: both are measured by the same readings of the clock.
RunFacts::Span::Span(RunFacts* facts, Work work, size_t row) : facts_(facts), work_(work), row_(row) {
  if (facts_ == nullptr) return;
  const std::lock_guard lock(facts_->mutex_);
  facts_->advance();
  begin_ = facts_->changed_ns_;
  if (work_ == Work::kAverage) ++facts_->adding_;
}

RunFacts::Span::~Span() {
  if (facts_ == nullptr) return;
  int64_t end = 0;
  {
    const std::lock_guard lock(facts_->mutex_);
    facts_->advance();
    end = facts_->changed_ns_;
    if (work_ == Work::kAverage) {
      --facts_->adding_;
    } else {
      ++facts_->commits_;
    }
    facts_->work_ns_[static_cast<size_t>(work_)] += end - begin_;
  }
  if (facts_->trace_ == nullptr) return;
  try {
    const bool average = work_ == Work::kAverage;
    facts_->trace_->add(average ? "average" : "commit",
                        average ? str_cat("averaging ", static_cast<uint64_t>(row_)) : "commit", begin_, end);
  } catch (const std::bad_alloc&) {  // a span less
  }
}

void RunFacts::write(JsonWriter& w) const {
  const std::lock_guard lock(mutex_);
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  w.begin_object().key("seconds").value(seconds(time_ns_)).key("averaging_seconds").value(seconds(work_ns_[0]));
  w.key("exposed_averaging_seconds").value(seconds(exposed_ns_));
  w.key("commit_seconds").value(seconds(work_ns_[1])).key("commits").value(commits_);
  w.key("shards").begin_object().key("handed_out").value(handed_out_).key("accepted").value(accepted_);
  w.key("dropped").value(dropped_).end_object();
  w.key("staleness").begin_array();
  for (const auto& [commits, shards] : staleness_) {
    w.begin_object().key("commits").value(commits).key("shards").value(shards).end_object();
  }
  w.end_array().key("devices").begin_array();
  for (const Device& d : devices_) {
    w.begin_object().key("name").value(d.name).key("shards").value(d.shards).key("rows").value(d.rows);
    w.key("rows_per_second").value(d.there_ns > 0 ? static_cast<double>(d.rows) / seconds(d.there_ns) : 0.0);
    w.key("busy_seconds").value(seconds(d.busy_ns));
    w.key("waiting_seconds").value(seconds(std::max<int64_t>(0, d.there_ns - d.busy_ns)));
    w.key("stopped").value(d.stopped).key("lost").value(d.lost_shards > 0).end_object();
  }
  w.end_array().end_object();
}

}  // namespace percale
