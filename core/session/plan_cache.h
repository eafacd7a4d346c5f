// Compiles plans on demand and keeps the plans that were used last.
#ifndef PERCALE_CORE_SESSION_PLAN_CACHE_H_
#define PERCALE_CORE_SESSION_PLAN_CACHE_H_

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "core/compile/compile.h"
#include "core/session/context/node_times.h"
#include "core/state/variables.h"

namespace percale {

// Thread-safe. Two threads that want the same new plan may both compile it; one of the plans is
// kept.
class PlanCache {
 public:
  struct Options {
    CompileOptions compile;
    int64_t max_plans = 0;
    // Compiles a plan again after 8, 64, 512, ... uses, and takes the new plan if the measured
    // times place nodes differently.
    bool measures = false;
  };
  // Borrows everything. `variables` and `times` may be null.
  PlanCache(const Engine& engine, Options options, const Variables* variables, const NodeTimes* times,
            DeviceStore& store);

  struct Request {
    const Graph& graph;
    int64_t graph_id;  // 0: the session's graph; else Plan::id of the plan whose rest it is
    const RunSpec& spec;
    std::span<const ValueType> feed_types;
    std::span<const Tensor> contents = {};  // as CompileRequest::contents
  };
  Result<std::shared_ptr<const Plan>> find_or_compile(const Request& request);

  // Frees the memory that finished runs have left with the plans. Returns false if there was none.
  bool drop_idle_memory();

  int64_t plans_made() const { return plans_made_.load(); }
  int64_t hits() const { return hits_.load(); }
  int64_t peak_bytes() const { return peak_bytes_.load(); }  // of the largest plan

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Plan> plan;
    int64_t uses = 0, next_review = 8;
  };
  std::shared_ptr<const Plan> find(const std::string& key, bool* review);
  bool is_due(Entry& entry) const;
  Result<std::shared_ptr<const Plan>> compile_plan(const Request& request);
  void keep(std::string key, const std::shared_ptr<const Plan>& plan, bool replaces);

  const Engine& engine_;
  const Options options_;
  const Variables* const variables_;
  const NodeTimes* const times_;
  DeviceStore& store_;
  std::mutex mutex_;          // guards the two below
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
  std::atomic<int64_t> plans_made_{0}, hits_{0}, peak_bytes_{0};
};

}  // namespace percale

#endif  // PERCALE_CORE_SESSION_PLAN_CACHE_H_
