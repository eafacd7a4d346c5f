// The passes that depend on the device of a part: narrowing to bf16, and fusion.
#ifndef PERCALE_CORE_COMPILE_FUSE_H_
#define PERCALE_CORE_COMPILE_FUSE_H_

#include <vector>

#include "core/compile/compilation.h"

namespace percale {

// Computes in bf16 what a device computes faster so, if the options allow it.
Status narrow_floats(Compilation& c, Cut& cut);

// Forms groups of nodes that kernels take as one. `keep`: per part, nodes that are not grouped. All
// parts are fused before the first is lowered: kernels borrow the bodies of groups from the graph,
// whose functions move when one is added.
Status fuse_parts(Compilation& c, Cut& cut, const std::vector<NodeNames>& keep);

}  // namespace percale

#endif  // PERCALE_CORE_COMPILE_FUSE_H_
