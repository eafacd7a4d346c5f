// What a trainer notes of its devices while they compute.
#include <algorithm>
#include <cstring>
#include <new>

#include "core/train/trainer.h"
#include "core/train/trainer_period.h"

namespace percale {
namespace {

template <class T>
void scale(const Tensor& t, double factor) {
  for (T& x : t.mutable_span<T>()) x = static_cast<T>(static_cast<double>(x) * factor);
}

}  // namespace

void Trainer::set_trace(Trace* trace) {
  trace_ = trace;
  facts_.set_trace(trace);
}

// Devices that compute together are one name; a model whose nodes say where they run has one replica of all devices.
std::string Trainer::replica_name(size_t replica) const {
  std::string out;
  const auto add = [&](const Device& device) { out += str_cat(out.empty() ? "" : "+", device.name()); };
  const auto& devices = engine_->devices();
  for (const int32_t index : groups_[replica]) add(*devices[static_cast<size_t>(index)]);
  if (!groups_[replica].empty()) return out;
  for (const auto& device : devices) add(*device);
  return out;
}

Status Trainer::watch_shard(size_t replica, const ShardRows& rows, const std::function<Status()>& compute) {
  const size_t device = facts_.device(replica_name(replica));
  facts_.begin_shard(device);
  Status status;
  try {
    status = compute();
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  const auto is_lost = [&](int32_t index) { return engine_->devices()[static_cast<size_t>(index)]->lost(); };
  const auto& group = groups_[replica];
  const bool lost = status.code() == Code::kUnavailable && std::any_of(group.begin(), group.end(), is_lost);
  using End = RunFacts::End;
  facts_.end_shard(device, status.ok() ? End::kComputed : lost ? End::kLost : End::kStopped, rows.end - rows.begin);
  return status;
}

// Gradients need no correction where shards were left out, for the weight is that of the others; statistics have come as parts of
// the batch.
void Trainer::settle_backup(int64_t rows) {
  for (const int64_t shard : sums_->left_out()) row_gradients_.leave_out(shard);
  if (sums_->accepted_rows() == rows || graph_.statistics.empty()) return;
  const double factor = static_cast<double>(rows) / static_cast<double>(sums_->accepted_rows());
  const std::vector<Tensor>& sums = sums_->batch();
  for (size_t i = sums.size() - graph_.statistics.size(); i < sums.size(); ++i) {
    sums[i].dtype() == DType::kF64 ? scale<double>(sums[i], factor) : scale<float>(sums[i], factor);
  }
}

Trainer::Period::~Period() {
  const int64_t ns = now_ns() - begin_;
  try {
    std::vector<size_t> devices;
    for (size_t i = 0; i < trainer_.groups_.size(); ++i) {
      const size_t device = trainer_.facts_.device(trainer_.replica_name(i));
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) devices.push_back(device);
    }
    trainer_.facts_.add_time(ns, devices);
  } catch (const std::bad_alloc&) {  // a time that nobody sees
  }
}

}  // namespace percale
