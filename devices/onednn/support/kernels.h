// The KernelEntry::prepare function of each kernel of the plug-in. plugin.cc lists them.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_KERNELS_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_KERNELS_H_

#include "devices/onednn/support/kernel.h"

namespace percale::onednn {

void prepare_attention(Plan& plan, Steps& steps);
void prepare_expansion(Plan& plan, Steps& steps);
void prepare_winograd(Plan& plan, Steps& steps);
void prepare_winograd_pack(Plan& plan, Steps& steps);
void prepare_tiles_conv(Plan& plan, Steps& steps);
void prepare_tiles_matmul(Plan& plan, Steps& steps);
void prepare_tiles_gemm(Plan& plan, Steps& steps);
void prepare_tiles_pack(Plan& plan, Steps& steps);
void prepare_conv(Plan& plan, Steps& steps);
void prepare_conv_transpose(Plan& plan, Steps& steps);
void prepare_conv_integer(Plan& plan, Steps& steps);
void prepare_qlinear_conv(Plan& plan, Steps& steps);
void prepare_conv_grad_input(Plan& plan, Steps& steps);
void prepare_conv_grad_weight(Plan& plan, Steps& steps);
void prepare_batch_norm(Plan& plan, Steps& steps);
void prepare_batch_norm_grad(Plan& plan, Steps& steps);
void prepare_layer_norm_grad(Plan& plan, Steps& steps);
void prepare_max_pool_grad(Plan& plan, Steps& steps);
void prepare_average_pool_grad(Plan& plan, Steps& steps);
void prepare_relu_grad(Plan& plan, Steps& steps);
void prepare_lstm(Plan& plan, Steps& steps);
void prepare_lstm_pack(Plan& plan, Steps& steps);
void prepare_matmul(Plan& plan, Steps& steps);
void prepare_gemm(Plan& plan, Steps& steps);
void prepare_matmul_integer(Plan& plan, Steps& steps);
void prepare_qlinear_matmul(Plan& plan, Steps& steps);
void prepare_max_pool(Plan& plan, Steps& steps);
void prepare_average_pool(Plan& plan, Steps& steps);
void prepare_global_average_pool(Plan& plan, Steps& steps);
void prepare_global_max_pool(Plan& plan, Steps& steps);
void prepare_reduce_mean(Plan& plan, Steps& steps);
void prepare_enlarge(Plan& plan, Steps& steps);
void prepare_layer_norm(Plan& plan, Steps& steps);
void prepare_quantize(Plan& plan, Steps& steps);
void prepare_softmax(Plan& plan, Steps& steps);
void prepare_log_softmax(Plan& plan, Steps& steps);
void prepare_chain(Plan& plan, Steps& steps);
void prepare_concat(Plan& plan, Steps& steps);
void prepare_cast(Plan& plan, Steps& steps);
void prepare_images(Plan& plan, Steps& steps);
void prepare_narrow_images(Plan& plan, Steps& steps);
void prepare_reorder(Plan& plan, Steps& steps);

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_KERNELS_H_
