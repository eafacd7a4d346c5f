// Copies of variables in the memory of devices, kept from run to run.
#ifndef PERCALE_CORE_ENGINE_DEVICE_VARIABLES_H_
#define PERCALE_CORE_ENGINE_DEVICE_VARIABLES_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/engine/device_handle.h"

namespace percale {

// What contents a copy has. Equal ones are equal contents; `number` -1 is equal to none.
struct VariableVersion {
  int64_t number = -1;
  const void* of =
      nullptr;  // whose numbers these are: the memory of the variable, or null where they are the caller's own
  bool operator==(const VariableVersion& o) const { return number >= 0 && number == o.number && of == o.of; }
};

// One copy per device and version, as many versions at once as runs have in use. Thread-safe. Must not outlive the devices.
class DeviceVariables {
 public:
  // `memory` counts the copies.
  explicit DeviceVariables(std::shared_ptr<MemoryPool> memory);
  ~DeviceVariables();
  DeviceVariables(const DeviceVariables&) = delete;
  DeviceVariables& operator=(const DeviceVariables&) = delete;

  // Numbers of what is kept like a variable: values that a caller hands from run to run (RunSpec::given_of); what is computed from variables
  // alone, by precomputed_form().
  static constexpr int32_t kFirstGiven = int32_t{1} << 29, kFirstPrecomputed = int32_t{1} << 30;
  int32_t number_of(const std::string& form);

  class Copy;
  static void* data(const Copy& copy);
  static int64_t bytes(const Copy& copy);
  // The copy of a variable's contents, made now where the device has none of this version. Nobody changes it until release().
  Result<Copy*> read(const Device& device, int32_t variable, const VariableVersion& version, const void* contents,
                     int64_t bytes);
  void release(Copy* copy);
  // The copy of a version that is there, as read() gives it; null where there is none.
  Copy* find(const Device& device, int32_t variable, const VariableVersion& version);
  // Waits for it.
  static Status to_host(const Device& device, const Copy& copy, void* to, int64_t bytes);
  // Memory for a value that the device will compute, which is nobody else's until keep() says what it holds; a version of -1: nothing.
  Result<Copy*> make(const Device& device, int32_t variable, int64_t bytes);
  void keep(Copy* copy, const VariableVersion& version);

  // Frees what no run has in use of these.
  void drop(const std::vector<int32_t>& variables);
  // Frees what no run has in use; false when there was nothing.
  bool clear();
  // Of copies that hold a version; of those that are memory for the next one.
  struct Held {
    int64_t current = 0, spare = 0;
  };
  Held held(const Device& device) const;

 private:
  struct Shelf;
  bool free_unused(std::list<Copy>& copies);
  Shelf& shelf(const Device& device);
  // One that nobody uses, the oldest, else a new one. With the shelf's lock held.
  Result<Copy*> free_copy(Shelf& shelf, const Device& device, int32_t variable, int64_t bytes);

  const std::shared_ptr<MemoryPool> memory_;
  mutable std::mutex mutex_;  // guards the maps, not the shelves
  std::map<const Device*, std::unique_ptr<Shelf>> shelves_;
  std::map<std::string, int32_t> precomputed_;
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_DEVICE_VARIABLES_H_
