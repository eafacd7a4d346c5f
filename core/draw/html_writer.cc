// Writes pictures as an HTML page. The scripts in page/ draw the layout, which the page contains as
// JSON.
#include "core/draw/draw.h"
#include "core/draw/layout/drawing.h"
#include "core/draw/page_text.h"
#include "core/text/json.h"
#include "core/text/svg.h"

namespace percale {
namespace {

void write_look(JsonWriter& json, const Look& look) {
  json.key("width").value(look.width).key("height").value(look.height).key("lines").begin_array();
  for (const std::string& line : look.lines) json.value(line);
  json.end_array().key("time").value(look.time).key("chips").begin_array();
  for (const ChipLook& chip : look.chips) {
    json.begin_array().value(static_cast<int32_t>(chip.kind)).value(chip.text).value(chip.width).value(chip.name);
    json.end_array();
  }
  json.end_array();
}

void write_box(JsonWriter& json, const Box& box, const Look& look) {
  json.begin_object().key("kind").value(static_cast<int32_t>(box.kind)).key("name").value(box.name);
  json.key("title").value(box.title).key("device").value(box.device).key("microseconds").value(box.microseconds);
  json.key("tint").value(static_cast<int32_t>(box.tint));
  write_look(json, look);
  json.key("facts").begin_array();
  for (const auto& [name, fact] : box.facts) json.begin_array().value(name).value(fact).end_array();
  constexpr std::string_view kWhat[] = {"variable", "constant", "assigns", "function"};
  for (const Chip& chip : box.chips) {
    const std::string words = str_cat(chip.name, chip.name.empty() || chip.detail.empty() ? "" : "  ", chip.detail);
    const std::string what = str_cat(kWhat[static_cast<size_t>(chip.kind)], chip.role.empty() ? "" : " ", chip.role);
    json.begin_array().value(what).value(words).end_array();
  }
  json.end_array().end_object();
}

void write_numbers(JsonWriter& json, const std::vector<int32_t>& numbers) {
  json.begin_array();
  for (const int32_t number : numbers) json.value(number);
  json.end_array();
}

void write_level(JsonWriter& json, const Level& level) {
  json.key("cells").begin_array();
  for (const Cell& cell : level.cells) {
    write_numbers(json, {static_cast<int32_t>(cell.kind), cell.index, cell.at.row, cell.extent.left, cell.extent.right,
                         cell.height});
  }
  json.end_array().key("wires").begin_array();
  for (const Wire& wire : level.wires) {
    json.begin_array().value(wire.at.from).value(wire.at.to).value(wire.from_port).value(wire.to_port);
    json.value(static_cast<int32_t>(wire.kind)).value(wire.label).value(wire.label_at_end);
    write_numbers(json, wire.at.bends);
    json.end_array();
  }
  json.end_array().key("vertices").value(level.order.vertices).key("rows").begin_array();
  for (const std::vector<int32_t>& row : level.order.rows) write_numbers(json, row);
  json.end_array().key("segments").begin_array();
  for (const Segment& s : level.order.segments) write_numbers(json, {s.above, s.below, s.wire});
  json.end_array().key("entries");
  write_numbers(json, level.entries);
  json.key("exits");
  write_numbers(json, level.exits);
}

void write_drawing(JsonWriter& json, const Drawing& drawing) {
  const Picture& picture = *drawing.picture;
  json.begin_object().key("title").value(picture.title).key("longest").value(drawing.longest);
  json.key("time").value(drawing.microseconds < 0 ? std::string() : time_text(drawing.microseconds));
  json.key("devices").begin_array();
  for (const std::string& device : drawing.devices) json.value(device);
  json.end_array().key("boxes").begin_array();
  for (size_t i = 0; i < picture.boxes.size(); ++i) write_box(json, picture.boxes[i], drawing.boxes[i]);
  json.end_array().key("blocks").begin_array();
  for (size_t i = 0; i < drawing.blocks.size(); ++i) {
    const Block& block = drawing.blocks[i];
    json.begin_object().key("title").value(block.title).key("parent").value(block.parent);
    json.key("repeats").value(block.repeats).key("nodes").value(block.nodes);
    write_look(json, drawing.folded[i]);
    write_level(json, drawing.levels[i]);
    json.end_object();
  }
  json.end_array().key("links").begin_array();
  for (const Link& link : picture.links) {
    json.begin_array().value(link.from).value(link.to).value(link.label).end_array();
  }
  json.end_array().end_object();
}

// Escapes '<', so that no text in the script element looks like its end tag.
std::string without_tags(std::string_view json) {
  std::string out;
  for (const char c : json) out += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  return out;
}

}  // namespace

std::string to_html(std::span<const Picture> pictures) {
  JsonWriter json;
  json.begin_array();
  for (const Picture& picture : pictures) write_drawing(json, make_drawing(picture));
  json.end_array();
  return str_cat("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>",
                 svg_escaped(pictures.front().title), "</title>\n", kPageHead, "<style>\n", kPageStyle,
                 "</style>\n</head>\n<body>\n", kPageBody, "<script type=\"application/json\" id=\"pictures-data\">",
                 without_tags(json.text()), "</script>\n<script>\n", kPageFrame, kPageMarkup, kPageView, kPagePanel,
                 kPageInput, "</script>\n</body>\n</html>\n");
}

}  // namespace percale
