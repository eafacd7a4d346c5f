// How the trainer lies on the devices: groups of replicas, shards under way, planned memory.
#include <algorithm>

#include "core/compile/plan_bytes.h"
#include "core/graph/device_hint.h"
#include "core/train/shards/device_choice.h"
#include "core/train/trainer_resident.h"

namespace percale {

bool Trainer::is_placed() const {
  for (const Function& f : graph_.graph->functions) {
    for (const Node& node : f.nodes) {
      if (names_device(node.device) && !parse_colocation_hint(node.device)) return true;
    }
  }
  return false;
}

Status Trainer::check_parallel() const {
  const ParallelSpec& spec = options_.parallel;
  if (!spec.says_devices()) return {};
  if (is_placed()) {
    return invalid_argument("'parallel': nodes of the model name devices, which says where they run already");
  }
  return device_groups(*engine_, options_.devices, spec).status();
}

Result<std::vector<std::vector<int32_t>>> Trainer::candidate_groups() const {
  const bool one = engine_->devices().size() == 1 && options_.devices.empty() && !options_.parallel.says_devices();
  if (is_placed() || one || engine_->devices().empty()) return std::vector<std::vector<int32_t>>(1);
  return device_groups(*engine_, options_.devices, options_.parallel);
}

bool Trainer::computes_as_host(int32_t index) const {
  const auto& devices = engine_->devices();
  const auto host = std::find_if(devices.begin(), devices.end(), [](const auto& d) { return d->shares_host_memory(); });
  return host != devices.end() && kernel_kind(*devices[static_cast<size_t>(index)]) == kernel_kind(**host);
}

bool Trainer::computes_together() const {
  return graph_.meets_shards || (resident_ != nullptr && resident_->several());
}

// The job's number of shards, and how many of a replica are under way at once.
Result<size_t> Trainer::choose_shards(int64_t rows, size_t groups) {
  const ParallelSpec& spec = options_.parallel;
  const int64_t wanted = spec.replicas > 0 ? spec.replicas : static_cast<int64_t>(groups);
  int64_t& shards = options_.shards;
  if (spec.micro_batches > 0) {
    const int64_t product = wanted * spec.micro_batches;
    if (shards > 0 && shards != product) {
      return invalid_argument("'shards' is ", shards, ", ", wanted, " replicas x ", spec.micro_batches,
                              " micro_batches are ", product, ": give one of them, or numbers that agree");
    }
    if (product > kMaxShards) {
      return out_of_range(wanted, " replicas x ", spec.micro_batches, " micro_batches are ", product,
                          " shards of a batch, wanted ", kMaxShards, " at most");
    }
    shards = product;
  } else if (shards == 0) {
    shards = default_shards(graph_, rows);
    const int64_t least = spec.stages > 1 ? wanted * spec.stages : spec.replicas;
    if (shards < least && graph_.batch_coupled) {
      return invalid_argument("rows of a batch influence each other, so that it is one shard, and 'parallel' wants ",
                              least, " or more: say with 'shards' or 'micro_batches' into how many to cut it");
    }
    shards = std::max(shards, least);
  } else if (wanted > shards) {
    return invalid_argument(wanted, spec.group_size() > 1 ? " replicas share " : " devices share ", shards,
                            " shards of a batch: give at least one shard per ",
                            spec.group_size() > 1 ? "replica, or fewer replicas" : "device, or fewer devices");
  }
  const int64_t replicas = std::min(wanted, shards), each = (shards + replicas - 1) / replicas;
  const bool all = spec.schedule == ParallelSpec::Schedule::kGPipe;
  lanes_ = static_cast<size_t>(graph_.meets_shards ? each
                               : spec.stages == 1  ? 1
                               : all               ? each
                                                   : std::min(spec.stages, each));
  return static_cast<size_t>(replicas);
}

// What the plans of the shards hold of the replicas' devices; an error where one of them may not hold so much.
Status Trainer::check_device_memory() {
  device_bytes_.clear();
  for (const auto& [rows, plans] : *shard_plans_) {
    for (size_t replica = 0; replica < plans.size(); ++replica) {
      if (plans[replica] == nullptr) continue;
      const std::vector<int32_t>& group = groups_[replica];
      std::map<int32_t, int64_t> own;  // a device may have several programs
      for (const DeviceBytes& part : device_bytes(*plans[replica])) {
        // Other devices hold variables for the group, in the host's memory.
        const bool is_own = group.empty() || std::find(group.begin(), group.end(), part.device) != group.end();
        if (is_own) own[part.device] += static_cast<int64_t>(lanes_) * part.per_run + part.shared;
      }
      for (const auto& [device, bytes] : own) device_bytes_[device] = std::max(device_bytes_[device], bytes);
    }
  }
  const int64_t cap = options_.parallel.device_memory;
  for (const auto& [device, bytes] : device_bytes_) {
    if (cap == 0 || bytes <= cap) continue;
    return resource_exhausted("'device_memory': ", engine_->devices()[static_cast<size_t>(device)]->name(),
                              " would need ", bytes, " bytes for ", static_cast<uint64_t>(lanes_),
                              " shards at once, it may have ", cap,
                              ": use more stages, splits or micro_batches, a smaller batch, or 'recompute'");
  }
  return {};
}

void Trainer::describe_parallel(JsonWriter& w) const {
  const ParallelSpec& spec = options_.parallel;
  const auto name = [&](int32_t device) { return engine_->devices()[static_cast<size_t>(device)]->name(); };
  w.key("parallel").begin_object().key("strategy");
  if (spec.strategy.empty()) {
    w.null();
  } else {
    w.value(spec.strategy);
  }
  w.key("replicas");
  if (!groups_.empty()) {
    w.value(static_cast<int64_t>(groups_.size()));
  } else if (spec.replicas > 0) {
    w.value(spec.replicas);
  } else {
    w.null();  // as many as there are devices and shards for
  }
  w.key("stages").value(spec.stages).key("splits").value(spec.splits).key("micro_batches");
  if (spec.micro_batches > 0) {
    w.value(spec.micro_batches);
  } else {
    w.null();  // the shards, shared by the replicas
  }
  w.key("schedule").value(spec.schedule == ParallelSpec::Schedule::kGPipe ? "gpipe" : "1f1b");
  w.key("shards_at_once").value(static_cast<int64_t>(lanes_)).key("device_memory").value(spec.device_memory);
  w.key("groups").begin_array();
  for (const auto& group : groups_) {
    w.begin_array();
    for (const int32_t device : group) w.value(name(device));
    w.end_array();
  }
  w.end_array().key("stage_variables").begin_array();
  const Function& f = *graph_.graph->find_function(kComputeFunction);
  for (int64_t stage = 0; stage < spec.stages; ++stage) {
    std::vector<std::string> seen;
    for (const Node& node : f.nodes) {
      if (op_name(*node.op) != "percale:ReadVariable") continue;
      const auto hint = parse_group_hint(node.device);
      const std::string variable(node.attributes.get_string("variable"));
      const bool own = (hint ? hint->place / spec.splits : 0) == stage;
      if (own && std::find(seen.begin(), seen.end(), variable) == seen.end()) seen.push_back(variable);
    }
    w.begin_array();
    for (const std::string& variable : seen) w.value(variable);
    w.end_array();
  }
  w.end_array().key("split").begin_object();
  for (const auto& [variable, form] : graph_.split) w.key(variable).value(split_form_name(form));
  w.end_object().key("planned_bytes").begin_object();
  for (const auto& [device, bytes] : device_bytes_) w.key(name(device)).value(bytes);
  w.end_object().end_object();
}

}  // namespace percale
