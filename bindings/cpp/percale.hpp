/// Percale for C++20: header-only RAII classes over the C ABI of percale.h. Nothing here needs
/// exceptions. If they are enabled, `value()` throws percale::Error. To build graphs of ops,
/// include `percale/ops.hpp` too, which has one function per op.
#ifndef PERCALE_HPP_
#define PERCALE_HPP_

#include "percale/builder.hpp"
#include "percale/cancellation.hpp"
#include "percale/cluster.hpp"
#include "percale/collective.hpp"
#include "percale/constants.hpp"
#include "percale/dataset.hpp"
#include "percale/engine.hpp"
#include "percale/graph.hpp"
#include "percale/handle.hpp"
#include "percale/host.hpp"
#include "percale/model.hpp"
#include "percale/options.hpp"
#include "percale/result.hpp"
#include "percale/server.hpp"
#include "percale/session.hpp"
#include "percale/tensor.hpp"
#include "percale/trace.hpp"
#include "percale/trainer.hpp"
#include "percale/variables.hpp"

#endif  // PERCALE_HPP_
