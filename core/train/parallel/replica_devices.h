// The devices of an engine as replicas of a training job: which compute, which are spare, which
// were lost.
#ifndef PERCALE_CORE_TRAIN_PARALLEL_REPLICA_DEVICES_H_
#define PERCALE_CORE_TRAIN_PARALLEL_REPLICA_DEVICES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/graph/graph.h"
#include "core/train/parallel/parallel_spec.h"
#include "core/train/shards/replicas.h"

namespace percale {

// Indices of devices of the engine that compute a shard together. Empty: placement chooses.
using DeviceGroup = std::vector<int32_t>;

// Thread-compatible; is_lost() is thread-safe.
class ReplicaDevices {
 public:
  // `wanted`: names of the devices that compute shards; empty: all. `placed`: nodes of the graph
  // name their devices, so that all devices together are one replica.
  ReplicaDevices(std::shared_ptr<Engine> engine, std::vector<std::string> wanted, ParallelSpec spec, bool placed);

  // Refuses a ParallelSpec that the engine or the graph does not allow.
  Status check() const;
  bool placed() const { return placed_; }
  // True if the caller named devices or asked for a number of replicas.
  bool named() const { return !wanted_.empty() || spec_.says_devices(); }
  const ParallelSpec& spec() const { return spec_; }
  const Device& device(int32_t index) const { return *engine_->devices()[static_cast<size_t>(index)]; }

  // The device groups that can be replicas.
  Result<std::vector<DeviceGroup>> candidates() const;
  // The first `replicas` candidates compute; the others are spare.
  void assign(std::vector<DeviceGroup> candidates, size_t replicas);
  const std::vector<DeviceGroup>& groups() const { return groups_; }  // by replica
  const std::vector<DeviceGroup>& spare() const { return spare_; }
  // The names of a replica's devices, joined by '+'.
  std::string name(size_t replica) const;

  // The device in the host's memory that runs commits and evaluations, so that the loss of another
  // device does not affect them. Empty: placement chooses.
  DeviceGroup host_group() const;
  // True if the device runs the kernels of the host's device, so that it gives the same bits.
  bool computes_as_host(int32_t index) const;
  // True if each device of the group works through a stream of its own.
  bool works_alone(const DeviceGroup& group) const;

  // True if a device of the replica can be lost, which the host's cannot.
  bool may_be_lost(size_t replica) const;
  // True if `status` says that a device of the replica was lost.
  bool is_lost(size_t replica, const Status& status) const;
  // The same; records the names of the lost devices.
  bool note_loss(size_t replica, const Status& status);
  void note_loss(std::string device);
  // Names of lost devices, in the order of their loss.
  const std::vector<std::string>& lost() const { return lost_; }
  // Puts spare groups in the place of lost replicas. False if nothing was replaced. `all_apart`:
  // the new replicas get threads of their own in any case.
  Result<bool> replace_lost(Replicas& replicas, bool all_apart);
  // Logs the losses since the last call. `left`: replicas that still compute.
  void report_losses(int64_t step, size_t left);

 private:
  bool computes_like(const DeviceGroup& group, const Device& other) const;

  std::shared_ptr<Engine> engine_;
  std::vector<std::string> wanted_;
  ParallelSpec spec_;
  bool placed_;
  std::vector<DeviceGroup> groups_, spare_;
  std::vector<std::string> lost_;
  size_t reported_ = 0;  // of lost_
};

// True if nodes of the graph name the devices that run them.
bool names_devices(const Graph& graph);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_PARALLEL_REPLICA_DEVICES_H_
