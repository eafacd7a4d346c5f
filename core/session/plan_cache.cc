#include "core/session/plan_cache.h"

#include <algorithm>

namespace percale {
namespace {

void append_text(std::string& key, std::string_view text) {
  key += std::to_string(text.size());
  key += ':';
  key += text;
}

// Equal keys mean equal plans.
std::string key_of(const PlanCache::Request& request) {
  const RunSpec& spec = request.spec;
  std::string key = str_cat(request.graph_id, spec.binding.key());
  for (const int32_t device : spec.group) key += str_cat("@", device);
  for (const int32_t device : spec.feed_homes) key += str_cat("~", device);
  key += ':';
  append_text(key, spec.function);
  for (const auto* list : {&spec.feeds, &spec.fetches, &spec.targets}) {
    key += '|';
    for (const std::string& name : *list) append_text(key, name);
  }
  for (const auto& [input, variable] : spec.reads) {
    key += '=';
    append_text(key, input);
    append_text(key, variable);
  }
  for (const ValueType& t : request.feed_types) key += str_cat("|", static_cast<int32_t>(t.dtype), t.shape);
  for (const Tensor& t : request.contents) {
    key += '|';
    if (t.defined()) key.append(static_cast<const char*>(t.data()), static_cast<size_t>(t.bytes()));
  }
  return key;
}

bool same_placement(const Plan& a, const Plan& b) {
  return std::equal(a.report.placement.begin(), a.report.placement.end(), b.report.placement.begin(),
                    b.report.placement.end(),
                    [](const PlacedNode& x, const PlacedNode& y) { return x.node == y.node && x.device == y.device; });
}

}  // namespace

PlanCache::PlanCache(const Engine& engine, Options options, const Variables* variables, const NodeTimes* times,
                     DeviceStore& store)
    : engine_(engine), options_(std::move(options)), variables_(variables), times_(times), store_(store) {}

Result<std::shared_ptr<const Plan>> PlanCache::find_or_compile(const Request& request) {
  if (variables_ != nullptr && variables_->changing() && request.spec.binding.precomputes_variables()) {
    RunSpec changing = request.spec;
    changing.binding = changing.binding.as_changing();
    return find_or_compile({request.graph, request.graph_id, changing, request.feed_types, request.contents});
  }
  std::string key = key_of(request);
  bool review = false;
  const std::shared_ptr<const Plan> known = find(key, &review);
  if (known != nullptr && !review) return known;
  PERCALE_ASSIGN_OR_RETURN(auto plan, compile_plan(request));
  if (known != nullptr && same_placement(*known, *plan)) return known;  // its memory is warm
  keep(std::move(key), plan, known != nullptr);
  return plan;
}

// Null if there is no plan. Sets `review` if the plan is due to be compiled again.
std::shared_ptr<const Plan> PlanCache::find(const std::string& key, bool* review) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  hits_.fetch_add(1, std::memory_order_relaxed);
  *review = is_due(*found->second);
  return found->second->plan;
}

// The cache must be locked.
bool PlanCache::is_due(Entry& entry) const {
  if (!options_.measures || times_ == nullptr || ++entry.uses < entry.next_review) return false;
  entry.next_review *= 8;
  return true;
}

Result<std::shared_ptr<const Plan>> PlanCache::compile_plan(const Request& request) {
  const int64_t id = plans_made_.fetch_add(1, std::memory_order_relaxed) + 1;
  const MeasuredTimes measured = times_ == nullptr ? MeasuredTimes() : times_->copy();
  PERCALE_ASSIGN_OR_RETURN(
      auto plan, compile(engine_, options_.compile,
                         {request.graph, request.spec, request.feed_types, request.contents, id, &measured, &store_}));
  int64_t peak = peak_bytes_.load();
  while (plan->peak_bytes > peak && !peak_bytes_.compare_exchange_weak(peak, plan->peak_bytes)) {
  }
  return plan;
}

void PlanCache::keep(std::string key, const std::shared_ptr<const Plan>& plan, bool replaces) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    if (replaces) found->second->plan = plan;
    return;
  }
  entries_.push_front({key, plan});
  by_key_[std::move(key)] = entries_.begin();
  while (static_cast<int64_t>(entries_.size()) > options_.max_plans) {
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

bool PlanCache::drop_idle_memory() {
  const std::lock_guard lock(mutex_);
  bool dropped = false;
  for (const Entry& entry : entries_) dropped = entry.plan->idle.clear() || dropped;
  return dropped;
}

}  // namespace percale
