#include "c_api/plugin/plugin_file.h"

#include "c_api/include/percale.h"
#include "core/base/c_status.h"
#include "core/file/file.h"
#include "core/file/library_platform.h"
#include "core/system/file.h"
#include "core/system/library.h"

namespace percale::c_api {
namespace {

constexpr std::string_view kName = "percale_";

// An address within the library.
const void* own_address() { return reinterpret_cast<const void*>(&percale_version); }

bool is_plugin_file(std::string_view name) {
  return name.starts_with(str_cat(os::library_prefix(), kName)) && name.ends_with(os::library_suffix());
}

}  // namespace

std::string plugin_folder() {
  const std::string file = os::file_of(own_address());
  return file.empty() ? file : join_path(parent_folder(file), "percale");
}

std::string_view plugin_stem(std::string_view path) {
  path = file_name(path);
  if (!is_plugin_file(path)) return path;
  path.remove_prefix(os::library_prefix().size() + kName.size());
  path.remove_suffix(os::library_suffix().size());
  return path;
}

std::vector<std::string> plugins_in(const std::string& folder) {
  std::vector<std::string> out;
  const auto names = list_folder(folder);
  if (!names.ok()) return out;
  for (const std::string& name : *names) {
    // A link to a plug-in that was not built, or is gone, names none.
    std::string path = join_path(folder, name);
    if (is_plugin_file(name) && path_kind(path) == PathKind::kFile) out.push_back(std::move(path));
  }
  return out;
}

Result<const percale_plugin_api*> open_plugin(const percale_host_api& host, const std::string& path) {
  std::string reason;
  void* library = os::open_library(path, &reason);
  if (library == nullptr) {
    // The loaders of systems say of such a file that it is absent, or its header invalid.
    const std::string other = other_platform(path, os::file_of(own_address()));
    return failed_precondition(other.empty() ? reason : other);
  }
  const auto init = reinterpret_cast<percale_plugin_init_fn>(os::find_symbol(library, "percale_plugin_init"));
  if (init == nullptr) return failed_precondition("exports no percale_plugin_init");
  os::keep_loaded(own_address());
  const percale_plugin_api* api = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(init(&host, PERCALE_PLUGIN_ABI, path.c_str(), &api)));
  if (api == nullptr || api->struct_size < sizeof(percale_plugin_api) || api->name == nullptr) {
    return failed_precondition("gives no table of version ", int32_t{PERCALE_PLUGIN_ABI});
  }
  return api;
}

}  // namespace percale::c_api
