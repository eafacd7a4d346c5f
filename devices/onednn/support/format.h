// oneDNN's memory descriptors as the formats of the library.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_FORMAT_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_FORMAT_H_

#include <string>

#include "devices/onednn/support/host.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace percale::onednn {

using MemoryDesc = dnnl::memory::desc;
using DataType = dnnl::memory::data_type;

// A tensor in a format, and the same tensor row-major as oneDNN would describe it: its dims may be other than the
// library's (groups of weights, a transposed matrix).
struct Format {
  MemoryDesc in_format, row_major;
};

// The same with the library's dims, where the primitive takes an image of one column for one of one row.
Format with_dims(Format format, const Dims& dims);

// "onednn:f32 aBcd16b;…": readable, then all that decode() needs.
std::string encode(const Format& format);
// Throws Refusal for a text that encode() has not made.
Format decode(const char* text);

// Row-major strides.
Dims strides_of(const Dims& dims);
inline MemoryDesc row_major(const Dims& dims, DataType type) { return MemoryDesc(dims, type, strides_of(dims)); }
inline MemoryDesc any_format(const Dims& dims, DataType type) {
  return MemoryDesc(dims, type, dnnl::memory::format_tag::any);
}

// A tensor as it lies in a format, row-major where that is null or shows other dims.
MemoryDesc lying_in(const char* format, const Dims& dims, DataType type);

// A tensor whose dims follow each other in memory as those of `model` do. Precondition: strides alone describe it.
MemoryDesc ordered_like(const MemoryDesc& model, const Dims& dims, DataType type);

// Whether strides alone describe a tensor: it has no inner blocks, no padding, and nothing behind its elements.
bool is_strided(const MemoryDesc& desc);

// Whether the bytes are those of `row_major`, whatever the descriptors say of dims of one element.
bool same_bytes(const MemoryDesc& desc, const MemoryDesc& row_major);

// f32, bf16, f16, s8, u8, s32; Refusal for others.
DataType data_type(percale_dtype dtype);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_FORMAT_H_
