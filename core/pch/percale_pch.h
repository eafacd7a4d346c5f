// The standard headers that most files of the library read, compiled once per build: a third of its compile time.
// It stands in for no #include: the sanitizer build goes without it and fails where a file forgets one.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>
