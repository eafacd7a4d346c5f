// Files of plug-ins: where they lie, and how one is opened.
#ifndef PERCALE_C_API_PLUGIN_PLUGIN_FILE_H_
#define PERCALE_C_API_PLUGIN_PLUGIN_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "c_api/include/percale_plugin.h"
#include "core/base/status.h"

namespace percale::c_api {

// The folder of plug-ins beside the library; empty if the system does not tell where that is.
std::string plugin_folder();

// The files libpercale_*.so (percale_*.dll, libpercale_*.dylib) of a folder, without links that
// lead nowhere; empty if the folder cannot be read.
std::vector<std::string> plugins_in(const std::string& folder);

// "onednn" of "/a/libpercale_onednn.so".
std::string_view plugin_stem(std::string_view path);

// Opens a plug-in for good, hands it `host` and returns its table, or the reason why it cannot be
// used. From then on the library stays in the process too, because the plug-in may call its tables
// at any time.
Result<const percale_plugin_api*> open_plugin(const percale_host_api& host, const std::string& path);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_PLUGIN_PLUGIN_FILE_H_
