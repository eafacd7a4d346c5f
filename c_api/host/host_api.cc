#include "c_api/host/host_api.h"

#include <algorithm>

#include "c_api/api.h"
#include "c_api/host/tables.h"
#include "core/base/log.h"
#include "core/file/crc32c.h"
#include "core/registry/kernel.h"

namespace percale::c_api {
namespace {

percale_status* status_create(percale_code code, const char* message, size_t size) {
  return guarded(__func__, {NEEDS(message)}, [&]() -> Status {
    const bool known = code > 0 && code <= PERCALE_UNAUTHENTICATED;
    return Status(known ? static_cast<Code>(code) : Code::kUnknown, std::string(text_of(message, size)));
  });
}

void log_write(const percale_run_context* run, percale_log_level level, const char* message, size_t size) {
  if (run == nullptr || run->log == nullptr || message == nullptr) return;
  const auto known = static_cast<LogLevel>(std::clamp<int32_t>(level, PERCALE_LOG_DEBUG, PERCALE_LOG_ERROR));
  try {
    run->log->log(known, text_of(message, size));
  } catch (...) {  // without memory there is no message
  }
}

constexpr percale_host_api kHostApi = {
    .struct_size = sizeof(percale_host_api),
    .status = &kHostStatus,
    .log = &kHostLog,
    .tensor = &kHostTensor,
    .attributes = &kHostAttributes,
    .node = &kHostNode,
    .kernel_plan = &kHostKernelPlan,
    .run = &kHostRun,
    .shape = &kHostShape,
    .grad = &kHostGrad,
    .builder = &kHostBuilder,
    .graph = &kHostGraph,
};

}  // namespace

constinit const percale_host_status_api kHostStatus = {
    .struct_size = sizeof(percale_host_status_api),
    .create = status_create,
    .code = percale_status_code,
    .message = percale_status_message,
    .release = percale_status_release,
};

constinit const percale_host_log_api kHostLog = {
    .struct_size = sizeof(percale_host_log_api),
    .write = log_write,
};

constinit const percale_host_tensor_api kHostTensor = {
    .struct_size = sizeof(percale_host_tensor_api),
    .create = percale_tensor_create,
    .get_data = percale_tensor_get_data,
    .bytes = percale_tensor_bytes,
    .retain = percale_tensor_retain,
    .release = percale_tensor_release,
    .crc32c = percale::crc32c,
};

const percale_host_api& host_api() { return kHostApi; }

}  // namespace percale::c_api
