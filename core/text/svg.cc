#include "core/text/svg.h"

#include <algorithm>

#include "core/text/utf8.h"

namespace percale {

std::string svg_escaped(std::string_view text, size_t most) {
  std::string out;
  for (size_t count = 0; !text.empty(); ++count) {
    if (count == most) return out + "\xE2\x80\xA6";  // an ellipsis
    const size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text[0]);
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (length == 0) {
          out += kReplacementCharacter;
        } else if (c < 0x20 || c == 0x7F) {
          out += ' ';
        } else {
          out += text.substr(0, length);
        }
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

}  // namespace percale
