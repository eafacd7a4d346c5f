#include "core/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/file/file.h"
#include "core/file/host_files.h"

namespace percale {
namespace {

// Returns the number in "step-12" or "step-12.old".
std::optional<int64_t> step_of(std::string_view name) {
  if (name.ends_with(kReplacedSuffix)) name.remove_suffix(kReplacedSuffix.size());
  if (!name.starts_with(kStepPrefix)) return std::nullopt;
  name.remove_prefix(kStepPrefix.size());
  int64_t out = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out);
  if (error != std::errc() || end != name.data() + name.size() || out < 0) return std::nullopt;
  return out;
}

bool has_file(const std::string& path, std::string_view name) {
  return path_kind(join_path(path, name)) == PathKind::kFile;
}

// Renames before removing, so that a crash never leaves half a checkpoint under its own name.
Status remove_checkpoint(const std::string& path) {
  const std::string temporary = path + std::string(kTemporarySuffix);
  PERCALE_RETURN_IF_ERROR(remove_tree(temporary));
  PERCALE_RETURN_IF_ERROR(rename_path(path, temporary));
  return remove_tree(temporary);
}

// An interrupted write leaves a temporary file whose name starts with that of the file, so prefixes
// are compared.
Status check_own_files(const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(const auto files, list_folder(path));
  for (const std::string& file : files) {
    if (file.starts_with(kManifestFile) || file.starts_with(kStateFile)) continue;
    return failed_precondition("'", join_path(path, file),
                               "' was not written by a save, and would be removed with the folder: move it out of '",
                               path, "'");
  }
  return {};
}

double score_at(const std::string& path) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const auto manifest = read_manifest(join_path(path, kManifestFile));
  if (!manifest.ok()) return kNone;
  const auto score = manifest_score(*manifest);
  return score.ok() && score->has_value() && !std::isnan(**score) ? **score : kNone;
}

// Returns the paths of the `count` best checkpoints; those with equal scores are ordered by age.
std::vector<std::string> best_of(const std::vector<CheckpointEntry>& entries, int64_t count) {
  std::vector<std::pair<double, std::string>> scored;
  for (size_t i = entries.size(); i-- > 0 && count > 0;) {
    const double score = score_at(entries[i].path);
    if (std::isfinite(score)) scored.emplace_back(score, entries[i].path);
  }
  std::ranges::stable_sort(scored, {}, [](const auto& s) { return s.first; });
  if (static_cast<int64_t>(scored.size()) > count) scored.resize(static_cast<size_t>(count));
  std::vector<std::string> out;
  for (auto& [score, path] : scored) out.push_back(std::move(path));
  return out;
}

}  // namespace

bool is_checkpoint(const std::string& path) { return has_file(path, kManifestFile) || has_file(path, kStateFile); }

bool is_checkpoint(const std::string& path, const MemoryPool* pool) {
  if (!is_host_path(path, pool)) return is_checkpoint(path);
  return step_of(std::string_view(path).substr(path.find_last_of(":/") + 1)).has_value();
}

Result<std::vector<CheckpointEntry>> list_checkpoints(const std::string& folder) {
  std::vector<CheckpointEntry> out;
  if (path_kind(folder) != PathKind::kFolder) return out;
  PERCALE_ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  for (const std::string& name : names) {
    const auto step = step_of(name);
    if (!step) continue;
    const std::string path = join_path(folder, name), manifest = join_path(path, kManifestFile);
    if (!is_checkpoint(path)) continue;
    PERCALE_ASSIGN_OR_RETURN(ManifestHead head, read_manifest_head(manifest));
    const bool complete = has_file(path, kManifestFile) && has_file(path, kStateFile);
    out.push_back({path, *step, std::move(head), complete});
  }
  std::ranges::stable_sort(out, [](const CheckpointEntry& a, const CheckpointEntry& b) {
    return a.head.order != b.head.order ? a.head.order > b.head.order : a.step > b.step;
  });
  return out;
}

Result<std::string> newest_checkpoint(const std::string& folder) {
  PERCALE_ASSIGN_OR_RETURN(const auto entries, list_checkpoints(folder));
  if (entries.empty()) return not_found("no checkpoint in '", folder, "'");
  return entries.front().path;
}

Result<NewestCheckpoint> read_newest_checkpoint(const std::string& folder, const std::shared_ptr<MemoryPool>& pool) {
  if (is_host_path(folder, pool.get())) {
    return invalid_argument("'", folder, "': the files of a host cannot be listed; name one checkpoint, such as '",
                            join_path(folder, "step-1"), "'");
  }
  PERCALE_ASSIGN_OR_RETURN(const auto entries, list_checkpoints(folder));
  if (entries.empty()) return not_found("no checkpoint in '", folder, "'");
  NewestCheckpoint out;
  Status first;
  for (const CheckpointEntry& entry : entries) {
    auto checkpoint = read_checkpoint(entry.path, pool);
    if (checkpoint.ok()) {
      out.checkpoint = std::move(checkpoint).value();
      out.path = entry.path;
      return out;
    }
    if (checkpoint.status().code() != Code::kDataLoss) return checkpoint.status();
    if (first.ok()) first = checkpoint.status();
    out.skipped.emplace_back(checkpoint.status().message());
  }
  return first;
}

Status keep_checkpoints(const std::string& folder, const std::string& run, int64_t last, int64_t best) {
  if (last <= 0 && best <= 0) return {};
  PERCALE_ASSIGN_OR_RETURN(auto entries, list_checkpoints(folder));
  std::erase_if(entries, [&](const CheckpointEntry& e) { return !e.complete || e.head.run != run; });
  const std::vector<std::string> kept = best_of(entries, best);
  for (auto i = static_cast<size_t>(std::max<int64_t>(1, last)); i < entries.size(); ++i) {
    if (std::ranges::find(kept, entries[i].path) != kept.end()) continue;
    PERCALE_RETURN_IF_ERROR(remove_checkpoint(entries[i].path));
  }
  return {};
}

Status remove_checkpoints(const std::string& folder, const std::string& run) {
  PERCALE_ASSIGN_OR_RETURN(const auto entries, list_checkpoints(folder));
  std::vector<std::string> paths;
  for (const CheckpointEntry& entry : entries) {
    if (entry.head.run != run) paths.push_back(entry.path);
  }
  PERCALE_ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  for (std::string_view name : names) {
    const std::string path = join_path(folder, name);
    if (!name.ends_with(kTemporarySuffix) || path_kind(path) != PathKind::kFolder) continue;
    name.remove_suffix(kTemporarySuffix.size());
    if (step_of(name)) paths.push_back(path);
  }
  for (const std::string& path : paths) PERCALE_RETURN_IF_ERROR(check_own_files(path));
  for (const std::string& path : paths) {
    PERCALE_RETURN_IF_ERROR(path.ends_with(kTemporarySuffix) ? remove_tree(path) : remove_checkpoint(path));
  }
  return sync_folder(folder);
}

}  // namespace percale
