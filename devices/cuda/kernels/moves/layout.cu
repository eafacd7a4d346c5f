// Copies, transposes and fills elements by size, whatever their type.
#include "devices/cuda/kernels/common/device.cuh"

namespace percale::cuda {
namespace {

template <class T>
__device__ void copy(const CopyArgs& a) {
  const T* x = at<const T>(a.x);
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) {
    int64_t offsets[2];
    locate(a.walk, i, offsets);
    y[offsets[1]] = x[offsets[0]];
  }
}

// Tiles of 32 x 32 pass through shared memory, so that reads and writes are both contiguous. Blocks
// have 32 x 8 threads.
template <class T>
__device__ void transpose(const TransposeArgs& a) {
  // One column more, so that the elements of a column are in different banks.
  __shared__ T tile[32][33];
  const int64_t across = (a.columns + 31) / 32, down = (a.rows + 31) / 32;
  for (int64_t t = blockIdx.x; t < a.batch * down * across; t += gridDim.x) {
    const int64_t column = t % across * 32, row = t / across % down * 32, image = t / (across * down);
    const T* x = at<const T>(a.x) + image * a.rows * a.columns;
    T* y = at<T>(a.y) + image * a.rows * a.columns;
    for (int64_t r = threadIdx.y; r < 32; r += blockDim.y) {
      if (row + r < a.rows && column + threadIdx.x < a.columns) {
        tile[r][threadIdx.x] = x[(row + r) * a.columns + column + threadIdx.x];
      }
    }
    __syncthreads();
    for (int64_t c = threadIdx.y; c < 32; c += blockDim.y) {
      if (column + c < a.columns && row + threadIdx.x < a.rows) {
        y[(column + c) * a.rows + row + threadIdx.x] = tile[threadIdx.x][c];
      }
    }
    __syncthreads();  // before the next tile is loaded
  }
}

template <class T>
__device__ void fill(const FillArgs& a) {
  T* y = at<T>(a.y);
  for (int64_t i = thread_number(); i < a.size; i += thread_count()) y[i] = static_cast<T>(a.bits);
}

}  // namespace

#define PERCALE_SIZES(F) F(1, uint8_t) F(2, uint16_t) F(4, uint32_t) F(8, uint64_t)
#define PERCALE_LAYOUT(name, T)                                                       \
  PERCALE_KERNEL(percale_copy_##name, CopyArgs, 256) { copy<T>(a); }                   \
  PERCALE_KERNEL(percale_transpose_##name, TransposeArgs, 256) { transpose<T>(a); }    \
  PERCALE_KERNEL(percale_fill_##name, FillArgs, 256) { fill<T>(a); }
PERCALE_SIZES(PERCALE_LAYOUT)

}  // namespace percale::cuda
