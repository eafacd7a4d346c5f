// Environment variables with a wanted form.
#ifndef PERCALE_CORE_ENGINE_CLUSTER_ENVIRONMENT_H_
#define PERCALE_CORE_ENGINE_CLUSTER_ENVIRONMENT_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/base/status.h"
#include "core/engine/cluster/cluster.h"

namespace percale {

// Every error is INVALID_ARGUMENT. It names the variable, its value, and the wanted one.
class Environment {
 public:
  // `get` must outlive this object.
  explicit Environment(const Cluster::GetVariable& get) : get_(get) {}

  // Returns the value, or null if the variable is not set.
  const char* find(const char* name) const { return get_(name); }
  std::string get_or(const char* name, const char* fallback) const {
    const char* value = find(name);
    return value == nullptr ? fallback : value;
  }
  // Returns the first of the names that is set, or null. Names that are null are skipped.
  const char* first_set(std::initializer_list<const char*> names) const;

  // The variable must be set to an integer from `min` to `max`.
  Result<int64_t> integer(const char* name, int64_t min, int64_t max) const;
  // Returns `fallback` if the variable is not set.
  Result<int64_t> port(const char* name, int64_t fallback) const;
  // The variable must be set to a host without a port. An IPv6 address gets brackets.
  Result<std::string> host(const char* name) const;

 private:
  const Cluster::GetVariable& get_;
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_CLUSTER_ENVIRONMENT_H_
