#include "core/run/stretch.h"

#include <algorithm>
#include <set>

#include "core/run/bound_run.h"

namespace percale {

Stretch::Met* Stretch::meet(std::span<void* const> operands) {
  // Versions of variables take turns in two places or three; what lies elsewhere each time is not worth keeping.
  constexpr size_t kMost = 4;
  if (refused_) return nullptr;
  for (Met& met : met_) {
    if (std::equal(operands.begin(), operands.end(), met.operands.begin(), met.operands.end())) return &met;
  }
  if (met_.size() < kMost) {
    met_.push_back({{operands.begin(), operands.end()}, {}});
  } else {
    refuse();
  }
  return nullptr;
}

std::vector<Stretch> find_stretches(const BoundProgram& p, bool has_variables) {
  constexpr int32_t kLeast = 4;
  const percale_device_api& api = p.placed->device->api();
  if (!p.is_queued() || api.replay == nullptr || api.launch != nullptr || p.placed->executable != nullptr) return {};
  std::set<int32_t> cuts{0, p.size()};
  for (const Wait& w : p.waits) {
    if (!(w.kept && has_variables)) cuts.insert(w.at);
  }
  for (const Send& s : p.sends) cuts.insert(s.after);
  for (const Leave& l : p.leaves) cuts.insert(l.after);
  cuts.insert(p.awaited.begin(), p.awaited.end());
  std::vector<Stretch> out;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end() && *std::next(cut) <= p.size(); ++cut) {
    if (*std::next(cut) - *cut >= kLeast) out.emplace_back(*cut, *std::next(cut));
  }
  return out;
}

}  // namespace percale
