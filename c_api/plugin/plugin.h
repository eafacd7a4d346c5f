// The plug-ins of an engine: found, opened, checked, and added to its registry.
#ifndef PERCALE_C_API_PLUGIN_PLUGIN_H_
#define PERCALE_C_API_PLUGIN_PLUGIN_H_

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/status.h"
#include "core/registry/registry.h"

namespace percale::c_api {

struct PluginInfo {
  std::string path, name, version;
  std::string absent;          // the reason why it is not used; empty if it is used
  std::string unused_kernels;  // the reason why kernels of it are not used, or empty
  bool required = false;       // named by the option "plugin_path": the engine needs it
};

// The plug-ins of one engine. Plug-ins are never unloaded: their code and text live as long as the
// process. Immutable once the engine is made.
class Plugins {
 public:
  // Opens libpercale_*.so of the folder percale/ beside this library, then the files and folders
  // that `plugin_path` names, separated by ':' (';' on Windows), except a plug-in called `without`.
  // A plug-in of a folder that cannot be used is noted as absent; a file that was named must load.
  // They get `host`.
  static Result<std::unique_ptr<Plugins>> load(const percale_host_api& host, std::string_view plugin_path,
                                               std::string_view without);

  // Adds ops and kernels. A plug-in whose tables are wrong becomes absent; for a file that was
  // named the reason is the error. If the registry's numerics allow the library's own kernels only,
  // a plug-in's kernels compute the plug-in's own ops and refuse all others. The registry must not
  // outlive this.
  Status add_to(Registry& registry);

  const std::vector<PluginInfo>& infos() const { return infos_; }
  bool has(std::string_view name) const;
  // Names and versions of the plug-ins that bring kernels for these devices (written as in the
  // option "devices"), because those decide bits.
  std::string facts(std::string_view devices, Numerics numerics) const;
  std::vector<const percale_device_api*> devices() const;
  // Null if no plug-in has the format.
  const percale_format* find_format(std::string_view name) const;
  std::vector<std::string> formats() const;
  // The first one; null if no plug-in has any.
  const percale_transport* find_transport() const;

 private:
  explicit Plugins(const percale_host_api& host) : host_(host) {}
  void open(const std::string& path, std::string_view without);
  static Status check_required(const PluginInfo& info);
  Status add_plugin(Registry& registry, const percale_plugin_api& api, PluginInfo& info);

  const percale_host_api& host_;
  std::vector<PluginInfo> infos_;
  std::vector<const percale_plugin_api*> apis_;  // as infos_; null if absent
  std::deque<OpRow> op_rows_;
  std::deque<OpSchema> schemas_;  // refer to op_rows_
};

}  // namespace percale::c_api

#endif  // PERCALE_C_API_PLUGIN_PLUGIN_H_
