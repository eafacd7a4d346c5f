#include "core/checkpoint/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/crc32c.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/checkpoint/safetensors.h"

namespace percale {
namespace {

constexpr int64_t kVersion = 1;
constexpr std::string_view kState = "state.safetensors", kManifest = "MANIFEST", kPrefix = "step-", kOld = ".old";
// The last key: a checksum of all the text before it.
constexpr std::string_view kSeal = ",\"manifest_crc32c\":";
constexpr int64_t kMaxManifest = int64_t{256} << 20;

uint32_t checksum(const Tensor& tensor) { return crc32c(tensor.data(), static_cast<size_t>(tensor.bytes())); }

uint32_t checksum(const Buffer& bytes) { return crc32c(bytes.data(), static_cast<size_t>(bytes.bytes())); }

std::string manifest_of(const Checkpoint& c, const Safetensors& file, const Buffer& bytes,
                        const std::vector<std::pair<std::string, uint32_t>>& checksums) {
  JsonWriter w;
  w.begin_object().key("format").value("percale checkpoint").key("version").value(kVersion);
  w.key("step").value(c.step).key("seed").value(c.seed).key("epoch").value(c.epoch).key("batch").value(c.batch);
  w.key("shards").value(c.shards).key("seconds").value(c.seconds).key("fingerprint").value(c.fingerprint);
  w.key("sums").begin_array();
  for (double v : c.sums) w.value(v);
  w.end_array().key("numbers").begin_object();
  for (const auto& [name, v] : c.numbers) w.key(name).value(v);
  w.end_object();
  if (c.score) w.key("score").value(*c.score);
  w.key("files").begin_array();
  w.begin_object().key("name").value(kState).key("bytes").value(bytes.bytes());
  w.key("crc32c").value(checksum(bytes)).end_object();
  w.end_array().key("tensors").begin_array();
  for (const auto& [name, crc] : checksums) {
    const Safetensors::Entry& entry = *file.find(name);
    w.begin_object().key("name").value(name).key("dtype").value(dtype_name(entry.dtype)).key("shape").begin_array();
    for (int64_t d : entry.shape) w.value(d);
    w.end_array().key("bytes").value(entry.bytes).key("crc32c").value(crc).end_object();
  }
  w.end_array();
  std::string out = w.text();
  const uint32_t seal = crc32c(out);
  return out + std::string(kSeal) + str_cat(seal) + "}\n";
}

// The number of "step-12" or "step-12.old".
std::optional<int64_t> step_of(std::string_view name) {
  if (name.ends_with(kOld)) name.remove_suffix(kOld.size());
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int64_t out = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), out);
  if (error != std::errc() || end != name.data() + name.size() || out < 0) return std::nullopt;
  return out;
}

Status get(const Json& json, std::string_view key, int64_t* out) {
  const Json* value = json.find(key);
  if (value == nullptr) return data_loss("'", key, "' is missing");
  PERCALE_ASSIGN_OR_RETURN(*out, value->as_int(key));
  return {};
}

Result<Json> read_manifest(const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(const std::string text, read_file(path, kMaxManifest));
  const size_t seal = text.rfind(kSeal);
  if (seal == std::string::npos) return data_loss("it is cut short");
  const std::string_view body(text.data(), seal);
  const std::string wanted = std::string(kSeal) + str_cat(crc32c(body)) + "}\n";
  if (text.compare(seal, std::string::npos, wanted) != 0) return data_loss("its checksum is wrong");
  return Json::parse(text);
}

Result<std::optional<double>> score_of(const Json& manifest) {
  const Json* score = manifest.find("score");
  if (score == nullptr || score->is_null()) return std::optional<double>();
  PERCALE_ASSIGN_OR_RETURN(const double v, score->as_double("score"));
  return std::optional<double>(v);
}

Status check_size(const Json& manifest, const Buffer& bytes, int64_t* crc) {
  const Json* files = manifest.find("files");
  if (files == nullptr || !files->is_array() || files->size() != 1) return data_loss("'files' is no list of one file");
  int64_t size = 0;
  PERCALE_RETURN_IF_ERROR(get(files->item(0), "bytes", &size));
  PERCALE_RETURN_IF_ERROR(get(files->item(0), "crc32c", crc));
  if (bytes.bytes() == size) return {};
  return data_loss("'", kState, "' has ", bytes.bytes(), " bytes, wanted ", size);
}

