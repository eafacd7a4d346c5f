// The thread pool of a host, on which the engine computes instead of threads of its own.
#ifndef PERCALE_CORE_BASE_HOST_POOL_H_
#define PERCALE_CORE_BASE_HOST_POOL_H_

#include <functional>

#include "core/base/status.h"

namespace percale {

// Thread-safe.
class HostPool {
 public:
  virtual ~HostPool() = default;
  // Hands over a task, which throws nothing. The host runs it once, at any time and on any thread,
  // also within this call, or destroys it without running it. After an error it is destroyed.
  virtual Status execute(std::function<void()> task) = 0;
};

}  // namespace percale

#endif  // PERCALE_CORE_BASE_HOST_POOL_H_
