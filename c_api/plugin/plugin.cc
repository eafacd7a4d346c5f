#include "c_api/plugin/plugin.h"

#include <algorithm>

#include "c_api/plugin/plugin_file.h"
#include "c_api/plugin/plugin_op.h"
#include "core/base/c_status.h"
#include "core/file/file.h"
#include "core/system/file.h"

namespace percale::c_api {
namespace {

// True for a table that is as large as this library needs it.
template <class Table>
bool is_whole(const Table* table) {
  return table != nullptr && table->struct_size >= sizeof(Table);
}

Status check_kernel(const percale_kernel* kernel) {
  if (!is_whole(kernel) || kernel->name == nullptr || kernel->domain == nullptr || kernel->op == nullptr ||
      kernel->device_kind == nullptr) {
    return invalid_argument("a kernel lacks its size, name, op or kind of device");
  }
  if (kernel->accepts == nullptr || kernel->plan == nullptr || kernel->run == nullptr) {
    return invalid_argument("kernel ", kernel->name, " lacks accepts, plan or run");
  }
  return {};
}

Status check_tables(const percale_plugin_api& api) {
  for (size_t i = 0; i < api.kernel_count; ++i) PERCALE_RETURN_IF_ERROR(check_kernel(api.kernels[i]));
  for (size_t i = 0; i < api.device_count; ++i) {
    const percale_device_api* device = api.devices[i];
    if (!is_whole(device) || device->kind == nullptr || device->probe == nullptr || device->open == nullptr ||
        device->describe == nullptr) {
      return invalid_argument("a device lacks its size, kind, probe, open or describe");
    }
  }
  for (size_t i = 0; i < api.format_count; ++i) {
    if (!is_whole(api.formats[i]) || api.formats[i]->name == nullptr) {
      return invalid_argument("a format lacks its size or name");
    }
  }
  for (size_t i = 0; i < api.transport_count; ++i) {
    const percale_transport* transport = api.transports[i];
    if (!is_whole(transport) || transport->name == nullptr || transport->join == nullptr) {
      return invalid_argument("a transport lacks its size, name or join");
    }
    if (transport->open_device != nullptr && transport->list_devices == nullptr) {
      return invalid_argument("the transport ", transport->name, " has open_device and no list_devices");
    }
    if (transport->serve != nullptr && (transport->wait_for_clients == nullptr || transport->stop_serving == nullptr)) {
      return invalid_argument("the transport ", transport->name, " has serve and no wait_for_clients or stop_serving");
    }
  }
  return {};
}

// True if the plug-in itself brings the op that the kernel is for.
bool is_for_own_op(const percale_plugin_api& api, const percale_kernel& kernel) {
  const auto is_op = [&](const percale_op* op) { return std::string_view(op->name) == kernel.op; };
  return api.op_count > 0 && std::string_view(kernel.domain) == api.domain &&
         std::any_of(api.ops, api.ops + api.op_count, is_op);
}

Status refuse_numerics(const NodeView& node) {
  return unimplemented("is a plug-in's, which ", node.numerics.text(), " excludes");
}

}  // namespace

Result<std::unique_ptr<Plugins>> Plugins::load(const percale_host_api& host, std::string_view plugin_path,
                                               std::string_view without) {
  std::unique_ptr<Plugins> out(new Plugins(host));
  const std::string own = plugin_folder();
  if (!own.empty()) {
    for (const std::string& path : plugins_in(own)) out->open(path, without);
  }
  while (!plugin_path.empty()) {
    const size_t separator = plugin_path.find(os::path_list_separator());
    const std::string path(plugin_path.substr(0, separator));
    plugin_path.remove_prefix(separator == std::string_view::npos ? plugin_path.size() : separator + 1);
    switch (path.empty() ? PathKind::kOther : path_kind(path)) {
      case PathKind::kFolder:
        for (const std::string& file : plugins_in(path)) out->open(file, without);
        break;
      case PathKind::kFile:
        // A bare name would be searched in the system's folders.
        out->open(file_name(path) == path ? str_cat("./", path) : path, without);
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
  info.name = plugin_stem(path);
  const percale_plugin_api* api = nullptr;
  if (!without.empty() && info.name == without) {
    info.absent = "switched off by an option";
  } else if (auto opened = open_plugin(host_, path); opened.ok()) {
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

Status Plugins::add_plugin(Registry& registry, const percale_plugin_api& api, PluginInfo& info) {
  // Everything is checked before anything is added.
  std::vector<const OpSchema*> schemas;
  for (size_t i = 0; i < api.op_count; ++i) {
    PERCALE_ASSIGN_OR_RETURN(const OpRow row, make_op_row(api.domain, *api.ops[i]));
    schemas.push_back(&schemas_.emplace_back(op_rows_.emplace_back(row)));
  }
  PERCALE_RETURN_IF_ERROR(check_tables(api));
  for (const OpSchema* schema : schemas) PERCALE_RETURN_IF_ERROR(registry.add_op(*schema));
  for (size_t i = 0; i < api.device_count; ++i) {
    const percale_device_api& device = *api.devices[i];
    if (device.borrow_kernels != nullptr) registry.lend_kernels(device.borrow_kernels, device.kind);
  }
  // From the last to the first, each before all others, so that the plug-in's own order stays.
  for (size_t i = api.kernel_count; i-- > 0;) {
    percale_kernel kernel = *api.kernels[i];
    if (registry.numerics().own_kernels_only() && !is_for_own_op(api, kernel)) {
      kernel.accepts = kernel_detail::accepts<refuse_numerics>;
      info.unused_kernels = registry.numerics().text();
    }
    PERCALE_RETURN_IF_ERROR(registry.add_kernel(kernel.device_kind, kernel, true));
  }
  return {};
}

Status Plugins::add_to(Registry& registry) {
  for (size_t i = 0; i < apis_.size(); ++i) {
    if (apis_[i] == nullptr) continue;
    const Status status = add_plugin(registry, *apis_[i], infos_[i]);
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

std::string Plugins::facts(std::string_view devices, Numerics numerics) const {
  std::string out;
  for (size_t i = 0; i < apis_.size(); ++i) {
    if (apis_[i] == nullptr) continue;
    bool used = false;
    for (size_t k = 0; k < apis_[i]->kernel_count; ++k) {
      const percale_kernel& kernel = *apis_[i]->kernels[k];
      if (numerics.own_kernels_only() && !is_for_own_op(*apis_[i], kernel)) continue;
      const std::string_view kind = kernel.device_kind;
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

const percale_format* Plugins::find_format(std::string_view name) const {
  for (const percale_plugin_api* api : apis_) {
    for (size_t i = 0; api != nullptr && i < api->format_count; ++i) {
      if (name == api->formats[i]->name) return api->formats[i];
    }
  }
  return nullptr;
}

const percale_transport* Plugins::find_transport() const {
  for (const percale_plugin_api* api : apis_) {
    if (api != nullptr && api->transport_count > 0) return api->transports[0];
  }
  return nullptr;
}

std::vector<std::string> Plugins::formats() const {
  std::vector<std::string> out;
  for (const percale_plugin_api* api : apis_) {
    for (size_t i = 0; api != nullptr && i < api->format_count; ++i) out.emplace_back(api->formats[i]->name);
  }
  return out;
}

}  // namespace percale::c_api
