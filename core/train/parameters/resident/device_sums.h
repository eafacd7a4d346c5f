// Sums over shards of values that stay on the devices, one device per shard.
#ifndef PERCALE_CORE_TRAIN_PARAMETERS_RESIDENT_DEVICE_SUMS_H_
#define PERCALE_CORE_TRAIN_PARAMETERS_RESIDENT_DEVICE_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/engine/resident_values.h"
#include "core/session/context/fetch_watcher.h"
#include "core/train/shards/step_layout.h"

namespace percale {

// The devices add a group of values as soon as all of them have it, while their streams go on with
// the backward pass. A thread of the run that came last waits for the sums. The bits do not depend
// on the groups, because each element is added by itself. Thread-safe but for begin_step() and
// finish().
class DeviceSums {
 public:
  // `fetches`: the fetches of a shard's run that are added; all have this dtype. Must not outlive
  // the store of the values.
  DeviceSums(size_t shards, IndexSpan fetches, DType dtype);
  ~DeviceSums();
  DeviceSums(const DeviceSums&) = delete;
  DeviceSums& operator=(const DeviceSums&) = delete;

  // No shard may be under way.
  void begin_step();
  // To be told of the fetches of the run that computes this shard, on a device that no other shard
  // has.
  FetchWatcher* results_of(size_t shard, const Device& device);
  // Adds what has not been added. `shards`: the values of each shard, whose runs have all
  // succeeded. After an error the values are undefined.
  Status finish(std::span<const std::unique_ptr<const ResidentValues>> shards);

 private:
  struct Shard final : FetchWatcher {
    void ready(size_t fetch, DeviceStore::Copy* kept) noexcept override { sums->arrive(*this, fetch, kept); }
    DeviceSums* sums = nullptr;
    const Device* device = nullptr;
    std::vector<DeviceStore::Copy*> copies;  // per value, borrowed; null: not told of
  };
  void arrive(Shard& shard, size_t fetch, DeviceStore::Copy* kept) noexcept;
  Status add_arrived() noexcept;
  void give_back();

  const IndexSpan fetches_;
  const DType dtype_;
  std::vector<Shard> shards_;
  std::mutex mutex_;             // guards the following, and Shard::copies
  std::vector<size_t> arrived_;  // per value: from how many shards
  std::vector<bool> added_;      // per value
  std::vector<size_t> waiting_;  // values that have arrived from all shards and are not added
  int64_t waiting_bytes_ = 0;
  bool adding_ = false;        // a thread adds
  std::vector<size_t> group_;  // the values that it adds
  Status status_;
};

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARAMETERS_RESIDENT_DEVICE_SUMS_H_
