// Composes an engine: the op set, the CPU and the plug-ins, as the options say.
#include "c_api/engine.h"

#include <charconv>
#include <utility>

#include "c_api/host/host_api.h"
#include "c_api/options/options.h"
#include "c_api/plugin/plugin.h"
#include "c_api/run/cluster.h"
#include "c_api/run/engine_describe.h"
#include "core/system/memory.h"
#include "core/train/method/metric_ops.h"
#include "core/train/method/optimizer.h"
#include "core/train/method/schedule.h"
#include "core/train/spec.h"
#include "devices/cpu/cpu_device.h"
#include "ops/all_ops.h"

using namespace percale;
using namespace percale::c_api;

namespace {

constexpr std::string_view kKind = "engine";

LogLevel parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  if (text == "error") return LogLevel::kError;
  return text == "off" ? LogLevel::kOff : LogLevel::kWarning;
}

// JOB:NUMBER
Status set_task(Cluster& cluster, std::string_view text) {
  const size_t colon = text.rfind(':');
  const std::string_view digits = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || colon == 0) {
    return invalid_argument("option 'task' is '", text, "', wanted JOB:NUMBER, such as worker:1");
  }
  return cluster.set_role(text.substr(0, colon), number).with_context("option 'task'");
}

// The cluster that the options name, and the certificates of its environment.
Status add_cluster(const OptionValues& values, EngineOptions& options) {
  const std::string text = values.text("cluster"), task = values.text("task");
  if (text.empty()) return task.empty() ? Status() : invalid_argument("option 'task' needs the option 'cluster'");
  const bool is_environment = text == "environment";
  auto found = is_environment ? cluster_of_environment() : Cluster::from_json(text);
  PERCALE_RETURN_IF_ERROR(found.status().with_context("option 'cluster'"));
  Cluster cluster = std::move(found).value();
  if (!task.empty()) PERCALE_RETURN_IF_ERROR(set_task(cluster, task));
  options.cluster = std::make_shared<const Cluster>(std::move(cluster));
  if (is_environment && options.certificates.empty()) options.certificates = certificates_of_environment();
  return {};
}

EngineOptions engine_options(const OptionValues& options) {
  return {.threads = static_cast<int32_t>(options.integer("threads")),
          .memory_limit = options.integer("memory_limit"),
          .devices = options.text("devices"),
          .isa = options.text("isa"),
          .numerics = {.portable = options.text("numerics") == "portable",
                       .batch_invariant = options.is_on("batch_invariant")},
          .log_level = parse_log_level(options.text("log")),
          .device_memory_limit = options.integer("device_memory_limit"),
          .deterministic = options.is_on("deterministic"),
          .tf32 = options.is_on("tf32"),
          .map_files = options.is_on("map_files"),
          .certificates = options.text("certificates"),
          .connect_timeout = options.integer("connect_timeout")};
}

Status make_engine(const percale_options* options, percale_engine* out) {
  const OptionValues values(options, kKind);
  EngineOptions engine = engine_options(values);
  PERCALE_RETURN_IF_ERROR(add_cluster(values, engine));
  const std::string onednn = values.text("onednn");
  PERCALE_ASSIGN_OR_RETURN(std::shared_ptr<Plugins> plugins,
                           Plugins::load(host_api(), values.text("plugin_path"), onednn == "off" ? "onednn" : ""));
  auto registry = std::make_shared<Registry>();
  PERCALE_RETURN_IF_ERROR(register_all_ops(*registry, engine.isa, engine.numerics));
  PERCALE_RETURN_IF_ERROR(plugins->add_to(*registry));
  if (onednn == "require" && !plugins->has("onednn")) {
    return failed_precondition("option 'onednn' is 'require', but the plug-in libpercale_onednn.so is absent");
  }
  if (onednn == "require" && engine.numerics.own_kernels_only()) {
    return invalid_argument("option 'onednn' is 'require', but ", engine.numerics.text(),
                            " excludes kernels of plug-ins; leave out one of the two");
  }
  const auto memory = Engine::make_pool(engine);
  if (options != nullptr) memory->set_host_files(options->reader);
  const auto cpu = CpuDevices::create(memory);
  const std::string isa = registry->isa(), facts = plugins->facts(engine.devices, engine.numerics);
  Engine::Parts parts{.registry = std::move(registry),
                      .device_apis = {&cpu->api()},
                      .isa = isa,
                      .numerics = facts + (engine.tf32 ? " tf32=on" : ""),
                      .transport = plugins->find_transport(),
                      .absent = {},
                      .memory = memory,
                      .host_pool = options == nullptr ? nullptr : options->thread_pool,
                      .owners = {plugins, cpu}};
  bool has_cuda = false;
  for (const percale_device_api* api : plugins->devices()) {
    parts.device_apis.push_back(api);
    has_cuda = has_cuda || std::string_view(api->kind) == "cuda";
  }
  if (!has_cuda) parts.absent.push_back({"cuda", "the plug-in libpercale_cuda.so is not there"});
  PERCALE_ASSIGN_OR_RETURN(out->engine, Engine::create(engine, std::move(parts)));
  out->plugins = std::move(plugins);
  const ThreadPool& threads = out->engine->threads();
  out->runner.reset(new AsyncRunner(threads.threads(), threads.host()));
  return {};
}

