// Values in the memory of devices that outlive a run: variables, resident and precomputed values.
#ifndef PERCALE_CORE_ENGINE_DEVICE_STORE_H_
#define PERCALE_CORE_ENGINE_DEVICE_STORE_H_

#include <atomic>
#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/engine/device_handle.h"

namespace percale {

// Identifies a value in the store of a session.
struct StoreKey {
  enum class Kind : uint8_t {
    kNone,         // no value
    kVariable,     // `index` is the place of the variable in the graph
    kResident,     // a value that callers hand from run to run; reserve() gives the index
    kPrecomputed,  // computed from variables and constants alone; see precomputed()
    kHanded,       // goes from the first part of a function to its rest, as input `index`
  };
  Kind kind = Kind::kNone;
  int32_t index = -1;

  static StoreKey variable(int64_t index) { return {Kind::kVariable, static_cast<int32_t>(index)}; }
  static StoreKey resident(int64_t index) { return {Kind::kResident, static_cast<int32_t>(index)}; }
  static StoreKey handed(int64_t index) { return {Kind::kHanded, static_cast<int32_t>(index)}; }

  bool defined() const { return kind != Kind::kNone; }
  auto operator<=>(const StoreKey&) const = default;
};

// The keys of the variables with these places in the graph.
std::vector<StoreKey> variable_keys(std::span<const int32_t> variables);

// Identifies the contents of a value.
struct StoreVersion {
  int64_t number = -1;  // -1: unknown contents
  // The namespace of `number`: the memory of a variable, or null for numbers of the caller.
  const void* owner = nullptr;

  // True if both are known to have the same contents.
  bool matches(const StoreVersion& o) const { return number >= 0 && number == o.number && owner == o.owner; }
};

// Keeps one copy per device, key and version, and lends copies to runs. A copy that is lent is
// neither freed nor overwritten. Thread-safe. Must not outlive the devices.
class DeviceStore {
 public:
  // `memory` accounts for the copies.
  explicit DeviceStore(std::shared_ptr<MemoryPool> memory);
  ~DeviceStore();
  DeviceStore(const DeviceStore&) = delete;
  DeviceStore& operator=(const DeviceStore&) = delete;

  // Reserves `count` keys of resident values that no other caller of this store has.
  std::vector<StoreKey> reserve(size_t count);
  // The key of the precomputed value with this form (precomputed_form()).
  StoreKey precomputed(const std::string& form);

  class Copy;
  // Borrows the copy of a version. Returns null if the device has none.
  Copy* find(const Device& device, StoreKey key, const StoreVersion& version);
  // As find(). Copies `bytes` of `contents` to the device if it does not have this version.
  Result<Copy*> fetch(const Device& device, StoreKey key, const StoreVersion& version, const void* contents,
                      int64_t bytes);
  // Borrows memory for a value that the device will compute. find() does not see it before
  // publish().
  Result<Copy*> allocate(const Device& device, StoreKey key, int64_t bytes);
  // Ends the loan of a copy from find() or fetch().
  static void release(Copy* copy);
  // Borrows a copy that is lent once more; release() must follow.
  static void borrow(Copy* copy);
  // Borrows a copy once more, to overwrite it: from now on it holds unknown contents. False if
  // another run has it, too.
  static bool overwrite(Copy* copy);
  // Ends the loan of a copy from allocate() or overwrite(). It now holds `version`, or nothing if
  // that is unknown.
  static void publish(Copy* copy, const StoreVersion& version);

  // Frees the copies of these values that are not lent.
  void drop(std::span<const StoreKey> keys);
  // Frees all copies that are not lent. Returns false if there was none.
  bool drop_unused();
  // The bytes of the newest version of each value, and of all other copies.
  struct Bytes {
    int64_t current = 0, spare = 0;
  };
  Bytes bytes_on(const Device& device) const;

 private:
  struct Shelf;
  bool free_unused(std::list<Copy>& copies);
  Shelf& shelf(const Device& device);
  Result<Copy*> unused_copy(Shelf& shelf, const Device& device, StoreKey key, int64_t bytes);

  const std::shared_ptr<MemoryPool> memory_;
  std::atomic<int32_t> next_resident_{0};
  mutable std::mutex mutex_;  // guards the maps, not the shelves
  std::map<const Device*, std::unique_ptr<Shelf>> shelves_;
  std::map<std::string, int32_t> precomputed_;
};

// A version of a value in the memory of a device.
class DeviceStore::Copy {
 public:
  void* data() const { return memory_.get(); }
  int64_t bytes() const { return bytes_; }
  // Blocks until `bytes` are copied to the host. `bytes` must be the size of the copy.
  Status copy_to_host(const Device& device, void* to, int64_t bytes) const;

 private:
  friend class DeviceStore;
  Shelf* shelf_ = nullptr;
  int64_t bytes_ = 0, booked_ = 0;
  StoreVersion version_;
  int32_t users_ = 0;
  DeviceMemory memory_;
};

}  // namespace percale

#endif  // PERCALE_CORE_ENGINE_DEVICE_STORE_H_
