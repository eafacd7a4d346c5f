#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {

Entries all_kernels() {
  Entries out;
  add_matmul(out);
  add_product(out);
  add_unary(out);
  add_cast(out);
  add_binary(out);
  add_fused(out);
  add_reduce(out);
  add_softmax(out);
  add_class_loss(out);
  add_norm(out);
  add_pool(out);
  add_grid(out);
  add_roi(out);
  add_conv(out);
  add_attention(out);
  add_loss(out);
  add_optimizer(out);
  add_layout(out);
  add_pad(out);
  add_index(out);
  add_select(out);
  add_sequence(out);
  add_fold(out);
  add_bag(out);
  add_sort(out);
  add_cumulate(out);
  add_generate(out);
  add_random(out);
  add_recurrent(out);
  return out;
}

}  // namespace percale::cuda
