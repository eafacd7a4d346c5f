// The struct behind percale_engine.
#ifndef PERCALE_C_API_ENGINE_H_
#define PERCALE_C_API_ENGINE_H_

#include <memory>

#include "c_api/api.h"
#include "core/engine/engine.h"
#include "core/session/context/async.h"

namespace percale::c_api {
class Plugins;  // c_api/plugin/plugin.h
}

struct percale_engine : percale::c_api::Counted {
  percale::c_api::HostUser log_user;  // declared first: it outlives every object that may still log
  percale_log_function log_write = nullptr;
  std::shared_ptr<percale::Engine> engine;
  std::shared_ptr<const percale::c_api::Plugins> plugins;
  std::unique_ptr<percale::AsyncRunner> runner;  // for asynchronous runs
};

#endif  // PERCALE_C_API_ENGINE_H_
