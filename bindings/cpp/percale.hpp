/// Percale for C++20: RAII over the C ABI of percale.h, header-only. Nothing here needs exceptions; with them `value()`
/// throws percale::Error. `percale/ops.hpp` has one function per op and is included by those who build graphs of ops.
#ifndef PERCALE_HPP_
#define PERCALE_HPP_

#include "percale/builder.hpp"
#include "percale/cancellation.hpp"
#include "percale/cluster.hpp"
#include "percale/constants.hpp"
#include "percale/dataset.hpp"
#include "percale/engine.hpp"
#include "percale/graph.hpp"
#include "percale/handle.hpp"
#include "percale/model.hpp"
#include "percale/options.hpp"
#include "percale/result.hpp"
#include "percale/session.hpp"
#include "percale/tensor.hpp"
#include "percale/trace.hpp"
#include "percale/trainer.hpp"
#include "percale/variables.hpp"

#endif  // PERCALE_HPP_
