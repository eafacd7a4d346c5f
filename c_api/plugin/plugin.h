// Plug-ins: found, opened, checked, and put into the registry of an engine that is being created.
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
  std::string absent;     // why it is not used; empty when it is
  bool required = false;  // a file that was named, so that the engine needs it
};

// Never unloaded: their code and text live as long as the process. Immutable once the engine is made.
class Plugins {
 public:
  // Opens libpercale_*.so of the folder percale/ beside this library, then what `plugin_path` names (files and folders,
  // separated by ':'), but none that is called `without`. What a folder holds and cannot be used is noted as absent; a
  // file that was named must load.
  static Result<std::unique_ptr<Plugins>> load(std::string_view plugin_path, std::string_view without);

  // Adds ops and kernels. A plug-in whose tables are wrong becomes absent; where a file was named, its reason is the
  // error. The registry must not outlive this.
  Status add_to(Registry& registry);

  const std::vector<PluginInfo>& infos() const { return infos_; }
  bool has(std::string_view name) const;
  // What of them decides bits on these devices (as the option names them): names and versions of the plug-ins that bring kernels.
  std::string numerics(std::string_view devices) const;
  std::vector<const percale_device_api*> devices() const;
  // Null when there is none for the format.
  const percale_importer* find_importer(std::string_view format) const;
  std::vector<std::string> formats() const;

 private:
  void open(const std::string& path, std::string_view without);
  static Status check_required(const PluginInfo& info);
  Status add_plugin(Registry& registry, const percale_plugin_api& api);
  Result<const OpSchema*> make_schema(const percale_op& op);

  std::vector<PluginInfo> infos_;
  std::vector<const percale_plugin_api*> apis_;  // as infos_; null where absent
  std::deque<OpSchema> schemas_;
};

}  // namespace percale::c_api

#endif  // PERCALE_C_API_PLUGIN_PLUGIN_H_
