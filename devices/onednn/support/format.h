// Converts oneDNN's memory descriptors to the library's formats and back.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_FORMAT_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_FORMAT_H_

#include <string>

#include "devices/onednn/support/node.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace percale::onednn {

using MemoryDesc = dnnl::memory::desc;
using DataType = dnnl::memory::data_type;

// A tensor in a format, and the same tensor row-major as oneDNN describes it. Its dims may differ
// from the library's (groups of weights, a transposed matrix).
struct Format {
  MemoryDesc in_format, row_major;
};

// Returns the format with the library's dims, for primitives that take an image of one column as an
// image of one row.
Format with_dims(Format format, const Dims& dims);

// Returns for example "onednn:f32 aBcd16b;…": a readable part, then everything that decode() needs.
std::string encode(const Format& format);
// Throws a Refusal for a text that encode() did not make.
Format decode(const char* text);

// Returns row-major strides.
Dims strides_of(const Dims& dims);
inline MemoryDesc row_major(const Dims& dims, DataType type) { return MemoryDesc(dims, type, strides_of(dims)); }
inline MemoryDesc any_format(const Dims& dims, DataType type) {
  return MemoryDesc(dims, type, dnnl::memory::format_tag::any);
}

// Returns the layout of a tensor in a format. It is row-major if the format is null or has other
// dims.
MemoryDesc lying_in(const char* format, const Dims& dims, DataType type);

// Returns a tensor whose dims have the same order in memory as those of `model`. Precondition:
// `model` is described by strides alone.
MemoryDesc ordered_like(const MemoryDesc& model, const Dims& dims, DataType type);

// True if strides alone describe the tensor: it has no inner blocks, no padding, and nothing behind
// its elements.
bool is_strided(const MemoryDesc& desc);

// True if the bytes are those of `row_major`, whatever the descriptors say about dims of size one.
bool same_bytes(const MemoryDesc& desc, const MemoryDesc& row_major);

// f32, bf16, f16, s8, u8, s32. Throws a Refusal for other types.
DataType data_type(percale_dtype dtype);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_FORMAT_H_
