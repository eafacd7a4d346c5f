// A device that this process serves.
#ifndef PERCALE_DEVICES_REMOTE_SERVE_SERVED_DEVICE_H_
#define PERCALE_DEVICES_REMOTE_SERVE_SERVED_DEVICE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"

namespace percale::remote {

// Thread-safe. Functions throw Failure.
class ServedDevice {
 public:
  // The table of `served` must outlive this.
  ServedDevice(const percale_host_api& host, const percale_served_device& served);

  // The bytes of each input and output of an executable.
  struct Operands {
    std::vector<uint64_t> inputs, outputs;
  };

  const std::string& name() const { return name_; }
  // Not set: not known.
  const std::optional<percale_device_options>& options() const { return options_; }
  percale_device_description describe() const;
  bool is_lost() const;
  void* allocate(uint64_t bytes) const;
  void free(void* memory) const { api().free(served_.device, memory); }
  void copy_from_host(void* to, const void* from, uint64_t bytes) const;
  void copy_to_host(void* to, const void* from, uint64_t bytes) const;
  void* compile(const void* graph, uint64_t bytes) const;
  Operands operands(void* executable) const;
  void execute(void* executable, void* const* inputs, void* const* outputs) const;
  void destroy(void* executable) const { api().executable_destroy(executable); }

 private:
  const percale_device_api& api() const { return *served_.api; }

  const percale_host_api& host_;
  const percale_served_device served_;
  const std::string name_;
  std::optional<percale_device_options> options_;
};

}  // namespace percale::remote

#endif  // PERCALE_DEVICES_REMOTE_SERVE_SERVED_DEVICE_H_
