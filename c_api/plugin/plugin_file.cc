#include "c_api/plugin/plugin_file.h"

#include <dlfcn.h>

#include "c_api/include/percale.h"
#include "core/base/c_status.h"
#include "core/file/file.h"

namespace percale::c_api {
namespace {

// The library's own file, as the loader knows it; null if the loader does not tell.
const char* own_file() {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(&percale_version), &info) == 0 ? nullptr : info.dli_fname;
}

// Keeps the library in the process. Opening a file that is open already gives the same library; a
// program that has the library linked in needs none of this.
void stay() {
  const char* file = own_file();
  if (file == nullptr) return;
  if (void* self = dlopen(file, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE); self != nullptr) dlclose(self);
}

bool is_plugin_file(std::string_view name) { return name.starts_with("libpercale_") && name.ends_with(".so"); }

}  // namespace

std::string plugin_folder() {
  const char* file = own_file();
  return file == nullptr ? std::string() : join_path(parent_folder(file), "percale");
}

std::string_view plugin_stem(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  if (!is_plugin_file(path)) return path;
  path.remove_prefix(std::string_view("libpercale_").size());
  path.remove_suffix(3);
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
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return failed_precondition(reason == nullptr ? "cannot be opened" : reason);
  }
  const auto init = reinterpret_cast<percale_plugin_init_fn>(dlsym(library, "percale_plugin_init"));
  if (init == nullptr) return failed_precondition("exports no percale_plugin_init");
  stay();
  const percale_plugin_api* api = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(init(&host, PERCALE_PLUGIN_ABI, path.c_str(), &api)));
  if (api == nullptr || api->struct_size < sizeof(percale_plugin_api) || api->name == nullptr) {
    return failed_precondition("gives no table of version ", int32_t{PERCALE_PLUGIN_ABI});
  }
  return api;
}

}  // namespace percale::c_api
