// What stands behind percale_engine.
#ifndef PERCALE_C_API_RUN_ENGINE_H_
#define PERCALE_C_API_RUN_ENGINE_H_

#include <memory>

#include "c_api/api.h"
#include "c_api/plugin/plugin.h"
#include "core/engine/engine.h"
#include "core/session/context/async.h"

struct percale_engine : percale::c_api::Counted {
  percale::c_api::HostUser log_user;  // outlives what may still log
  percale_log_function log_write = nullptr;
  std::shared_ptr<percale::Engine> engine;
  std::shared_ptr<const percale::c_api::Plugins> plugins;
  std::unique_ptr<percale::AsyncRunner> runner;  // for asynchronous runs
};

namespace percale::c_api {

// The JSON of percale_engine_describe().
std::string describe_info(const percale_engine& engine);
std::string describe_ops(const Registry& registry);
std::string describe_layers();
std::string describe_passes();
std::string describe_kernels(const Registry& registry);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_RUN_ENGINE_H_
