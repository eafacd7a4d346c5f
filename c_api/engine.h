// The struct behind percale_engine.
#ifndef PERCALE_C_API_ENGINE_H_
#define PERCALE_C_API_ENGINE_H_

#include <memory>

#include "c_api/api.h"
#include "core/base/process_ptr.h"
#include "core/engine/engine.h"
#include "core/session/context/async.h"

namespace percale::c_api {
class Plugins;  // c_api/plugin/plugin.h
}

struct percale_engine : percale::c_api::Counted {
  percale_engine() = default;
  // Tensors may keep the pool of memory for longer; the files of the host end with the engine.
  ~percale_engine() {
    if (engine != nullptr) engine->memory()->set_host_files(nullptr);
  }
  percale_engine(const percale_engine&) = delete;
  percale_engine& operator=(const percale_engine&) = delete;

  percale::c_api::HostUser log_user;  // declared first: it outlives every object that may still log
  percale_log_function log_write = nullptr;
  std::shared_ptr<percale::Engine> engine;
  std::shared_ptr<const percale::c_api::Plugins> plugins;
  percale::ProcessPtr<percale::AsyncRunner> runner;  // for asynchronous runs
};

#endif  // PERCALE_C_API_ENGINE_H_
