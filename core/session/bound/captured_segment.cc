#include "core/session/bound/captured_segment.h"

#include <algorithm>
#include <set>

#include "core/session/bound/bound_program.h"

namespace percale {

CapturedSegment::Capture* CapturedSegment::find(std::span<void* const> operands) {
  // Versions of variables take turns in two or three places. Addresses that change in every run are
  // not worth capturing.
  constexpr size_t kMaxCaptures = 4;
  if (refused_) return nullptr;
  for (Capture& capture : captures_) {
    if (std::equal(operands.begin(), operands.end(), capture.operands.begin(), capture.operands.end())) {
      return &capture;
    }
  }
  if (captures_.size() < kMaxCaptures) {
    captures_.push_back({{operands.begin(), operands.end()}, {}});
  } else {
    refuse();
  }
  return nullptr;
}

void CapturedSegment::refuse() {
  refused_ = true;
  captures_.clear();
}

std::vector<CapturedSegment> find_segments(const BoundProgram& p, bool has_variables) {
  constexpr int32_t kMinInstructions = 4;
  const percale_device_api& api = p.device().api();
  if (!p.has_stream() || api.replay == nullptr || api.launch != nullptr || p.placed->executable != nullptr) return {};
  std::set<int32_t> cuts{0, p.size()};
  for (const Wait& w : p.sync.waits) {
    if (!(w.kept && has_variables)) cuts.insert(w.at);
  }
  for (const StreamCopy& s : p.stream->sends) cuts.insert(s.after);
  for (const StreamCopy& l : p.stream->result_copies) cuts.insert(l.after);
  cuts.insert(p.sync.awaited.begin(), p.sync.awaited.end());
  std::vector<CapturedSegment> out;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end() && *std::next(cut) <= p.size(); ++cut) {
    if (*std::next(cut) - *cut >= kMinInstructions) out.emplace_back(*cut, *std::next(cut));
  }
  return out;
}

}  // namespace percale
