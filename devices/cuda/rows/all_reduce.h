// All-reduce across GPUs without a library: the GPUs read and write each other's memory.
#ifndef PERCALE_DEVICES_CUDA_ROWS_ALL_REDUCE_H_
#define PERCALE_DEVICES_CUDA_ROWS_ALL_REDUCE_H_

#include <cstdint>
#include <span>

#include "devices/cuda/stream/device.h"

namespace percale::cuda {

// See percale_device_api::all_reduce. Throws a Failure with UNIMPLEMENTED if there are too many
// GPUs, or one cannot access another's memory.
void all_reduce(std::span<Device* const> devices, void* const* buffers, std::span<const uint64_t> counts,
                percale_dtype dtype);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_ROWS_ALL_REDUCE_H_
