// The memory layout of a tensor that is not row-major.
#ifndef PERCALE_CORE_REGISTRY_FORMAT_H_
#define PERCALE_CORE_REGISTRY_FORMAT_H_

#include <cstdint>
#include <string>

namespace percale {

// Layouts are agreed among the kernels of one author. The core only compares keys and counts bytes.
// The key begins with the author's name and a colon, and is readable up to a semicolon:
// "onednn:aBcd16b;…".
struct Format {
  std::string key;
  int64_t bytes = 0;

  friend bool operator==(const Format&, const Format&) = default;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_FORMAT_H_
