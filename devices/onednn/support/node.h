// The names of the plug-in kit that the files of this plug-in use.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_NODE_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_NODE_H_

#include "bindings/cpp/percale_plugin.hpp"
#include "c_api/include/percale_plugin.h"

namespace percale::onednn {

using plugin::Dims;
using plugin::elements;
using plugin::Node;
using plugin::Refusal;
using plugin::refuse_if;

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_NODE_H_
