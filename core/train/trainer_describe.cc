// What a trainer and its model are: costs, and a description for people.
#include "core/text/json.h"
#include "core/train/parallel/step_flops.h"
#include "core/train/trainer_parameters.h"
#include "core/train/trainer_resident.h"

namespace percale {

int64_t default_shards(const TrainGraph& graph, int64_t rows) {
  if (graph.batch_coupled) return 1;
  const double flops = flops_per_row(graph.graph->main()) * static_cast<double>(rows);
  int64_t shards = 1;
  while (shards < 8 && rows / (2 * shards) >= 8 && flops / static_cast<double>(2 * shards) >= 1e9) shards *= 2;
  return shards;
}

void Trainer::describe_parameters(JsonWriter& w) const {
  w.key("parameter_placement").begin_object();
  w.key("parameters").value(parameters_name(options_.parameters.where)).key("devices").begin_array();
  if (parameters_ != nullptr) parameters_->describe(w);
  if (resident_ != nullptr) resident_->describe(w);
  w.end_array().end_object();
}

std::string Trainer::describe() const {
  int64_t parameters = 0, trainable = 0;
  for (const Variable& v : model_.graph->variables) {
    if (v.slot) continue;
    parameters += v.shape.num_elements();
  }
  for (const Variable& v : graph_.parameters) trainable += v.shape.num_elements();
  const std::lock_guard lock(plan_mutex_);
  JsonWriter w;
  w.begin_object().key("parameters").value(parameters).key("trainable").value(trainable);
  w.key("optimizer").value(options_.optimizer.name()).key("learning_rate").value(base_rate());
  w.key("by_rows").begin_array();
  for (size_t i : graph_.by_rows) w.value(graph_.parameters[i].name);
  w.end_array();
  w.key("mode").value(options_.mode).key("seed").value(options_.seed).key("epochs").value(options_.epochs);
  w.key("shards");
  if (options_.shards > 0) {
    w.value(options_.shards);
  } else {
    w.null();  // the first batch decides
  }
  w.key("batch_coupled").value(graph_.batch_coupled).key("replicas");
  if (groups_.empty()) {
    w.null();  // the first batch decides
  } else {
    w.value(static_cast<int64_t>(replicas()));
  }
  w.key("steps").value(steps_).key("epoch").value(position_.epoch + 1).key("step_in_epoch").value(position_.batch);
  w.key("planned_bytes").value(planned_bytes_).key("recomputes").value(recomputes_);
  w.key("gflop_per_row").value(flops_per_row(graph_.graph->main()) * 1e-9);
  describe_parallel(w);
  describe_parameters(w);
  w.key("devices").begin_array();
  for (const auto& device : engine_->devices()) w.value(device->name());
  w.end_array();
  w.key("idle_devices").begin_array();
  for (const auto& group : idle_) {
    for (const int32_t index : group) w.value(engine_->devices()[static_cast<size_t>(index)]->name());
  }
  w.end_array().key("lost_devices").begin_array();
  for (const std::string& name : lost_devices_) w.value(name);
  w.end_array().key("threads").value(engine_->threads().threads());
  const auto data = [&](std::string_view key, const std::shared_ptr<Dataset>& d) {
    w.key(key);
    if (d == nullptr) {
      w.null();
      return;
    }
    w.begin_object().key("rows").value(d->rows()).key("batch_size").value(d->options().batch_size);
    w.key("batches").value(d->batches()).key("shuffle").value(d->options().shuffle_seed >= 0).end_object();
  };
  data("train", train_data_);
  data("test", test_data_);
  w.key("early_stopping");
  if (options_.early_stopping.on) {
    w.begin_object().key("monitor").value(options_.early_stopping.monitor.name);
    w.key("stopped").value(early_stopping_.stopped).key("best_epoch");
    if (early_stopping_.best_epoch > 0) {
      w.value(early_stopping_.best_epoch).key("best").value(early_stopping_.best);
    } else {
      w.null().key("best").null();
    }
    w.end_object();
  } else {
    w.null();
  }
  w.key("metrics").begin_array();
  for (const std::string& name : history_.metric_names) w.value(name);
  w.end_array();
  identity_.describe(w);
  w.key("run");
  facts_.write(w);
  w.end_object();
  return w.text();
}

}  // namespace percale
