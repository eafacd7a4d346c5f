#include "core/draw/layout/looks.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/base/status.h"
#include "core/draw/layout/text.h"

namespace percale {
namespace {

constexpr int32_t kMinBox = 84, kMaxBox = 220, kMaxChipName = 130, kMaxChipDetail = 110;
constexpr size_t kMaxChips = 6;

std::string rounded(double number) { return general_text(number, 3); }

void fit(Look& look) {
  const int32_t time = look.time.empty() ? 0 : text_width(look.time, kTextSize) + 8;
  look.width = kMinBox;
  for (size_t i = 0; i < look.lines.size(); ++i) {
    const int32_t size = i == 0 ? kTitleSize : kTextSize, room = kMaxBox - 2 * kPadding - (i == 0 ? time : 0);
    look.lines[i] = shortened(look.lines[i], room, size);
    look.width = std::max(look.width, text_width(look.lines[i], size) + 2 * kPadding + (i == 0 ? time : 0));
  }
  look.width += look.width % 2;
  look.height = static_cast<int32_t>(look.lines.size()) * kLineHeight + kPadding;
}

ChipLook chip_look(const Chip& chip) {
  const std::string name = shortened(chip.name, kMaxChipName, kTextSize);
  const std::string detail = shortened(chip.detail, kMaxChipDetail, kTextSize);
  // Constants and functions are labelled by their role, which says more than their names.
  const bool by_role = chip.kind == ChipKind::kConstant || chip.kind == ChipKind::kFunction;
  const std::string& first = by_role ? chip.role : name;
  std::string text = str_cat(first, first.empty() || detail.empty() ? "" : " ", detail);
  const int32_t width = text_width(text, kTextSize) + 2 * kPadding;
  return {chip.kind, std::move(text), chip.name, width};
}

void add_chips(Look& look, const std::vector<Chip>& chips) {
  for (size_t i = 0; i < chips.size(); ++i) {
    const bool full = i + 1 == kMaxChips && chips.size() > kMaxChips;
    const Chip more{ChipKind::kConstant, "", str_cat("and ", uint64_t{chips.size() - i}, " more"), ""};
    look.chips.push_back(chip_look(full ? more : chips[i]));
    if (full) return;
  }
}

}  // namespace

int32_t Look::chip_extent(bool assigned) const {
  int32_t widest = 0;
  for (const ChipLook& chip : chips) {
    if ((chip.kind == ChipKind::kAssigned) == assigned) widest = std::max(widest, chip.width + kChipGap);
  }
  return widest;
}

int32_t Look::cell_height() const {
  const auto assigned =
      std::count_if(chips.begin(), chips.end(), [](const ChipLook& c) { return c.kind == ChipKind::kAssigned; });
  const auto rows = std::max<int64_t>(assigned, static_cast<int64_t>(chips.size()) - assigned);
  return std::max(height, static_cast<int32_t>(rows) * (kLineHeight + 2));
}

std::string time_text(double microseconds) {
  if (microseconds >= 1e6) return rounded(microseconds / 1e6) + " s";
  if (microseconds >= 1e3) return rounded(microseconds / 1e3) + " ms";
  return rounded(microseconds) + " \xC2\xB5s";
}

Look look_of(const Box& box, const std::string& name) {
  Look look;
  look.lines.push_back(box.title);
  if (name != box.title) look.lines.push_back(name);
  if (!box.detail.empty()) look.lines.push_back(box.detail);
  if (box.microseconds >= 0) look.time = time_text(box.microseconds);
  fit(look);
  add_chips(look, box.chips);
  return look;
}

Look look_of(const Block& block, double microseconds) {
  Look look;
  look.lines.push_back(block.title);
  const std::string nodes = str_cat(block.nodes, block.nodes == 1 ? " node" : " nodes");
  look.lines.push_back(block.repeats > 0 ? str_cat("\xC3\x97 ", block.repeats, ", ", nodes) : nodes);
  if (microseconds >= 0) look.time = time_text(microseconds);
  fit(look);
  return look;
}

std::string tag_text(const Box& box) {
  return "\xE2\x86\x91 " + shortened(box.name.empty() ? box.title : box.name, kMaxChipName, kTextSize);
}

}  // namespace percale
