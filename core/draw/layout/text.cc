#include "core/draw/layout/text.h"

#include <algorithm>
#include <vector>

#include "core/text/utf8.h"

namespace percale {
namespace {

constexpr std::string_view kNarrow = " !'(),./:;I[]fijlrt|", kWide = "%@MWmw";

// Returns the width of the first code point in 1/100 of the font size.
int32_t advance(std::string_view text, size_t bytes) {
  if (bytes > 2) return 100;  // beyond U+07FF: as wide as high
  if (kNarrow.find(text[0]) != std::string_view::npos) return 38;
  return kWide.find(text[0]) != std::string_view::npos ? 96 : 64;
}

// Titles are bold and therefore wider.
int64_t per_cent(int32_t size) { return size == kTitleSize ? size * 114 : size * 100; }

// An invalid byte counts as one character.
size_t step_of(std::string_view text) { return std::max<size_t>(utf8_length(text), 1); }

}  // namespace

int32_t text_width(std::string_view text, int32_t size) {
  int64_t sum = 0;
  for (; !text.empty(); text.remove_prefix(step_of(text))) sum += advance(text, step_of(text));
  return static_cast<int32_t>(std::min<int64_t>((sum * per_cent(size) + 9999) / 10000, 1 << 24));
}

std::string shortened(std::string_view text, int32_t most, int32_t size) {
  if (text_width(text, size) <= most) return std::string(text);
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size(); at += step_of(text.substr(at))) starts.push_back(at);
  int64_t left = int64_t{most} * 10000 - 100 * per_cent(size);  // minus the ellipsis
  size_t begin = text.size();
  for (; !starts.empty(); starts.pop_back()) {
    const std::string_view rest = text.substr(starts.back());
    left -= advance(rest, step_of(rest)) * per_cent(size);
    if (left < 0) break;
    begin = starts.back();
  }
  return "\xE2\x80\xA6" + std::string(text.substr(begin));
}

}  // namespace percale
