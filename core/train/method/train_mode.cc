#include "core/train/method/train_mode.h"

#include <charconv>

namespace percale {

Result<TrainMode> parse_train_mode(std::string_view text) {
  using Kind = TrainMode::Kind;
  if (text == "sync") return TrainMode{};
  if (text == "async") return TrainMode{Kind::kAsync, 0};
  struct Counted {
    std::string_view prefix;
    Kind kind;
    int64_t least;
  };
  for (const auto& [prefix, kind, least] :
       {Counted{"backup:", Kind::kBackup, 1}, Counted{"bounded:", Kind::kBounded, 0}}) {
    if (!text.starts_with(prefix)) continue;
    TrainMode out{kind, 0};
    const char *begin = text.data() + prefix.size(), *end = text.data() + text.size();
    const auto [read, error] = std::from_chars(begin, end, out.count);
    if (begin != end && error == std::errc() && read == end && out.count >= least && out.count <= 65536) return out;
  }
  return invalid_argument("'mode' is '", text,
                          "', wanted sync, backup:M (the first M shards of a step, M at least 1), bounded:K (variables "
                          "at most K steps old, K from 0 to 65536) or async");
}

}  // namespace percale
