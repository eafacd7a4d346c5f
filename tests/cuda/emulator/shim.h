// Replaces nvcc: definitions with which device code is compiled for the host, and its threads run
// one by one. Included before anything else (-include).
#ifndef PERCALE_TESTS_CUDA_EMULATOR_SHIM_H_
#define PERCALE_TESTS_CUDA_EMULATOR_SHIM_H_

#define PERCALE_EMULATED

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "devices/cuda/kernels/common/args.h"

#define __device__
#define __host__
#define __forceinline__ inline
// Blocks run one after the other on one thread. As on a GPU, shared memory is not cleared between
// them.
#define __shared__ static

struct EmulatedDim3 {
  unsigned x, y, z;
};

namespace percale_emulator {

// The device thread that is running.
struct Thread {
  EmulatedDim3 thread, block, block_dim, grid_dim;
  int lane, warp;
};
extern Thread* current;

// Returns when all threads of the block, or of the warp, have called it. A thread that has ended is
// not waited for.
void block_barrier();
// Returns the value that lane `from_lane` passes in the same call. All lanes of the warp must call
// it.
uint64_t exchange(uint64_t value, unsigned from_lane);
// Returns the values of all lanes of the warp, which make the same call. They are valid until the
// second call of the lane after this one.
const uint64_t* exchange_all(uint64_t value);
// Adds a product of the warp to `sums`, as percale::cuda::multiply_add() does. `element` converts
// an element from its bits.
void multiply_add(float (&sums)[4], const uint32_t (&left)[4], const uint32_t (&right)[2], float (*element)(uint16_t));
// The block's shared memory, whose size is an argument of the launch.
void* dynamic_shared();
// Returns the host-accessible address of device memory. An address outside of allocated memory is
// an error of the kernel.
void* reach(uint64_t address);

template <class T>
T exchange_as(T value, unsigned from_lane) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = exchange(bits, from_lane);
  memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace percale_emulator

#define threadIdx (percale_emulator::current->thread)
#define blockIdx (percale_emulator::current->block)
#define blockDim (percale_emulator::current->block_dim)
#define gridDim (percale_emulator::current->grid_dim)

#define PERCALE_UNROLL
#define PERCALE_DYNAMIC_SHARED(T, name) T* name = static_cast<T*>(percale_emulator::dynamic_shared())

inline void __syncthreads() { percale_emulator::block_barrier(); }
inline void __syncwarp() { percale_emulator::exchange_as(0, 0); }
inline void __threadfence_system() {}

// Threads do not run at the same time, so these operations are atomic.
template <class T>
T atomicCAS(T* at, T expected, T value) {
  const T before = *at;
  if (before == expected) *at = value;
  return before;
}
template <class T>
T atomicAdd(T* at, T value) {
  static_assert(!__is_same(T, float) && !__is_same(T, double), "sums of floats would depend on the order of threads");
  const T before = *at;
  *at = static_cast<T>(before + value);
  return before;
}
template <class T>
T atomicMax(T* at, T value) {
  const T before = *at;
  if (value > before) *at = value;
  return before;
}
template <class T>
T atomicMin(T* at, T value) {
  const T before = *at;
  if (value < before) *at = value;
  return before;
}

inline unsigned percale_lane() { return static_cast<unsigned>(percale_emulator::current->lane); }
template <class T>
T __shfl_xor_sync(unsigned, T value, int step) {
  return percale_emulator::exchange_as(value, percale_lane() ^ static_cast<unsigned>(step));
}
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return percale_emulator::exchange_as(value, static_cast<unsigned>(lane) % 32);
}
template <class T>
T __shfl_down_sync(unsigned, T value, unsigned step) {
  const unsigned lane = percale_lane();
  return percale_emulator::exchange_as(value, lane + step < 32 ? lane + step : lane);
}
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned step) {
  const unsigned lane = percale_lane();
  return percale_emulator::exchange_as(value, lane >= step ? lane - step : lane);
}
inline unsigned __ballot_sync(unsigned, int holds) {
  unsigned out = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    out |= (percale_emulator::exchange_as(holds, lane) != 0 ? 1u : 0u) << lane;
  }
  return out;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }

namespace percale::cuda {

template <class T>
T* at(Ptr p) {
  return static_cast<T*>(percale_emulator::reach(p.address));
}

struct F16;
float widen(F16 x);
F16 to_f16(float x);

}  // namespace percale::cuda

// A kernel is found by its name, and the size of its arguments under the name with a suffix.
#define PERCALE_KERNEL(name, Args, max_threads)                                         \
  extern "C" __attribute__((visibility("default"))) const unsigned name##_limits[2];    \
  const unsigned name##_limits[2] = {static_cast<unsigned>(sizeof(Args)), max_threads}; \
  static void name##_body(const Args& a);                                               \
  extern "C" __attribute__((visibility("default"))) void name(const void* arguments) {  \
    name##_body(*static_cast<const Args*>(arguments));                                  \
  }                                                                                     \
  static void name##_body(const Args& a)

#endif  // PERCALE_TESTS_CUDA_EMULATOR_SHIM_H_
