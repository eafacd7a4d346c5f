// Modes of combining the results of devices into steps.
#ifndef PERCALE_CORE_TRAIN_METHOD_TRAIN_MODE_H_
#define PERCALE_CORE_TRAIN_METHOD_TRAIN_MODE_H_

#include <cstdint>
#include <string_view>

#include "core/base/status.h"

namespace percale {

struct TrainMode {
  enum class Kind : uint8_t {
    kSync,     // a step waits for all shards of its batch
    kBackup,   // a step waits for the first `count` of them
    kBounded,  // a shard may be computed from variables that are up to `count` steps old
    kAsync,    // each shard is a step
  };
  Kind kind = Kind::kSync;
  int64_t count = 0;

  // True if shards of several batches are computed at once.
  bool streams() const { return kind == Kind::kBounded || kind == Kind::kAsync; }
};

// Parses "sync", "backup:M", "bounded:K" or "async".
Result<TrainMode> parse_train_mode(std::string_view text);

}  // namespace percale

#endif  // PERCALE_CORE_TRAIN_METHOD_TRAIN_MODE_H_
