// The file MANIFEST of a checkpoint: JSON whose last key is a checksum of all text before it.
#ifndef PERCALE_CORE_CHECKPOINT_MANIFEST_H_
#define PERCALE_CORE_CHECKPOINT_MANIFEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/memory.h"
#include "core/base/status.h"
#include "core/text/json.h"

namespace percale {

inline constexpr std::string_view kStateFile = "state.safetensors", kManifestFile = "MANIFEST";
inline constexpr int64_t kManifestVersion = 1;

// The fields that determine which checkpoint of a folder is the newest, and which run owns it.
struct ManifestHead {
  int64_t order = 0;  // counts the saves of a folder; a later save has a larger one
  std::string run;    // the run that saved it; "" if not known
};

// Starts the object and writes the head. finish_manifest() closes the object.
void begin_manifest(JsonWriter& w, const ManifestHead& head);
std::string finish_manifest(const JsonWriter& w);

// Returns the end of a manifest with the text `body`: the checksum and the closing brace.
std::string manifest_seal(std::string_view body);

// Reads only the head, from the first page of the file. Does not verify the checksum: a damaged or
// missing file gives an arbitrary head. Errors are those of the operating system.
Result<ManifestHead> read_manifest_head(const std::string& path);

// Reads a manifest. DATA_LOSS: the file is cut short or its checksum is wrong.
Result<Json> read_manifest(const std::string& path, const std::shared_ptr<MemoryPool>& pool = nullptr);

// Returns the score that determines the best checkpoints; smaller is better.
Result<std::optional<double>> manifest_score(const Json& manifest);

}  // namespace percale

#endif  // PERCALE_CORE_CHECKPOINT_MANIFEST_H_
