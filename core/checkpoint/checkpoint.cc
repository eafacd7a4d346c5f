#include "core/checkpoint/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/memory.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/manifest.h"
#include "core/checkpoint/safetensors.h"
#include "core/file/crc32c.h"
#include "core/file/file.h"
#include "core/file/host_files.h"
#include "core/text/json.h"

namespace percale {
namespace {

// Limit for steps, epochs and batches. Computations with larger numbers could overflow.
constexpr int64_t kMaxCount = int64_t{1} << 40;

uint32_t checksum(const Tensor& tensor) { return crc32c(tensor.data(), static_cast<size_t>(tensor.bytes())); }

uint32_t checksum(const Buffer& bytes) { return crc32c(bytes.data(), static_cast<size_t>(bytes.bytes())); }

std::string manifest_of(const Checkpoint& c, int64_t order, const Safetensors& file, const Buffer& bytes,
                        const std::vector<std::pair<std::string, uint32_t>>& checksums) {
  JsonWriter w;
  begin_manifest(w, {order, c.run});
  w.key("step").value(c.step).key("seed").value(c.seed).key("epoch").value(c.epoch).key("batch").value(c.batch);
  w.key("shards").value(c.shards).key("seconds").value(c.seconds).key("fingerprint").value(c.fingerprint);
  if (!c.job.empty()) {
    w.key("job_digest").value(job_digest(c.job)).key("job").begin_array();
    for (const auto& [name, value] : c.job) w.begin_array().value(name).value(value).end_array();
    w.end_array();
  }
  w.key("sums").begin_array();
  for (double v : c.sums) w.value(v);
  w.end_array().key("numbers").begin_object();
  for (const auto& [name, v] : c.numbers) w.key(name).value(v);
  w.end_object();
  if (c.score) w.key("score").value(*c.score);
  w.key("files").begin_array();
  w.begin_object().key("name").value(kStateFile).key("bytes").value(bytes.bytes());
  w.key("crc32c").value(checksum(bytes)).end_object();
  w.end_array().key("tensors").begin_array();
  for (const auto& [name, crc] : checksums) {
    const Safetensors::Entry& entry = *file.find(name);
    w.begin_object().key("name").value(name).key("dtype").value(dtype_name(entry.dtype)).key("shape").begin_array();
    for (int64_t d : entry.shape) w.value(d);
    w.end_array().key("bytes").value(entry.bytes).key("crc32c").value(crc).end_object();
  }
  w.end_array();
  return finish_manifest(w);
}

Status get(const Json& json, std::string_view key, int64_t* out) {
  const Json* value = json.find(key);
  if (value == nullptr) return data_loss("'", key, "' is missing");
  PERCALE_ASSIGN_OR_RETURN(*out, value->as_int(key));
  return {};
}

Status get_count(const Json& json, std::string_view key, int64_t most, int64_t* out) {
  PERCALE_RETURN_IF_ERROR(get(json, key, out));
  if (*out >= 0 && *out <= most) return {};
  return data_loss("'", key, "' is ", *out, ", wanted 0 to ", most);
}

Status check_size(const Json& manifest, const Buffer& bytes, int64_t* crc) {
  const Json* files = manifest.find("files");
  if (files == nullptr || !files->is_array() || files->size() != 1)
    return data_loss("'files' is not a list with one file");
  int64_t size = 0;
  PERCALE_RETURN_IF_ERROR(get(files->item(0), "bytes", &size));
  PERCALE_RETURN_IF_ERROR(get(files->item(0), "crc32c", crc));
  if (bytes.bytes() == size) return {};
  return data_loss("'", kStateFile, "' has ", bytes.bytes(), " bytes, wanted ", size);
}

Status take_tensors(const Json& manifest, const Safetensors& file, Checkpoint& out) {
  const Json* tensors = manifest.find("tensors");
  if (tensors == nullptr || !tensors->is_array()) return data_loss("'tensors' is not a list");
  if (tensors->size() != file.entries().size()) {
    return data_loss("the manifest lists ", static_cast<uint64_t>(tensors->size()), " tensors, but the file has ",
                     static_cast<uint64_t>(file.entries().size()));
  }
  for (size_t i = 0; i < tensors->size(); ++i) {
    const Json& entry = tensors->item(i);
    const Json* name_json = entry.find("name");
    if (name_json == nullptr) return data_loss("a tensor lacks its name");
    PERCALE_ASSIGN_OR_RETURN(std::string name, name_json->as_string("name"));
    int64_t crc = 0;
    PERCALE_RETURN_IF_ERROR(get(entry, "crc32c", &crc));
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, file.tensor(name));
    const Json* dtype = entry.find("dtype");
    const Json* shape = entry.find("shape");
    if (dtype == nullptr || shape == nullptr) return data_loss("tensor '", name, "' lacks its dtype or shape");
    PERCALE_ASSIGN_OR_RETURN(const std::string dtype_text, dtype->as_string("dtype"));
    PERCALE_ASSIGN_OR_RETURN(const auto dims, shape->as_ints("shape"));
    if (dtype_text != dtype_name(tensor.dtype()) || !std::ranges::equal(dims, tensor.shape().dims())) {
      return data_loss("'", kStateFile, "': tensor '", name, "' differs in type from the manifest");
    }
    if (static_cast<int64_t>(checksum(tensor)) != crc) {
      return data_loss("'", kStateFile, "': the checksum of tensor '", name, "' is wrong");
    }
    out.tensors.emplace_back(std::move(name), std::move(tensor));
  }
  return {};
}

Status read_job(const Json& manifest, Checkpoint& out) {
  const Json* job = manifest.find("job");
  for (size_t i = 0; job != nullptr && i < job->size(); ++i) {
    const Json& part = job->item(i);
    if (!part.is_array() || part.size() != 2) return data_loss("'job' is not a list of pairs");
    PERCALE_ASSIGN_OR_RETURN(std::string name, part.item(0).as_string("job"));
    PERCALE_ASSIGN_OR_RETURN(std::string value, part.item(1).as_string("job"));
    out.job.emplace_back(std::move(name), std::move(value));
  }
  return {};
}

Status read_into(const std::string& path, const std::shared_ptr<MemoryPool>& pool, Checkpoint& out) {
  const auto manifest = read_manifest(join_path(path, kManifestFile), pool);
  if (!manifest.ok()) return manifest.status().with_context(str_cat("'", kManifestFile, "'"));
  int64_t version = 0;
  PERCALE_RETURN_IF_ERROR(get(*manifest, "version", &version));
  if (version != kManifestVersion)
    return unimplemented("the format version is ", version, ", but this library reads version ", kManifestVersion);
  for (const auto& [key, field] : {std::pair{"step", &out.step}, {"epoch", &out.epoch}, {"batch", &out.batch}}) {
    PERCALE_RETURN_IF_ERROR(get_count(*manifest, key, kMaxCount, field));
  }
  PERCALE_RETURN_IF_ERROR(get_count(*manifest, "shards", kMaxShards, &out.shards));
  PERCALE_RETURN_IF_ERROR(get(*manifest, "seed", &out.seed));
  if (const Json* run = manifest->find("run")) {
    PERCALE_ASSIGN_OR_RETURN(out.run, run->as_string("run"));
  }
  PERCALE_RETURN_IF_ERROR(read_job(*manifest, out));
  const Json* seconds = manifest->find("seconds");
  const Json* fingerprint = manifest->find("fingerprint");
  const Json* sums = manifest->find("sums");
  if (seconds == nullptr || fingerprint == nullptr || sums == nullptr || !sums->is_array()) {
    return data_loss("'", kManifestFile, "' lacks a required key");
  }
  PERCALE_ASSIGN_OR_RETURN(out.seconds, seconds->as_double("seconds"));
  PERCALE_ASSIGN_OR_RETURN(out.fingerprint, fingerprint->as_string("fingerprint"));
  for (size_t i = 0; i < sums->size(); ++i) {
    double v = std::numeric_limits<double>::quiet_NaN();  // JSON writes NaN as null
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
  PERCALE_ASSIGN_OR_RETURN(out.score, manifest_score(*manifest));
  PERCALE_ASSIGN_OR_RETURN(const auto bytes, load_file(join_path(path, kStateFile), pool));
  int64_t crc = 0;
  PERCALE_RETURN_IF_ERROR(check_size(*manifest, *bytes, &crc));
  const auto file = Safetensors::parse(bytes);
  if (!file.ok()) return data_loss("'", kStateFile, "': ", file.status().message());
  PERCALE_RETURN_IF_ERROR(take_tensors(*manifest, **file, out));
  // Covers the header and the padding; the tensors have been verified by name before.
  if (static_cast<int64_t>(checksum(*bytes)) != crc) return data_loss("the checksum of '", kStateFile, "' is wrong");
  return {};
}

Status write_into(const std::string& temporary, const Checkpoint& checkpoint, int64_t order) {
  PERCALE_RETURN_IF_ERROR(create_folders(temporary));
  std::vector<NamedTensor> tensors;
  std::vector<std::pair<std::string, uint32_t>> checksums;
  for (const auto& [name, tensor] : checkpoint.tensors) {
    tensors.push_back({name, tensor});
    checksums.emplace_back(name, checksum(tensor));
  }
  std::sort(checksums.begin(), checksums.end());
  const std::string state = join_path(temporary, kStateFile);
  PERCALE_RETURN_IF_ERROR(write_safetensors(state, tensors));
  PERCALE_ASSIGN_OR_RETURN(const auto written, map_file(state));
  PERCALE_ASSIGN_OR_RETURN(const auto file, Safetensors::parse(written));
  return write_file(join_path(temporary, kManifestFile), manifest_of(checkpoint, order, *file, *written, checksums));
}

// A folder cannot replace another one, so the old one is renamed first. If the process ends here,
// the old one is found under that name.
Status put_in_place(const std::string& temporary, const std::string& path, const std::string& old) {
  const bool replaces = path_kind(path) != PathKind::kNothing;
  if (replaces) {
    PERCALE_RETURN_IF_ERROR(remove_tree(old));
    PERCALE_RETURN_IF_ERROR(rename_path(path, old));
  }
  const Status status = rename_path(temporary, path);
  // If this also fails, the old one is found under its temporary name.
  if (!status.ok() && replaces) static_cast<void>(rename_path(old, path));
  return status;
}

}  // namespace

Status write_checkpoint(const std::string& folder, const Checkpoint& checkpoint) {
  const std::string path = join_path(folder, str_cat(kStepPrefix, checkpoint.step));
  const std::string temporary = path + std::string(kTemporarySuffix), old = path + std::string(kReplacedSuffix);
  PERCALE_RETURN_IF_ERROR(remove_tree(temporary));
  PERCALE_ASSIGN_OR_RETURN(const auto earlier, list_checkpoints(folder));
  const int64_t order = 1 + (earlier.empty() ? 0 : earlier.front().head.order);
  Status status = write_into(temporary, checkpoint, order);
  if (status.ok()) status = put_in_place(temporary, path, old);
  if (!status.ok()) {
    static_cast<void>(remove_tree(temporary));  // frees space on a full disk
    return status;
  }
  PERCALE_RETURN_IF_ERROR(sync_folder(folder.empty() ? "." : folder));
  return remove_tree(old);
}

Result<Checkpoint> read_checkpoint(const std::string& path, const std::shared_ptr<MemoryPool>& pool) {
  if (is_host_path(path, pool.get())) {
    PERCALE_RETURN_IF_ERROR(host_file_size(join_path(path, kManifestFile), *pool).status());
  } else if (path_kind(path) == PathKind::kNothing) {
    return not_found("no checkpoint '", path, "'");
  }
  Checkpoint out;
  const Status status = read_into(path, pool, out);
  if (status.ok()) return out;
  const std::string context = str_cat("checkpoint '", path, "'");
  // A missing file is damage, too, and so is a manifest with a correct checksum but invalid
  // contents.
  const bool damaged = status.code() == Code::kInvalidArgument || status.code() == Code::kNotFound;
  return (damaged ? data_loss(status.message()) : status).with_context(context);
}

}  // namespace percale
