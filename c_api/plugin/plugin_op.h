// Ops of plug-ins as schemas of the core.
#ifndef PERCALE_C_API_PLUGIN_PLUGIN_OP_H_
#define PERCALE_C_API_PLUGIN_PLUGIN_OP_H_

#include "c_api/include/percale_plugin.h"
#include "core/registry/op_schema.h"

namespace percale::c_api {

// The schema of an op in the domain of its plug-in. Borrows the text of both. INVALID_ARGUMENT if
// the op lacks a part or has one that no op may have.
Result<OpRow> make_op_row(const char* domain, const percale_op& op);

}  // namespace percale::c_api

#endif  // PERCALE_C_API_PLUGIN_PLUGIN_OP_H_