Status take_tensors(const Json& manifest, const Safetensors& file, Checkpoint& out) {
  const Json* tensors = manifest.find("tensors");
  if (tensors == nullptr || !tensors->is_array()) return data_loss("'tensors' is no list");
  if (tensors->size() != file.entries().size()) {
    return data_loss("it lists ", static_cast<uint64_t>(tensors->size()), " tensors, the file has ",
                     static_cast<uint64_t>(file.entries().size()));
  }
  for (size_t i = 0; i < tensors->size(); ++i) {
    const Json& entry = tensors->item(i);
    const Json* name_json = entry.find("name");
    if (name_json == nullptr) return data_loss("a tensor has no name");
    PERCALE_ASSIGN_OR_RETURN(std::string name, name_json->as_string("name"));
    int64_t crc = 0;
    PERCALE_RETURN_IF_ERROR(get(entry, "crc32c", &crc));
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, file.tensor(name));
    const Json* dtype = entry.find("dtype");
    const Json* shape = entry.find("shape");
    if (dtype == nullptr || shape == nullptr) return data_loss("tensor '", name, "' has no type");
    PERCALE_ASSIGN_OR_RETURN(const std::string dtype_text, dtype->as_string("dtype"));
    PERCALE_ASSIGN_OR_RETURN(const auto dims, shape->as_ints("shape"));
    if (dtype_text != dtype_name(tensor.dtype()) || !std::ranges::equal(dims, tensor.shape().dims())) {
      return data_loss("'", kState, "': tensor '", name, "' has another type than the manifest says");
    }
    if (static_cast<int64_t>(checksum(tensor)) != crc) {
      return data_loss("'", kState, "': the checksum of tensor '", name, "' is wrong");
    }
    out.tensors.emplace_back(std::move(name), std::move(tensor));
  }
  return {};
}

Status read_into(const std::string& path, Checkpoint& out) {
  const auto manifest = read_manifest(join_path(path, kManifest));
  if (!manifest.ok()) return manifest.status().with_context(str_cat("'", kManifest, "'"));
  int64_t version = 0;
  PERCALE_RETURN_IF_ERROR(get(*manifest, "version", &version));
  if (version != kVersion) return unimplemented("its format has version ", version, ", known is ", kVersion);
  for (const auto& [key, field] : {std::pair{"step", &out.step},
                                   {"seed", &out.seed},
                                   {"epoch", &out.epoch},
                                   {"batch", &out.batch},
                                   {"shards", &out.shards}}) {
    PERCALE_RETURN_IF_ERROR(get(*manifest, key, field));
  }
  const Json* seconds = manifest->find("seconds");
  const Json* fingerprint = manifest->find("fingerprint");
  const Json* sums = manifest->find("sums");
  if (seconds == nullptr || fingerprint == nullptr || sums == nullptr || !sums->is_array()) {
    return data_loss("'", kManifest, "' lacks a key");
  }
  PERCALE_ASSIGN_OR_RETURN(out.seconds, seconds->as_double("seconds"));
  PERCALE_ASSIGN_OR_RETURN(out.fingerprint, fingerprint->as_string("fingerprint"));
  for (size_t i = 0; i < sums->size(); ++i) {
    double v = std::numeric_limits<double>::quiet_NaN();  // which JSON writes as null
    if (!sums->item(i).is_null()) {
      PERCALE_ASSIGN_OR_RETURN(v, sums->item(i).as_double("sums"));
    }
    out.sums.push_back(v);
  }
  if (const Json* numbers = manifest->find("numbers")) {
    for (size_t i = 0; i < numbers->size(); ++i) {
      double v = std::numeric_limits<double>::quiet_NaN();
      if (!numbers->item(i).is_null()) {
        PERCALE_ASSIGN_OR_RETURN(v, numbers->item(i).as_double("numbers"));
      }
      out.numbers.emplace_back(numbers->key(i), v);
    }
  }
  PERCALE_ASSIGN_OR_RETURN(out.score, score_of(*manifest));
  PERCALE_ASSIGN_OR_RETURN(const auto bytes, map_file(join_path(path, kState)));
  int64_t crc = 0;
  PERCALE_RETURN_IF_ERROR(check_size(*manifest, *bytes, &crc));
  const auto file = Safetensors::parse(bytes);
  if (!file.ok()) return data_loss("'", kState, "': ", file.status().message());
  PERCALE_RETURN_IF_ERROR(take_tensors(*manifest, **file, out));
  // Beyond the tensors, which were named: the header and the padding.
  if (static_cast<int64_t>(checksum(*bytes)) != crc) return data_loss("the checksum of '", kState, "' is wrong");
  return {};
}

}  // namespace

namespace {

Status write_into(const std::string& temporary, const Checkpoint& checkpoint) {
  PERCALE_RETURN_IF_ERROR(create_folders(temporary));
  std::vector<NamedTensor> tensors;
  std::vector<std::pair<std::string, uint32_t>> checksums;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    tensors.push_back({name, tensor});
    checksums.emplace_back(name, checksum(tensor));
  }
  std::sort(checksums.begin(), checksums.end());
  const std::string state = join_path(temporary, kState);
  PERCALE_RETURN_IF_ERROR(write_safetensors(state, tensors));
  PERCALE_ASSIGN_OR_RETURN(const auto written, map_file(state));
  PERCALE_ASSIGN_OR_RETURN(const auto file, Safetensors::parse(written));
  return write_file(join_path(temporary, kManifest), manifest_of(checkpoint, *file, *written, checksums));
}

