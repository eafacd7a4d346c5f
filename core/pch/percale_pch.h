// What most files of the library read, compiled once per build: the standard headers, and the graph with the registry and
// the tensors under it. It stands in for no #include: the sanitizer build goes without it and fails where a file forgets one.
#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
