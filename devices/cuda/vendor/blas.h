// Products of row-major matrices by cuBLASLt.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_BLAS_H_
#define PERCALE_DEVICES_CUDA_VENDOR_BLAS_H_

#include <map>
#include <memory>
#include <mutex>

#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// D = alpha * op(A) op(B) + beta * C, followed by the epilogue. There are `batch` matrices, which
// are `*_step` elements apart. All are row-major: op(A) [m, k], op(B) [k, n], C and D [m, n].
struct Product {
  percale_dtype dtype = PERCALE_DTYPE_F32;
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  int64_t batch = 1, a_step = 0, b_step = 0, d_step = 0;
  double alpha = 1, beta = 0;
  uint64_t alignment = 64;               // of all operands, in bytes
  int epilogue = abi::kEpilogueDefault;  // A bias [n] is added to every row. Not supported for f64.
};

// Returns the bytes of workspace that cuBLASLt may use for one product.
int64_t workspace_for(const Product& product);

// A planned product. cuBLASLt's algorithm is queried once for each device. Thread-safe.
class PlannedProduct {
 public:
  // Throws a Refusal for types that cuBLASLt does not multiply.
  explicit PlannedProduct(const Product& product);
  ~PlannedProduct();
  PlannedProduct(const PlannedProduct&) = delete;
  PlannedProduct& operator=(const PlannedProduct&) = delete;

  // c: null if beta is 0. bias: null if the epilogue has none.
  void run(const Launch& launch, Ptr a, Ptr b, Ptr c, Ptr d, Ptr bias, Ptr workspace, int64_t workspace_bytes) const;

 private:
  struct OnDevice;
  const OnDevice& on(Device& device, Ptr bias) const;

  const Product product_;
  mutable std::mutex mutex_;
  mutable std::map<const Device*, std::unique_ptr<OnDevice>> devices_;
};

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_VENDOR_BLAS_H_
