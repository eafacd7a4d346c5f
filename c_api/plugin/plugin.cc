#include "c_api/plugin/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>

#include "c_api/include/percale.h"
#include "c_api/plugin/host_api.h"
#include "core/base/c_status.h"
#include "core/file/file.h"
#include "core/graph/gradient.h"

namespace percale::c_api {
namespace {

// The library's own file, as the loader knows it; null when it does not tell.
const char* own_file() {
  Dl_info info;
  return dladdr(reinterpret_cast<const void*>(&percale_version), &info) == 0 ? nullptr : info.dli_fname;
}

// The folder of plug-ins beside the library; empty when the system does not tell where that is.
std::string own_folder() {
  const char* file = own_file();
  return file == nullptr ? std::string() : join_path(parent_folder(file), "percale");
}

// A plug-in is never closed, and may call the host's table for the life of the process: the library stays too, even if
// whoever opened it closes it. Opened again it is the one that is there. A program that has it linked in needs none of this.
void stay() {
  const char* file = own_file();
  if (file == nullptr) return;
  if (void* self = dlopen(file, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE); self != nullptr) dlclose(self);
}

bool is_plugin_file(std::string_view name) { return name.starts_with("libpercale_") && name.ends_with(".so"); }

// "onednn" of "/a/libpercale_onednn.so".
std::string_view stem(std::string_view path) {
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
    if (is_plugin_file(name)) out.push_back(join_path(folder, name));
  }
  return out;
}

Result<const percale_plugin_api*> open_library(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    return failed_precondition(reason == nullptr ? "cannot be opened" : reason);
  }
  const auto init = reinterpret_cast<percale_plugin_init_fn>(dlsym(library, "percale_plugin_init"));
  if (init == nullptr) return failed_precondition("exports no percale_plugin_init");
  stay();
  const percale_plugin_api* api = nullptr;
  PERCALE_RETURN_IF_ERROR(from_c(init(&host_api(), PERCALE_PLUGIN_ABI, path.c_str(), &api)));
  if (api == nullptr || api->struct_size < sizeof(percale_plugin_api) || api->name == nullptr) {
    return failed_precondition("gives no table of version ", int32_t{PERCALE_PLUGIN_ABI});
  }
  return api;
}

Status shape_of_plugin(ShapeContext& context) {
  const auto& op = *static_cast<const percale_op*>(context.schema.user);
  const Status status = from_c(op.shape(op.user, &context));
  if (!status.ok()) return context.error(status);
  for (const ValueType& output : context.outputs) {
    if (output.dtype == DType::kInvalid) return context.error("the plug-in's shape function leaves an output unset");
  }
  return {};
}

Status gradient_of_plugin(GradContext& context) {
  const auto& op = *static_cast<const percale_op*>(context.node().op->user);
  PERCALE_RETURN_IF_ERROR(from_c(op.gradient(op.user, &context)));
  return context.status();
}

// Sets of the bits 1 << dtype.
DTypeSet dtype_set(uint32_t bits) {
  DTypeSet out;
  for (int32_t i = 1; i < kNumDTypes; ++i) {
    if ((bits >> i & 1) != 0) out = out | DTypeSet::of(static_cast<DType>(i));
  }
  return out;
}

template <class T, size_t N>
void append(List<T, N>& list, T item) {
  list.items[list.count++] = item;
}

