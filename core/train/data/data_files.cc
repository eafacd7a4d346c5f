#include "core/train/data/data_files.h"

#include <algorithm>
#include <cstdlib>

#include "core/checkpoint/npy.h"
#include "core/checkpoint/npz.h"
#include "core/checkpoint/safetensors.h"
#include "core/file/file.h"
#include "core/file/gzip.h"
#include "core/system/file.h"
#include "core/train/data/idx.h"

namespace percale {
namespace {

Result<Tensor> parse_tensor_file(const std::string& path, const std::string& name,
                                 const std::shared_ptr<MemoryPool>& pool) {
  if (has_ending(path, ".tfrecord") || has_ending(path, ".parquet")) {
    return unimplemented("data sets of this format are not supported; convert it to .npz, .safetensors or .csv");
  }
  if (has_ending(path, ".npy")) return read_npy(path, false, pool);
  if (has_ending(path, ".npz")) return read_npz(path, name, pool, false);
  if (has_ending(path, ".safetensors")) {
    PERCALE_ASSIGN_OR_RETURN(const auto file, Safetensors::open(path, pool));
    return file->tensor(name, false);
  }
  PERCALE_ASSIGN_OR_RETURN(const auto file, load_file(path, pool));
  const std::string_view bytes(static_cast<const char*>(file->data()), static_cast<size_t>(file->bytes()));
  if (looks_like_idx(bytes) || looks_like_gzip(bytes)) return parse_idx_file(file, pool);
  return invalid_argument("this is not an IDX file, and its name does not end with .npy, .npz, .safetensors or .csv");
}

void add_environment(std::vector<std::string>& folders, const char* name, std::string_view below) {
  const char* value = std::getenv(name);
  if (value != nullptr && *value != '\0') folders.push_back(join_path(value, below));
}

}  // namespace

Result<Tensor> load_tensor_file(const std::string& path, const std::string& name,
                                const std::shared_ptr<MemoryPool>& pool) {
  auto out = parse_tensor_file(path, name, pool);
  // A file of a few bytes may declare any number of empty rows, and shuffling takes memory for
  // each.
  if (out.ok() && out->shape().rank() > 0 && out->shape()[0] > 0 && out->num_elements() == 0) {
    return invalid_argument("'", path, "': ", out->dtype(), " ", out->shape(), " has rows without elements");
  }
  if (out.ok() || out.status().message().find(path) != std::string_view::npos) return out;
  return out.status().with_context(str_cat("'", path, "'"));
}

bool has_ending(std::string_view path, std::string_view ending) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return path.size() >= ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), path.rbegin(), [&](char e, char c) { return e == lower(c); });
}

Result<std::string> find_data_file(const std::string& name, const std::vector<std::string>& folders) {
  if (name.empty()) return invalid_argument("a data file has no name");
  std::vector<std::string> names = {name};
  names.push_back(name.ends_with(".gz") ? name.substr(0, name.size() - 3) : name + ".gz");
  std::vector<std::string> places = folders;
  if (os::is_absolute_path(name)) places = {""};
  std::string seen;
  for (const std::string& folder : places) {
    for (const std::string& n : names) {
      const std::string path = join_path(folder, n);
      if (path_kind(path) == PathKind::kFile) return path;
    }
    if (!folder.empty()) seen += str_cat(seen.empty() ? "" : ", ", "'", folder, "'");
  }
  return not_found("no data file '", name, "'", seen.empty() ? std::string() : str_cat(" in ", seen));
}

std::vector<std::string> default_data_folders() {
  std::vector<std::string> out;
  add_environment(out, "PERCALE_DATA", "");
  const size_t before = out.size();
  add_environment(out, "PERCALE_CACHE", "data");
  if (out.size() == before) add_environment(out, "XDG_CACHE_HOME", "percale/data");
  if (out.size() == before) add_environment(out, "HOME", ".cache/percale/data");
  return out;
}

}  // namespace percale
