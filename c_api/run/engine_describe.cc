// Facts about an engine, as JSON: bindings generate their wrappers from it, people read it through
// `percale info`.
#include "c_api/run/engine_describe.h"

#include <utility>

#include "c_api/plugin/plugin.h"
#include "core/graph/graph.h"
#include "core/passes/passes.h"
#include "core/text/json.h"
#include "core/train/layers/layers.h"

namespace percale::c_api {
namespace {

void write_dtypes(JsonWriter& json, DTypeSet types) {
  json.key("types").begin_array();
  for (int32_t i = 1; i < kNumDTypes; ++i) {
    if (types.contains(static_cast<DType>(i))) json.value(dtype_name(static_cast<DType>(i)));
  }
  json.end_array();
}

void write_presence(JsonWriter& json, Presence presence) {
  json.key("optional").value(presence == Presence::kOptional || presence == Presence::kVariadicOrNone);
  json.key("variadic").value(presence >= Presence::kVariadic);
}

std::string_view gradient_name(GradFn grad) {
  switch (grad.kind()) {
    case GradFn::Kind::kNone: return "none";
    case GradFn::Kind::kZero: return "zero";
    case GradFn::Kind::kFunction:
    case GradFn::Kind::kBody: return "yes";
  }
  return "none";
}

// `doc` may be "".
void write_attribute(JsonWriter& json, const AttrSpec& attribute, std::string_view doc = {}) {
  json.begin_object().key("name").value(attribute.name).key("kind").value(attr_kind_name(attribute.kind));
  json.key("required").value(attribute.required);
  if (attribute.has_default) {
    json.key("default");
    switch (attribute.kind) {
      case AttrKind::kInt: json.value(attribute.int_default); break;
      case AttrKind::kFloat: json.value(attribute.float_default); break;
      case AttrKind::kString: json.value(attribute.string_default); break;
      default: json.null();
    }
  }
  if (attribute.min > -std::numeric_limits<double>::infinity()) json.key("min").value(attribute.min);
  if (attribute.max < std::numeric_limits<double>::infinity()) json.key("max").value(attribute.max);
  if (!doc.empty()) json.key("doc").value(doc);
  json.end_object();
}

void write_op(JsonWriter& json, const Registry& registry, const OpSchema& op) {
  json.begin_object().key("name").value(op.name).key("domain").value(op.domain).key("since").value(op.since);
  json.key("doc").value(op.doc).key("inputs").begin_array();
  for (const InputSpec& input : op.inputs) {
    json.begin_object().key("name").value(input.name);
    if (input.group != 0) json.key("group").value(std::string_view(&input.group, 1));
    write_dtypes(json, input.types);
    write_presence(json, input.presence);
    json.key("index").value(input.bounds == Bounds::kChecked).end_object();
  }
  json.end_array().key("attributes").begin_array();
  for (const AttrSpec& attribute : op.attributes) write_attribute(json, attribute);
  json.end_array().key("outputs").begin_array();
  for (const OutputSpec& output : op.outputs) {
    json.begin_object().key("name").value(output.name);
    if (output.group != 0) json.key("group").value(std::string_view(&output.group, 1));
    if (!output.types.empty()) write_dtypes(json, output.types);
    write_presence(json, output.presence);
    json.end_object();
  }
  json.end_array().key("gradient").value(gradient_name(op.grad));
  json.key("stateful").value(op.has(kStateful)).key("random").value(op.has(kRandom));
  json.key("composite").value(op.body != nullptr);
  json.key("devices").begin_array();
  for (const std::string& kind : registry.kernel_kinds(op)) json.value(kind);
  json.end_array().end_object();
}

void write_device(JsonWriter& json, const Device& device) {
  const percale_device_description& facts = device.description();
  json.begin_object().key("name").value(device.name()).key("kind").value(device.kind());
  json.key("model").value(facts.model == nullptr ? "" : facts.model);
  json.key("memory_bytes").value(static_cast<int64_t>(facts.memory_bytes)).key("width").value(device.width());
  json.end_object();
}

}  // namespace

std::string describe_info(const percale_engine& engine) {
  const Engine& core = *engine.engine;
  JsonWriter json;
  json.begin_object().key("version").value(percale_version()).key("abi").value(percale_abi_version());
  json.key("isa").value(core.isa()).key("threads").value(core.threads().threads());
  json.key("fingerprint").value(core.fingerprint());
  json.key("devices").begin_array();
  for (const auto& device : core.devices()) write_device(json, *device);
  json.end_array().key("absent").begin_array();
  for (const AbsentDevice& absent : core.absent_devices()) {
    json.begin_object().key("kind").value(absent.kind).key("reason").value(absent.reason).end_object();
  }
  json.end_array().key("plugins").begin_array();
  for (const PluginInfo& plugin : engine.plugins->infos()) {
    json.begin_object().key("name").value(plugin.name).key("version").value(plugin.version);
    json.key("path").value(plugin.path).key("absent").value(plugin.absent);
    json.key("unused_kernels").value(plugin.unused_kernels).end_object();
  }
  json.end_array().key("formats").begin_array();
  for (const std::string& format : engine.plugins->formats()) json.value(format);
  json.end_array().key("ops").value(static_cast<int64_t>(core.registry()->ops().size()));
  json.key("memory").begin_object().key("used").value(core.memory()->used()).key("peak").value(core.memory()->peak());
  json.key("limit").value(core.memory()->limit()).end_object();
  json.end_object();
  return json.text();
}

std::string describe_metrics(const percale_engine& engine) {
  const Engine& core = *engine.engine;
  const EngineUsers& users = core.users();
  const RunCounts counts = users.counts();
  constexpr double kNs = 1e-9;
  JsonWriter json;
  json.begin_object().key("runs_total").value(counts.runs);
  json.key("run_seconds_total").value(static_cast<double>(counts.run_ns) * kNs);
  json.key("failed_runs_total").begin_object();
  for (size_t i = 0; i < EngineUsers::kCodes; ++i) {
    const auto code = static_cast<Code>(i);
    if (users.failures(code) > 0) json.key(code_name(code)).value(users.failures(code));
  }
  json.end_object().key("sessions").value(counts.sessions);
  json.key("plans_compiled_total").value(counts.plans).key("plan_cache_hits_total").value(counts.cache_hits);
  json.key("training_steps_total").value(std::as_const(users).training_steps().load());
  json.key("memory_bytes").value(core.memory()->used()).key("memory_peak_bytes").value(core.memory()->peak());
  json.key("memory_limit_bytes").value(core.memory()->limit());
  json.key("threads").value(core.threads().threads()).key("host_threads").value(core.threads().host() != nullptr);
  json.key("devices").begin_array();
  for (const auto& device : core.devices()) {
    json.begin_object().key("name").value(device->name()).key("kind").value(device->kind());
    json.key("lost").value(device->lost()).end_object();
  }
  json.end_array().key("uptime_seconds").value(static_cast<double>(now_ns() - users.since_ns()) * kNs).end_object();
  return json.text();
}

std::string describe_ops(const Registry& registry) {
  JsonWriter json;
  json.begin_array();
  for (const OpSchema* op : registry.ops()) write_op(json, registry, *op);
  json.end_array();
  return json.text();
}

std::string describe_asked_ops(const Registry& registry) {
  JsonWriter json;
  json.begin_array();
  for (const std::string& name : registry.asked_ops()) json.value(name);
  json.end_array();
  return json.text();
}

std::string describe_layers() {
  JsonWriter json;
  json.begin_array();
  for (const std::string& name : layer_names()) {
    const Layer& layer = *find_layer(name);
    json.begin_object().key("name").value(layer.name).key("doc").value(layer.doc).key("inputs").begin_object();
    json.key("min").value(static_cast<int64_t>(layer.min_inputs));
    json.key("max").value(static_cast<int64_t>(layer.max_inputs)).end_object().key("attributes").begin_array();
    for (const AttrSpec& attribute : layer.attributes) write_attribute(json, attribute, layer_word(attribute.name));
    json.end_array().end_object();
  }
  json.end_array();
  return json.text();
}

std::string describe_passes() {
  JsonWriter json;
  json.begin_array();
  for (const Pass& pass : device_free_passes()) {
    json.begin_object().key("name").value(pass.name).key("doc").value(pass.doc).end_object();
  }
  json.end_array();
  return json.text();
}

std::string describe_kernels(const Registry& registry) {
  JsonWriter json;
  json.begin_array();
  for (const OpSchema* op : registry.ops()) {
    for (const std::string& kind : registry.kernel_kinds(*op)) {
      json.begin_object().key("op").value(op_name(*op)).key("device").value(kind).key("kernels").begin_array();
      for (const Kernel& kernel : registry.kernels(kind, *op)) json.value(kernel.name);
      json.end_array().end_object();
    }
  }
  json.end_array();
  return json.text();
}

}  // namespace percale::c_api
