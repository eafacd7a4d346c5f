#include "core/train/shards/replicas.h"

#include <algorithm>

namespace percale {

Replicas::Replicas(size_t count, size_t lanes) : replicas_(count), lanes_(lanes) {}

Status Replicas::place(size_t replica, bool apart) {
  replicas_[replica].apart = apart;
  replicas_[replica].lost = false;
  const auto count = std::count_if(replicas_.begin(), replicas_.end(), [](const Replica& r) { return r.apart; });
  if (count == 0) return {};
  if (threads_ == nullptr) threads_ = ProcessPtr<DeviceThreads>(new DeviceThreads);
  return threads_->reserve(static_cast<size_t>(count) * lanes_);
}

size_t Replicas::count_left() const {
  const auto count = std::count_if(replicas_.begin(), replicas_.end(), [](const Replica& r) { return !r.lost; });
  return static_cast<size_t>(count);
}

// The first loops of all replicas come first, so that no replica waits for another's second loop.
std::vector<size_t> Replicas::left(bool apart) const {
  std::vector<size_t> out;
  for (size_t loop = 0; loop < loops(); ++loop) {
    const Replica& r = replicas_[replica_of(loop)];
    if (!r.lost && r.apart == apart) out.push_back(loop);
  }
  return out;
}

void Replicas::run(const ParallelFor& parallel, const std::function<void(size_t)>& body) {
  const std::vector<size_t> together = left(false);
  if (together.empty() && left(true).size() == 1) return body(left(true)[0]);
  run_apart(body, [&] {
    if (together.empty()) return;
    parallel(static_cast<int64_t>(together.size()), [&](int64_t i) { body(together[static_cast<size_t>(i)]); });
  });
}

void Replicas::run_apart(const std::function<void(size_t)>& body, const std::function<void()>& meanwhile) {
  const std::vector<size_t> apart = left(true);
  if (apart.empty()) return meanwhile();
  threads_->run(
      apart.size(), [&](size_t i) { body(apart[i]); }, meanwhile);
}

}  // namespace percale
