// How a tensor lies in memory when it is not row-major.
#ifndef PERCALE_CORE_REGISTRY_FORMAT_H_
#define PERCALE_CORE_REGISTRY_FORMAT_H_

#include <cstdint>
#include <string>

namespace percale {

// Agreed among the kernels of one author: the core compares keys, counts bytes and knows nothing else of it. The key
// begins with the author's name and a colon, and reads well up to a semicolon: "onednn:aBcd16b;…".
struct Format {
  std::string key;
  int64_t bytes = 0;

  friend bool operator==(const Format&, const Format&) = default;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_FORMAT_H_
