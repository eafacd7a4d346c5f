#include "help.h"

#include <algorithm>

#include "api.h"

namespace percale_cli {
namespace {

constexpr size_t kTextColumns = 100, kFlagColumns = 30;

std::string doc_of(const Flag& flag, const Json& table) {
  for (const Json& option : table.items()) {
    if (option["kind"].text() != flag.sets.kind || option["key"].text() != flag.sets.key) continue;
    const std::string more = flag.doc.empty() ? "" : " " + std::string(flag.doc);
    return option["doc"].text() + more + " (" + facts_text(option) + ")";
  }
  return std::string(flag.doc);
}

void append_flags(std::string& out, std::span<const Flag> flags, const Json& table) {
  for (const Flag& flag : flags) {
    std::string left = "  " + std::string(flag.name) + (flag.value.empty() ? "" : " ") + std::string(flag.value);
    const std::string doc = wrapped(doc_of(flag, table), kFlagColumns);
    if (left.size() + 2 > kFlagColumns) {
      out += left + "\n" + doc;
      continue;
    }
    left.resize(kFlagColumns, ' ');
    out += left + doc.substr(kFlagColumns);
  }
}

}  // namespace

std::string help_text(const Command& command) {
  std::string out = "usage: percale " + std::string(command.name) + " " + std::string(command.usage) + "\n\n" +
                    std::string(command.doc) + "\n\n";
  if (!command.more.empty()) out += std::string(command.more) + "\n";
  const Json table = option_table();
  append_flags(out, command.flags, table);
  append_flags(out, common_flags(), table);
  return out;
}

std::string wrapped(const std::string& text, size_t indent) {
  std::string out, line;
  const std::string margin(indent, ' ');
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && indent + line.size() + 1 + word.size() > kTextColumns) {
      out += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + margin + line + "\n";
}

std::string facts_text(const Json& key) {
  // The attributes of layers call their type "kind".
  std::string out = key["type"].present() ? key["type"].text() : key["kind"].text();
  if (key["choices"].present()) {
    out = key["choices"].text();
    std::replace(out.begin(), out.end(), '|', ' ');
  }
  // The bounds of whole numbers are printed as floats, "100000.0".
  const auto bound = [&](const char* name) {
    std::string text = key[name].present() ? key[name].text() : "";
    if (key["type"].text() == "int" && text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
  };
  const std::string low = bound("min"), high = bound("max");
  if (!low.empty()) out += key["max"].present() ? ", " + low + " to " + high : ", at least " + low;
  if (low.empty() && key["max"].present()) out += ", at most " + high;
  if (key["required"].flag()) return out + ", required";
  const std::string fallback = key["default"].given() ? key["default"].text() : "";
  return fallback.empty() ? out : out + ", default: " + fallback;
}

}  // namespace percale_cli