void forward_log(void* user, LogLevel level, std::string_view message) {
  const auto* engine = static_cast<const percale_engine*>(user);
  const std::string text(message);  // NUL-ended
  const CallbackScope scope(Callback::kClosed);
  engine->log_write(engine->log_user.user, static_cast<int32_t>(level), text.c_str(), text.size());
}

void set_log(percale_engine& engine, percale_log_function function, void* user, percale_destroy destroy) {
  HostUser before;  // ends last, when nothing calls it any more
  before.user = std::exchange(engine.log_user.user, user);
  before.destroy = std::exchange(engine.log_user.destroy, destroy);
  engine.log_write = function;
  engine.engine->log().user = &engine;
  engine.engine->log().write = function == nullptr ? nullptr : &forward_log;
}

}  // namespace

percale_status* percale_engine_create(const percale_options* options, percale_engine** out_engine) {
  clear(out_engine);
  return guarded(__func__, {NEEDS(out_engine)}, [&, function = __func__]() -> Status {
    PERCALE_RETURN_IF_ERROR(check_options(function, options, kKind));
    auto handle = std::make_unique<percale_engine>();
    PERCALE_RETURN_IF_ERROR(make_engine(options, handle.get()));
    *out_engine = handle.release();
    return {};
  });
}

percale_engine* percale_engine_retain(percale_engine* engine) { return retain(engine); }

void percale_engine_release(percale_engine* engine) { release(engine); }

size_t percale_engine_device_count(const percale_engine* engine) {
  return engine == nullptr ? 0 : engine->engine->devices().size();
}

const char* percale_engine_get_device_name(const percale_engine* engine, size_t index) {
  if (engine == nullptr || index >= engine->engine->devices().size()) return nullptr;
  return engine->engine->devices()[index]->name().c_str();
}

percale_status* percale_engine_describe(const percale_engine* engine, const char* what, percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {NEEDS(engine), NEEDS(what), NEEDS(out_json)}, [&, function = __func__]() -> Status {
    struct Topic {
      std::string_view name;
      std::string (*json)(const percale_engine& engine);
    };
    static constexpr Topic kTopics[] = {
        {"info", [](const percale_engine& e) { return describe_info(e); }},
        {"ops", [](const percale_engine& e) { return describe_ops(*e.engine->registry()); }},
        {"asked_ops", [](const percale_engine& e) { return describe_asked_ops(*e.engine->registry()); }},
        {"layers", [](const percale_engine&) { return describe_layers(); }},
        {"passes", [](const percale_engine&) { return describe_passes(); }},
        {"kernels", [](const percale_engine& e) { return describe_kernels(*e.engine->registry()); }},
        {"losses", [](const percale_engine&) { return named_facts_json(loss_facts()); }},
        {"metrics", [](const percale_engine&) { return named_facts_json(metric_facts()); }},
        {"optimizers", [](const percale_engine&) { return named_facts_json(optimizer_facts()); }},
        {"schedules", [](const percale_engine&) { return named_facts_json(schedule_facts()); }},
        {"spec", [](const percale_engine&) { return key_facts_json(spec_facts()); }}};
    std::string names;
    for (const Topic& topic : kTopics) {
      if (topic.name == what) {
        *out_json = make_text(topic.json(*engine));
        return {};
      }
      names += str_cat(names.empty() ? "" : ", ", topic.name);
    }
    return not_found(function, ": nothing is called '", what, "', only ", names);
  });
}

void percale_engine_set_log(percale_engine* engine, percale_log_function function, void* user) {
  if (engine != nullptr) set_log(*engine, function, user, nullptr);
}

percale_status* percale_engine_set_log_owned(percale_engine* engine, percale_log_function function, void* user,
                                             percale_destroy destroy) {
  return guarded(__func__, {NEEDS(engine)}, [&]() -> Status {
    set_log(*engine, function, user, destroy);
    return {};
  });
}

void percale_engine_memory(const percale_engine* engine, int64_t* out_used, int64_t* out_peak) {
  if (out_used != nullptr) *out_used = engine == nullptr ? 0 : engine->engine->memory()->used();
  if (out_peak != nullptr) *out_peak = engine == nullptr ? 0 : engine->engine->memory()->peak();
}

int64_t percale_engine_trim(percale_engine* engine) {
  if (engine == nullptr) return 0;
  return guarded_value(int64_t{0}, [&] {
    const int64_t bytes = engine->engine->users().trim();
    os::return_free_memory();
    return bytes;
  });
}

percale_status* percale_engine_metrics(const percale_engine* engine, percale_text** out_json) {
  clear(out_json);
  return guarded(__func__, {NEEDS(engine), NEEDS(out_json)}, [&]() -> Status {
    *out_json = make_text(describe_metrics(*engine));
    return {};
  });
}
