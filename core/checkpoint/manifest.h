// The file MANIFEST of a checkpoint: JSON whose last key is a checksum of all the text before it.
#ifndef PERCALE_CORE_CHECKPOINT_MANIFEST_H_
#define PERCALE_CORE_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/text/json.h"

namespace percale {

inline constexpr std::string_view kStateFile = "state.safetensors", kManifestFile = "MANIFEST";
inline constexpr int64_t kManifestVersion = 1;

// What decides which checkpoint of a folder is the newest, and whose it is.
struct ManifestHead {
  int64_t order = 0;  // counts the saves of a folder; a later save has a larger one
  std::string run;    // which run saved it; "" when not known
};

// Begins the object with the head. finish_manifest() closes it.
void begin_manifest(JsonWriter& w, const ManifestHead& head);
std::string finish_manifest(const JsonWriter& w);

// The end of a manifest whose text before it is `body`: the checksum and the closing brace.
std::string manifest_seal(std::string_view body);

// The head alone, which costs no more than the first page of the file. The checksum is not looked at: a file that is damaged, or
// not there, gives any head. An error is one of the system.
Result<ManifestHead> read_manifest_head(const std::string& path);

// DATA_LOSS when the file is cut short or its checksum is wrong.
Result<Json> read_manifest(const std::string& path);

// The number by which the best checkpoints are found; smaller is better.
Result<std::optional<double>> manifest_score(const Json& manifest);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_MANIFEST_H_
