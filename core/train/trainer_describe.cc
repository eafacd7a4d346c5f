// Describes a trainer and its run as JSON.
#include <algorithm>

#include "core/graph/device_hint.h"
#include "core/text/json.h"
#include "core/train/parallel/step_flops.h"
#include "core/train/trainer.h"

namespace percale {
namespace {

template <class T>
void write_or_null(JsonWriter& w, std::string_view key, bool known, const T& value) {
  w.key(key);
  if (known) {
    w.value(value);
  } else {
    w.null();
  }
}

void write_names(JsonWriter& w, std::string_view key, const std::vector<std::string>& names) {
  w.key(key).begin_array();
  for (const std::string& name : names) w.value(name);
  w.end_array();
}

// The variables that the nodes of a pipeline's stage read.
std::vector<std::string> stage_variables(const Function& f, const ParallelSpec& spec, int64_t stage) {
  std::vector<std::string> out;
  for (const Node& node : f.nodes) {
    if (!node.op->is(Role::kReadVariable)) continue;
    const auto hint = parse_group_hint(node.device);
    std::string variable(node.attributes.get_string("variable"));
    const bool own = (hint ? hint->place / spec.splits : 0) == stage;
    if (own && std::ranges::find(out, variable) == out.end()) out.push_back(std::move(variable));
  }
  return out;
}

void write_dataset(JsonWriter& w, std::string_view key, const Dataset* data) {
  w.key(key);
  if (data == nullptr) {
    w.null();
    return;
  }
  w.begin_object();
  write_or_null(w, "rows", !data->is_stream(), data->rows());
  w.key("batch_size").value(data->options().batch_size);
  write_or_null(w, "batches", !data->is_stream(), data->batches());
  w.key("shuffle").value(data->options().shuffle_seed >= 0).end_object();
}

}  // namespace

void Trainer::describe_parallel(JsonWriter& w) const {
  const ParallelSpec& spec = job_.options.parallel;
  const auto& groups = devices_->groups();
  w.key("parallel").begin_object();
  write_or_null(w, "strategy", !spec.strategy.empty(), spec.strategy);
  // Unknown: as many as there are devices and shards for.
  write_or_null(w, "replicas", !groups.empty() || spec.replicas > 0,
                groups.empty() ? spec.replicas : static_cast<int64_t>(groups.size()));
  w.key("stages").value(spec.stages).key("splits").value(spec.splits);
  // Unknown: the shards, shared by the replicas.
  write_or_null(w, "micro_batches", spec.micro_batches > 0, spec.micro_batches);
  w.key("schedule").value(spec.schedule == ParallelSpec::Schedule::kGPipe ? "gpipe" : "1f1b");
  w.key("shards_at_once").value(static_cast<int64_t>(steps_->shards.lanes()));
  w.key("device_memory").value(spec.device_memory).key("groups").begin_array();
  for (const DeviceGroup& group : groups) {
    w.begin_array();
    for (const int32_t device : group) w.value(devices_->device(device).name());
    w.end_array();
  }
  w.end_array().key("stage_variables").begin_array();
  const Function& f = *job_.graph.graph->find_function(kComputeFunction);
  for (int64_t stage = 0; stage < spec.stages; ++stage) {
    w.begin_array();
    for (const std::string& variable : stage_variables(f, spec, stage)) w.value(variable);
    w.end_array();
  }
  w.end_array().key("split").begin_object();
  for (const auto& [variable, form] : job_.graph.split) w.key(variable).value(split_form_name(form));
  w.end_object().key("planned_bytes").begin_object();
  for (const auto& [device, bytes] : steps_->planner.facts().device_bytes) {
    w.key(devices_->device(device).name()).value(bytes);
  }
  w.end_object().end_object();
}

void Trainer::describe_shards(JsonWriter& w) const {
  const ShardPlanner::Facts facts = steps_->planner.facts();
  const double flops = flops_per_row(job_.graph.graph->main());
  write_or_null(w, "shards", shards() > 0, shards());  // unknown: the first batch decides
  w.key("batch_coupled").value(job_.graph.batch_coupled);
  write_or_null(w, "replicas", !devices_->groups().empty(), static_cast<int64_t>(replicas()));
  const DatasetPosition& position = epochs_->log.position();
  w.key("steps").value(steps()).key("epoch").value(position.epoch + 1).key("step_in_epoch").value(position.batch);
  w.key("planned_bytes").value(facts.planned_bytes).key("recomputes").value(facts.recomputes);
  w.key("gflop_per_row").value(flops * 1e-9);
}

void Trainer::describe_devices(JsonWriter& w) const {
  w.key("parameter_placement").begin_object();
  w.key("parameters").value(parameters_name(job_.options.parameters.where)).key("devices").begin_array();
  parameters_.store->describe(w);
  w.end_array().end_object().key("devices").begin_array();
  for (const auto& device : job_.engine->devices()) w.value(device->name());
  w.end_array().key("idle_devices").begin_array();
  for (const DeviceGroup& group : devices_->spare()) {
    for (const int32_t index : group) w.value(devices_->device(index).name());
  }
  w.end_array();
  write_names(w, "lost_devices", devices_->lost());
  w.key("threads").value(job_.engine->threads().threads());
}

void Trainer::describe_group(JsonWriter& w) const {
  w.key("group");
  const Group* const group = job_.group.get();
  if (group == nullptr) {
    w.null();
    return;
  }
  const Group::Facts& facts = group->facts();
  w.begin_object().key("rank").value(static_cast<int64_t>(group->origin()));
  w.key("size").value(static_cast<int64_t>(group->size())).key("lost").value(static_cast<int64_t>(group->lost()));
  w.key("devices").value(group->devices()).key("exchanges").value(facts.exchanges);
  w.key("bytes_sent").value(facts.bytes_sent);
  w.key("waited_seconds").value(static_cast<double>(facts.waited_ns) * 1e-9).end_object();
}

void Trainer::describe_early_stopping(JsonWriter& w) const {
  const EarlyStopper& early = epochs_->early;
  w.key("early_stopping");
  if (!early.options().on) {
    w.null();
    return;
  }
  const auto best = early.best_epoch();
  w.begin_object().key("monitor").value(early.options().monitor.name).key("stopped").value(early.stopped());
  write_or_null(w, "best_epoch", best.has_value(), best ? best->epoch : 0);
  write_or_null(w, "best", best.has_value(), best ? best->value : 0);
  w.end_object();
}

std::string Trainer::describe() const {
  int64_t parameters = 0, trainable = 0;
  for (const Variable& v : job_.model.graph->variables) parameters += v.slot ? 0 : v.shape.num_elements();
  for (const Variable& v : job_.graph.parameters) trainable += v.shape.num_elements();
  const TrainerOptions& options = job_.options;
  JsonWriter w;
  w.begin_object().key("parameters").value(parameters).key("trainable").value(trainable);
  w.key("optimizer").value(options.optimizer.name()).key("learning_rate").value(epochs_->rate.base());
  w.key("by_rows").begin_array();
  for (const size_t i : job_.graph.by_rows) w.value(job_.graph.parameters[i].name);
  w.end_array();
  w.key("mode").value(options.mode).key("seed").value(options.seed).key("epochs").value(options.epochs);
  describe_shards(w);
  describe_parallel(w);
  describe_devices(w);
  describe_group(w);
  write_dataset(w, "train", data_.train.get());
  write_dataset(w, "test", data_.test.get());
  describe_early_stopping(w);
  write_names(w, "metrics", history().metric_names);
  identity_.describe(w);
  w.key("run");
  steps_->facts.write(w);
  w.end_object();
  return w.text();
}

}  // namespace percale
