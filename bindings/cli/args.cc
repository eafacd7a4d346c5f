#include "args.h"

#include <algorithm>
#include <charconv>

namespace percale_cli {
namespace {

constexpr Flag kCommon[] = {
    {"--threads", "N", "", {"engine", "threads"}},
    {"--devices", "LIST", "", {"engine", "devices"}},
    {"--memory-limit", "BYTES", "", {"engine", "memory_limit"}},
    {"--plugin", "PATH", "A plug-in file, or a folder with libpercale_*.so; may be repeated."},
    {"--option", "KEY=VALUE", "Sets an option of the engine, session or trainer; may be repeated."},
    {"--deterministic", "on|off", "", {"engine", "deterministic"}},
    {"--log", "LEVEL", "", {"engine", "log"}},
    {"--json", "", "Prints one JSON value, and nothing else, on stdout."},
    {"--help", "", "Prints this text."},
};

// Returns the edit distance: letters to replace, insert, remove, or swap with the next one.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), d[i][j - 1] + 1, d[i - 1][j] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

const Flag* find_flag(const Command& command, std::string_view name) {
  for (const auto flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) {
      if (flag.name == name) return &flag;
    }
  }
  return nullptr;
}

[[noreturn]] void unknown_flag(const Command& command, std::string_view name) {
  std::vector<std::string> known;
  for (const auto flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) known.emplace_back(flag.name);
  }
  throw UsageError{"unknown flag '" + std::string(name) + "'" + did_you_mean(name, known)};
}

// Returns the name of a positional argument in the usage: "SPEC.json" in "SPEC.json [--data DIR]".
std::string word_of(std::string_view usage, size_t number) {
  for (size_t begin = 0; begin < usage.size();) {
    const size_t end = std::min(usage.find(' ', begin), usage.size());
    std::string_view word = usage.substr(begin, end - begin);
    begin = end + 1;
    if (word.starts_with('-') || word.starts_with('[')) break;
    if (number-- > 0) continue;
    if (word.ends_with("...")) word.remove_suffix(3);
    return std::string(word);
  }
  return "an argument";
}

}  // namespace

std::span<const Flag> common_flags() { return kCommon; }

Args::Args(const Command& command, int argc, char** argv) {
  bool only_positional = false;
  for (int i = 0; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (only_positional || arg.size() < 2 || arg[0] != '-') {
      positional_.emplace_back(arg);
      continue;
    }
    if (arg == "--") {
      only_positional = true;
      continue;
    }
    if (arg == "-h") arg = "--help";
    const size_t equals = arg.find('=');
    const std::string_view name = arg.substr(0, equals);
    const Flag* flag = find_flag(command, name);
    if (flag == nullptr) unknown_flag(command, name);
    std::vector<std::string>& values = values_[std::string(name)];
    if (flag->value.empty()) {
      if (equals != std::string_view::npos) throw UsageError{std::string(name) + " takes no value"};
    } else if (equals != std::string_view::npos) {
      values.emplace_back(arg.substr(equals + 1));
    } else if (i + 1 < argc) {
      values.emplace_back(argv[++i]);
    } else {
      throw UsageError{std::string(name) + " needs a value: " + std::string(flag->value)};
    }
  }
  for (const auto flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) {
      if (!flag.sets.kind.empty() && has(flag.name)) options_.emplace_back(&flag, get(flag.name));
    }
  }
  if (help()) return;
  if (positional_.size() < command.min_positional) {
    throw UsageError{word_of(command.usage, positional_.size()) + " is missing"};
  }
  if (positional_.size() > command.max_positional) {
    throw UsageError{"'" + positional_[command.max_positional] + "' is an unexpected argument"};
  }
}

std::string Args::get(std::string_view flag, std::string_view fallback) const {
  const auto found = values_.find(flag);
  return found == values_.end() || found->second.empty() ? std::string(fallback) : found->second.back();
}

const std::vector<std::string>& Args::all(std::string_view flag) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(flag);
  return found == values_.end() ? kNone : found->second;
}

int64_t Args::integer(std::string_view flag, int64_t fallback, int64_t min) const {
  if (!has(flag)) return fallback;
  const std::string text = get(flag);
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < min) {
    throw UsageError{std::string(flag) + ": '" + text + "' is not an integer of at least " + std::to_string(min)};
  }
  return value;
}

std::string Args::again(std::initializer_list<std::string_view> dropped) const {
  std::string out;
  for (const std::string& word : positional_) out += " " + shell_word(word);
  for (const auto& [flag, values] : values_) {
    if (std::find(dropped.begin(), dropped.end(), flag) != dropped.end()) continue;
    if (values.empty()) out += " " + flag;
    for (const std::string& value : values) out += " " + flag + " " + shell_word(value);
  }
  return out;
}

std::pair<std::string, std::string> split_pair(std::string_view flag, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError{std::string(flag) + ": '" + text + "' is not of the form NAME=VALUE"};
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (const size_t d = distance(name.substr(0, 64), candidate); d < best) {
      best = d;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : ", did you mean '" + *nearest + "'?";
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace percale_cli
