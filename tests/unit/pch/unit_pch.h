// The precompiled header of the larger test programs: doctest, common standard headers, the graph.
// It replaces no #include: builds with -Db_pch=false compile without it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
