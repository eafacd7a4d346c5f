#include "core/train/epoch/best_weights.h"

#include <algorithm>

namespace percale {
namespace {

constexpr std::string_view kTensorPrefix = "percale/best/";

}  // namespace

BestWeights::BestWeights(WorkingSet& working, const std::vector<Variable>& variables) : working_(working) {
  for (const Variable& v : variables) names_.push_back(v.name);
}

Status BestWeights::make_room(const std::shared_ptr<MemoryPool>& memory) {
  if (has_room()) return {};
  std::vector<Tensor> out(working_.size());
  for (const size_t i : working_.trained()) {
    for (const int32_t at : {static_cast<int32_t>(i), working_.average_of(i)}) {
      if (at < 0) continue;
      const Tensor& own = working_.values()[static_cast<size_t>(at)];
      PERCALE_ASSIGN_OR_RETURN(out[static_cast<size_t>(at)], Tensor::allocate(memory, own.dtype(), own.shape()));
    }
  }
  best_ = std::move(out);
  return {};
}

void BestWeights::keep() noexcept {
  if (!has_room()) return;
  for (size_t i = 0; i < best_.size(); ++i) {
    if (best_[i].defined()) copy_contents(working_.values()[i], best_[i]);
  }
  kept_ = true;
}

void BestWeights::bring_back() noexcept {
  for (size_t i = 0; i < best_.size(); ++i) {
    if (best_[i].defined()) copy_contents(best_[i], working_.values()[i]);
  }
}

void BestWeights::save(Checkpoint& out) const {
  for (size_t i = 0; i < best_.size() && kept_; ++i) {
    if (best_[i].defined()) out.tensors.emplace_back(str_cat(kTensorPrefix, names_[i]), best_[i]);
  }
}

std::vector<const Tensor*> BestWeights::find(const Checkpoint& saved) const {
  std::vector<const Tensor*> out(best_.size(), nullptr);
  for (size_t i = 0; i < best_.size(); ++i) {
    if (!best_[i].defined()) continue;
    const std::string name = str_cat(kTensorPrefix, names_[i]);
    const auto found = std::ranges::find_if(saved.tensors, [&](const auto& t) { return t.first == name; });
    if (found == saved.tensors.end() || found->second.dtype() != best_[i].dtype() ||
        !(found->second.shape() == best_[i].shape())) {
      return {};
    }
    out[i] = &found->second;
  }
  return out;
}

void BestWeights::adopt(const std::vector<const Tensor*>& saved) noexcept {
  kept_ = !saved.empty();
  for (size_t i = 0; i < saved.size(); ++i) {
    if (saved[i] != nullptr) copy_contents(*saved[i], best_[i]);
  }
}

}  // namespace percale
