// The parts of percale_engine_describe() that describe the engine itself, and
// percale_engine_metrics(), as JSON.
#ifndef PERCALE_C_API_RUN_ENGINE_DESCRIBE_H_
#define PERCALE_C_API_RUN_ENGINE_DESCRIBE_H_

#include <string>

#include "c_api/engine.h"
#include "core/registry/registry.h"

namespace percale::c_api {

std::string describe_info(const percale_engine& engine);
std::string describe_metrics(const percale_engine& engine);
std::string describe_ops(const Registry& registry);
std::string describe_asked_ops(const Registry& registry);
std::string describe_layers();
std::string describe_passes();
std::string describe_kernels(const Registry& registry);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_RUN_ENGINE_DESCRIBE_H_
