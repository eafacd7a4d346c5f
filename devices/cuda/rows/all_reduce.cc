#include "devices/cuda/rows/all_reduce.h"

#include <algorithm>
#include <exception>
#include <string>

#include "devices/cuda/kernels/common/row_args.h"
#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {
namespace {

// Lets a GPU access another one's memory for as long as its context lives. Access may already be
// enabled.
void open_way(const Device& from, const Device& to) {
  if (from.context() == to.context()) return;
  const Driver& d = from.driver();
  int can = 0;
  d.check(d.cuDeviceCanAccessPeer(&can, from.number(), to.number()), "cuDeviceCanAccessPeer");
  if (can == 0) throw Failure(PERCALE_UNIMPLEMENTED, "one of these GPUs cannot access another's memory");
  const Current current(from);
  const abi::Result result = d.cuCtxEnablePeerAccess(to.context(), 0);
  if (result != abi::kPeerAccessAlreadyEnabled) d.check(result, "cuCtxEnablePeerAccess");
}

// Calls f with the device and its stream for copies. Stores the first failure of several such calls
// in `wrong`.
template <class F>
void on_copies(Device& device, std::exception_ptr& wrong, F&& f) {
  try {
    const Current current(device);
    device.with_copies([&](Stream& stream) { f(device, stream); });
  } catch (const Failure& failure) {
    device.note(failure);
    if (!wrong) wrong = std::current_exception();
  } catch (...) {
    if (!wrong) wrong = std::current_exception();
  }
}

}  // namespace

void all_reduce(std::span<Device* const> devices, void* const* buffers, std::span<const uint64_t> counts,
                percale_dtype dtype) {
  const auto gpus = static_cast<int64_t>(devices.size());
  if (gpus > kMostPeers)
    throw Failure(PERCALE_UNIMPLEMENTED,
                  "all-reduce across more than " + std::to_string(kMostPeers) + " GPUs is not supported");
  if (dtype != PERCALE_DTYPE_F32 && dtype != PERCALE_DTYPE_F64)
    throw Failure(PERCALE_UNIMPLEMENTED, "all-reduce supports only f32 and f64");
  for (const Device* from : devices) {
    for (const Device* to : devices) open_way(*from, *to);
  }
  if (gpus < 2) return;
  const bool wide = dtype == PERCALE_DTYPE_F64;
  const int64_t per_lane = wide ? 2 : 4;
  const char* const name = wide ? "percale_all_reduce_f64" : "percale_all_reduce_f32";
  std::exception_ptr wrong;
  for (int64_t i = 0; i < gpus; ++i) {
    on_copies(*devices[static_cast<size_t>(i)], wrong, [&](Device& device, Stream& stream) {
      const abi::Function function = device.function(Family::all_reduce, name, sizeof(AllReduceArgs));
      for (size_t k = 0; k < counts.size(); ++k) {
        const auto count = static_cast<int64_t>(counts[k]), lanes = (count + per_lane - 1) / per_lane;
        AllReduceArgs args{};
        args.begin = lanes * i / gpus * per_lane;
        args.end = std::min(lanes * (i + 1) / gpus * per_lane, count);
        args.count = static_cast<int32_t>(gpus);
        if (args.begin >= args.end) continue;
        for (int64_t other = 0; other < gpus; ++other) {
          args.buffers[other].address =
              reinterpret_cast<abi::Address>(buffers[static_cast<size_t>(other) * counts.size() + k]);
        }
        const Grid grid = grid_for(args.end - args.begin, per_lane);
        stream.launch(function, grid.blocks, grid.blocks_y, grid.threads, grid.threads_y, grid.shared, &args);
      }
    });
  }
  // Waits even after a failure, because the enqueued work uses the buffers of all devices.
  for (Device* device : devices) {
    on_copies(*device, wrong, [](Device&, Stream& stream) { stream.synchronize(); });
  }
  if (wrong) std::rethrow_exception(wrong);
}

}  // namespace percale::cuda
