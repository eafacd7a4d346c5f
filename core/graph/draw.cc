// A function as an SVG drawing.
#include <algorithm>

#include "core/graph/describe.h"

namespace percale {
namespace {

constexpr int64_t kWidth = 150, kHeight = 34, kGapX = 16, kGapY = 30, kMargin = 20;

struct Box {
  std::string title, detail;
  bool input = false;
  size_t row = 0, column = 0;
  std::vector<size_t> from;  // boxes whose results it uses
  int64_t x() const { return kMargin + static_cast<int64_t>(column) * (kWidth + kGapX); }
  int64_t y() const { return kMargin + static_cast<int64_t>(row) * (kHeight + kGapY); }
};

std::string escaped(std::string_view text, size_t most) {
  std::string out;
  for (const char c : text.substr(0, most)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ? '?' : c;
    }
  }
  return text.size() > most ? out + ".." : out;
}

// Inputs first, then the nodes in their order; constants are not drawn.
std::vector<Box> boxes_of(const Function& f) {
  std::vector<Box> boxes;
  boxes.reserve(f.inputs.size() + f.nodes.size());
  for (ValueId id : f.inputs) {
    boxes.push_back({f.value(id).name, str_cat(f.type(id).dtype, " ", f.type(id).shape), true, 0, 0, {}});
  }
  for (const Node& node : f.nodes) {
    Box box{op_name(*node.op), node.name, false, 0, 0, {}};
    for (ValueId id : node.inputs) {
      if (id == kNoValue || f.value(id).kind == ValueKind::kConstant) continue;
      const auto def = static_cast<size_t>(f.value(id).def);
      box.from.push_back(f.value(id).kind == ValueKind::kInput ? def : f.inputs.size() + def);
    }
    for (NodeId before : node.control) box.from.push_back(f.inputs.size() + static_cast<size_t>(before));
    for (size_t source : box.from) box.row = std::max(box.row, boxes[source].row + 1);
    boxes.push_back(std::move(box));
  }
  return boxes;
}

}  // namespace

Result<std::string> draw_function(const Function& f, size_t max_nodes) {
  if (f.nodes.size() > max_nodes) {
    return resource_exhausted("function '", f.name, "' has ", uint64_t{f.nodes.size()},
                              " nodes; a drawing shows at most ", uint64_t{max_nodes});
  }
  std::vector<Box> boxes = boxes_of(f);
  std::vector<size_t> in_row;
  for (Box& box : boxes) {
    if (in_row.size() <= box.row) in_row.resize(box.row + 1, 0);
    box.column = in_row[box.row]++;
  }
  const size_t widest = in_row.empty() ? 0 : *std::max_element(in_row.begin(), in_row.end());
  const int64_t width = 2 * kMargin + static_cast<int64_t>(widest) * (kWidth + kGapX);
  const int64_t height = 2 * kMargin + static_cast<int64_t>(in_row.size()) * (kHeight + kGapY);
  std::string out =
      str_cat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", height, "\" width=\"", width,
              "\" height=\"", height, "\" font-family=\"sans-serif\" font-size=\"11\">\n");
  out += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g stroke=\"#999\" fill=\"none\">\n";
  for (const Box& box : boxes) {
    for (size_t source : box.from) {
      const Box& from = boxes[source];
      const int64_t x1 = from.x() + kWidth / 2, y1 = from.y() + kHeight, x2 = box.x() + kWidth / 2, y2 = box.y();
      out += str_cat("<path d=\"M", x1, " ", y1, "C", x1, " ", y1 + kGapY, " ", x2, " ", y2 - kGapY, " ", x2, " ", y2,
                     "\"/>\n");
    }
  }
  out += "</g>\n";
  for (const Box& box : boxes) {
    out += str_cat("<rect x=\"", box.x(), "\" y=\"", box.y(), "\" width=\"", kWidth, "\" height=\"", kHeight,
                   "\" rx=\"4\" fill=\"", box.input ? "#e8f0d8" : "#dce8f4", "\" stroke=\"#456\"/>\n");
    out += str_cat("<text x=\"", box.x() + 6, "\" y=\"", box.y() + 14, "\" font-weight=\"bold\">",
                   escaped(box.title, 20), "</text>\n<text x=\"", box.x() + 6, "\" y=\"", box.y() + 27,
                   "\" fill=\"#555\">", escaped(box.detail, 24), "</text>\n");
  }
  return out + "</svg>\n";
}

}  // namespace percale
