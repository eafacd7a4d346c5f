/// Plug-ins for Percale in C++20: header-only, on percale_plugin.h alone. A plug-in links nothing
/// of Percale. Errors are exceptions inside a plug-in; the kit turns them into statuses.
///
/// A plug-in is a class derived from percale::plugin::Plugin:
///
///   struct Mine : percale::plugin::Plugin {
///     static constexpr const char* kName = "mine";
///     explicit Mine(const percale_host_api& host) : Plugin(host, kName, "1.0", "mine") {
///       add_op<Square>();            // op.hpp: schema, shape function, gradient
///       add_kernel<SquareOnCpu>();   // kernel.hpp: plan and run
///     }
///   };
///   PERCALE_PLUGIN(Mine)
///
/// samples/plugin/cpp/square.cc is a complete one. device.hpp makes the table of a kind of devices.
#ifndef PERCALE_PLUGIN_HPP_
#define PERCALE_PLUGIN_HPP_

#include "percale/plugin/device.hpp"
#include "percale/plugin/entry.hpp"
#include "percale/plugin/error.hpp"
#include "percale/plugin/format.hpp"
#include "percale/plugin/kernel.hpp"
#include "percale/plugin/node.hpp"
#include "percale/plugin/op.hpp"

#endif  // PERCALE_PLUGIN_HPP_