Status check_kernel(const percale_kernel& kernel, const char* kind) {
  if (kernel.struct_size < sizeof(percale_kernel) || kernel.name == nullptr || kernel.domain == nullptr ||
      kernel.op == nullptr || kind == nullptr) {
    return invalid_argument("a kernel lacks its size, name, op or kind of device");
  }
  if (kernel.accepts == nullptr || kernel.plan == nullptr || kernel.run == nullptr) {
    return invalid_argument("kernel ", kernel.name, " lacks accepts, plan or run");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Plugins>> Plugins::load(std::string_view plugin_path, std::string_view without) {
  auto out = std::make_unique<Plugins>();
  const std::string own = own_folder();
  if (!own.empty()) {
    for (const std::string& path : plugins_in(own)) out->open(path, without);
  }
  while (!plugin_path.empty()) {
    const size_t colon = plugin_path.find(':');
    const std::string path(plugin_path.substr(0, colon));
    plugin_path.remove_prefix(colon == std::string_view::npos ? plugin_path.size() : colon + 1);
    switch (path.empty() ? PathKind::kOther : path_kind(path)) {
      case PathKind::kFolder:
        for (const std::string& file : plugins_in(path)) out->open(file, without);
        break;
      case PathKind::kFile:
        // A bare name would be searched in the system's folders.
        out->open(path.find('/') == std::string::npos ? str_cat("./", path) : path, without);
        out->infos_.back().required = true;
        PERCALE_RETURN_IF_ERROR(check_required(out->infos_.back()));
        break;
      case PathKind::kNothing: return not_found("plug-in ", path, ": no such file or folder");
      case PathKind::kOther:
        if (!path.empty()) return invalid_argument("plug-in ", path, ": neither a file nor a folder");
        break;
    }
  }
  return out;
}

Status Plugins::check_required(const PluginInfo& info) {
  if (!info.required || info.absent.empty()) return {};
  return failed_precondition("plug-in ", info.path, ": ", info.absent);
}

void Plugins::open(const std::string& path, std::string_view without) {
  PluginInfo info;
  info.path = path;
  info.name = stem(path);
  const percale_plugin_api* api = nullptr;
  if (!without.empty() && info.name == without) {
    info.absent = "switched off by an option";
  } else if (auto opened = open_library(path); opened.ok()) {
    api = *opened;
    info.name = api->name;
    info.version = api->version == nullptr ? "" : api->version;
    if (has(info.name)) {
      info.absent = str_cat("a plug-in called ", info.name, " is loaded already");
      api = nullptr;
    }
  } else {
    info.absent = opened.status().message();
  }
  infos_.push_back(std::move(info));
  apis_.push_back(api);
}

Result<const OpSchema*> Plugins::make_schema(const percale_op& op) {
  if (op.struct_size < sizeof(percale_op) || op.domain == nullptr || op.name == nullptr || op.doc == nullptr ||
      op.shape == nullptr) {
    return invalid_argument("an op lacks its size, domain, name, doc or shape function");
  }
  if (op.input_count > kMaxInputs || op.output_count > 8 || op.attribute_count > kMaxAttributes) {
    return invalid_argument("op ", op.name, " has too many inputs, outputs or attributes");
  }
  if (op.gradient != nullptr && op.attribute_count > 0 && op.gradient_ignores_attributes == 0) {
    return invalid_argument("op ", op.domain, ":", op.name,
                            " has attributes and a gradient function, which cannot read ",
                            "them: set gradient_ignores_attributes to 1 if the gradient is the same for all their ",
                            "values, else leave the gradient out");
  }
  OpSchema schema{.domain = op.domain,
                  .name = op.name,
                  .since = op.since,
                  .doc = op.doc,
                  .shape = &shape_of_plugin,
                  .grad = op.gradient == nullptr ? GradFn(grad::none) : GradFn(&gradient_of_plugin),
                  .user = &op};
  for (size_t i = 0; i < op.input_count; ++i) {
    const percale_op_value& value = op.inputs[i];
    if (value.name == nullptr) return invalid_argument("op ", op.name, ": an input has no name");
    append(schema.inputs, InputSpec{value.name, value.type_group, dtype_set(value.dtypes),
                                    value.optional != 0 ? Presence::kOptional : Presence::kRequired, Bounds::kNone});
  }
  for (size_t i = 0; i < op.output_count; ++i) {
    const percale_op_value& value = op.outputs[i];
    if (value.name == nullptr) return invalid_argument("op ", op.name, ": an output has no name");
    append(schema.outputs, OutputSpec{value.name, value.type_group, dtype_set(value.dtypes), Presence::kRequired});
  }
  for (size_t i = 0; i < op.attribute_count; ++i) {
    const percale_op_attribute& attribute = op.attributes[i];
    const bool known =
        attribute.kind == 1 || attribute.kind == 2 || attribute.kind == 3 || attribute.kind == 6 || attribute.kind == 7;
    if (attribute.name == nullptr || !known) {
      return invalid_argument("op ", op.name, ": an attribute has no name or no known kind");
    }
    append(schema.attributes,
           AttrSpec{.name = attribute.name,
                    .kind = static_cast<AttrKind>(attribute.kind),
                    .required = attribute.required != 0,
                    .has_default = attribute.has_default != 0 && attribute.kind <= 3,
                    .int_default = attribute.int_default,
                    .float_default = attribute.float_default,
                    .string_default = attribute.string_default == nullptr ? "" : attribute.string_default});
  }
  return &schemas_.emplace_back(schema);
}

Status Plugins::add_plugin(Registry& registry, const percale_plugin_api& api) {
  // Everything is checked before anything is added.
  std::vector<const OpSchema*> schemas;
  for (size_t i = 0; i < api.op_count; ++i) {
    PERCALE_ASSIGN_OR_RETURN(const OpSchema* schema, make_schema(*api.ops[i]));
    schemas.push_back(schema);
  }
  for (size_t i = 0; i < api.kernel_count; ++i) {
    PERCALE_RETURN_IF_ERROR(check_kernel(*api.kernels[i], api.kernel_device_kinds[i]));
  }
  for (size_t i = 0; i < api.device_count; ++i) {
    const percale_device_api& device = *api.devices[i];
    if (device.struct_size < offsetof(percale_device_api, borrow_kernels) || device.kind == nullptr ||
        device.probe == nullptr || device.open == nullptr || device.describe == nullptr) {
      return invalid_argument("a device lacks its size, kind, probe, open or describe");
    }
  }
  for (size_t i = 0; i < api.importer_count; ++i) {
    const percale_importer& importer = *api.importers[i];
    if (importer.struct_size < offsetof(percale_importer, import_tensor) || importer.format == nullptr) {
      return invalid_argument("an importer lacks its size or format");
    }
  }
  for (const OpSchema* schema : schemas) PERCALE_RETURN_IF_ERROR(registry.add_op(*schema));
  for (size_t i = 0; i < api.device_count; ++i) {
    const percale_device_api& device = *api.devices[i];
    if (device.struct_size <= offsetof(percale_device_api, borrow_kernels) || device.borrow_kernels == nullptr)
      continue;
    registry.lend_kernels(device.borrow_kernels, device.kind);
  }
  // From the last to the first, each before all others, so that the plug-in's own order stays.
  for (size_t i = api.kernel_count; i-- > 0;) {
    PERCALE_RETURN_IF_ERROR(registry.add_kernel(api.kernel_device_kinds[i], *api.kernels[i], true));
  }
  return {};
}

Status Plugins::add_to(Registry& registry) {
  for (size_t i = 0; i < apis_.size(); ++i) {
    if (apis_[i] == nullptr) continue;
    const Status status = add_plugin(registry, *apis_[i]);
    if (status.ok()) continue;
    infos_[i].absent = status.message();
    apis_[i] = nullptr;
    PERCALE_RETURN_IF_ERROR(check_required(infos_[i]));
  }
  return {};
}

bool Plugins::has(std::string_view name) const {
  return std::any_of(infos_.begin(), infos_.end(),
                     [&](const PluginInfo& info) { return info.absent.empty() && info.name == name; });
}

std::string Plugins::numerics(std::string_view devices) const {
  std::string out;
  for (size_t i = 0; i < apis_.size(); ++i) {
    if (apis_[i] == nullptr) continue;
    bool used = false;
    for (size_t k = 0; k < apis_[i]->kernel_count; ++k) {
      const std::string_view kind = apis_[i]->kernel_device_kinds[k];
      used = used || kind == "cpu" || devices == "all" || devices.find(kind) != std::string_view::npos;
    }
    if (!used) continue;
    out += str_cat(out.empty() ? "" : " ", infos_[i].name, "=", infos_[i].version);
  }
  return out;
}

std::vector<const percale_device_api*> Plugins::devices() const {
  std::vector<const percale_device_api*> out;
  for (const percale_plugin_api* api : apis_) {
    if (api != nullptr) out.insert(out.end(), api->devices, api->devices + api->device_count);
  }
  return out;
}

const percale_importer* Plugins::find_importer(std::string_view format) const {
  for (const percale_plugin_api* api : apis_) {
    for (size_t i = 0; api != nullptr && i < api->importer_count; ++i) {
      const percale_importer* importer = api->importers[i];
      if (importer->format != nullptr && format == importer->format) return importer;
    }
  }
  return nullptr;
}

std::vector<std::string> Plugins::formats() const {
  std::vector<std::string> out;
  for (const percale_plugin_api* api : apis_) {
    for (size_t i = 0; api != nullptr && i < api->importer_count; ++i) {
      if (api->importers[i]->format != nullptr) out.emplace_back(api->importers[i]->format);
    }
  }
  return out;
}

}  // namespace percale::c_api
