// Products of matrices by cuBLASLt, in row-major words.
#ifndef PERCALE_DEVICES_CUDA_VENDOR_BLAS_H_
#define PERCALE_DEVICES_CUDA_VENDOR_BLAS_H_

#include <map>
#include <memory>
#include <mutex>

#include "devices/cuda/launch/kernel.h"

namespace percale::cuda {

// D = alpha * op(A) op(B) + beta * C, and then the epilogue, for `batch` matrices whose elements lie `*_step` apart; all row-major, op(A)
// [m, k], op(B) [k, n], C and D [m, n].
struct Product {
  percale_dtype dtype = PERCALE_DTYPE_F32;
  int64_t m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  int64_t batch = 1, a_step = 0, b_step = 0, d_step = 0;
  double alpha = 1, beta = 0;
  uint64_t alignment = 64;               // of all operands, bytes
  int epilogue = abi::kEpilogueDefault;  // with bias: [n], added to every row; not for f64
};

// What cuBLASLt may use at once.
int64_t workspace_for(const Product& product);

// A product that has been planned; what cuBLASLt says of it is asked once per device. Thread-safe.
class PlannedProduct {
 public:
  // Refusal for types that cuBLASLt does not multiply.
  explicit PlannedProduct(const Product& product);
  ~PlannedProduct();
  PlannedProduct(const PlannedProduct&) = delete;
  PlannedProduct& operator=(const PlannedProduct&) = delete;

  // c: null where beta is 0. bias: null where the epilogue has none.
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