// A folder cannot replace another one: the old one steps aside and is found there if this is the last that happens.
Status put_in_place(const std::string& temporary, const std::string& path, const std::string& old) {
  const bool replaces = path_kind(path) != PathKind::kNothing;
  if (replaces) {
    PERCALE_RETURN_IF_ERROR(remove_tree(old));
    PERCALE_RETURN_IF_ERROR(rename_path(path, old));
  }
  const Status status = rename_path(temporary, path);
  // If even this fails, the old one is found where it is.
  if (!status.ok() && replaces) static_cast<void>(rename_path(old, path));
  return status;
}

}  // namespace

Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  const std::string path = join_path(folder, str_cat(kPrefix, checkpoint.step));
  const std::string temporary = path + ".tmp", old = path + std::string(kOld);
  PERCALE_RETURN_IF_ERROR(remove_tree(temporary));
  Status status = write_into(temporary, checkpoint);
  if (status.ok()) status = put_in_place(temporary, path, old);
  if (!status.ok()) {
    static_cast<void>(remove_tree(temporary));  // a full disk needs the room
    return status;
  }
  PERCALE_RETURN_IF_ERROR(sync_folder(folder.empty() ? "." : folder));
  return remove_tree(old);
}

Result<std::string> newest_checkpoint(const std::string& folder) {
  const auto none = [&] { return not_found("no checkpoint in '", folder, "'"); };
  if (path_kind(folder) != PathKind::kFolder) return none();
  PERCALE_ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  int64_t best = -1;
  std::string out;
  for (const std::string& name : names) {  // sorted: step-N comes before step-N.old
    const auto step = step_of(name);
    const std::string path = join_path(folder, name);
    if (!step || *step <= best || path_kind(join_path(path, kManifest)) != PathKind::kFile) continue;
    best = *step;
    out = path;
  }
  if (best < 0) return none();
  return out;
}

Status keep_checkpoints(const std::string& folder, int64_t last, int64_t best) {
  if (last <= 0 && best <= 0) return {};
  PERCALE_ASSIGN_OR_RETURN(const auto names, list_folder(folder));
  struct Entry {
    int64_t step;
    std::string path;
    double score;
  };
  std::vector<Entry> entries;
  for (const std::string& name : names) {
    const auto step = step_of(name);
    const std::string path = join_path(folder, name);
    if (!step || path_kind(join_path(path, kManifest)) != PathKind::kFile) continue;
    Entry entry{*step, path, std::numeric_limits<double>::infinity()};
    if (const auto manifest = read_manifest(join_path(path, kManifest)); manifest.ok() && best > 0) {
      const auto score = score_of(*manifest);
      if (score.ok() && score->has_value() && !std::isnan(**score)) entry.score = **score;
    }
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.step > b.step; });
  const auto newest = static_cast<size_t>(std::max<int64_t>(1, last));
  if (entries.size() <= newest) return {};
  // The best of all stay, whether or not they are among the newest.
  std::vector<Entry> by_score = entries;
  std::sort(by_score.begin(), by_score.end(), [](const Entry& a, const Entry& b) {
    return a.score < b.score || (a.score == b.score && a.step < b.step);
  });
  const auto stays = [&](const std::string& path) {
    for (size_t i = 0; i < by_score.size() && static_cast<int64_t>(i) < best; ++i) {
      if (by_score[i].path == path && std::isfinite(by_score[i].score)) return true;
    }
    return false;
  };
  for (size_t i = newest; i < entries.size(); ++i) {
    if (stays(entries[i].path)) continue;
    // Never half of one under its own name.
    const std::string temporary = entries[i].path + ".tmp";
    PERCALE_RETURN_IF_ERROR(remove_tree(temporary));
    PERCALE_RETURN_IF_ERROR(rename_path(entries[i].path, temporary));
    PERCALE_RETURN_IF_ERROR(remove_tree(temporary));
  }
  return {};
}

Result<Checkpoint> read_checkpoint(const std::string& path) {
  Checkpoint out;
  const Status status = read_into(path, out);
  if (status.ok()) return out;
  const std::string context = str_cat("checkpoint '", path, "'");
  // A manifest whose seal is right and whose contents are not is damage all the same.
  if (status.code() == Code::kInvalidArgument) return data_loss(status.message()).with_context(context);
  return status.with_context(context);
}

}  // namespace percale
