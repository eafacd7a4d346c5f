// The way in: the host's table down, the list of kernels up.
#include <algorithm>
#include <deque>
#include <string>

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

constexpr KernelEntry kKernels[] = {
    {"onednn.attention", "percale", "FusedAttention", prepare_attention},
    {"onednn.expansion", "percale", "Fused", prepare_expansion, "Conv"},
    {"onednn.winograd", "", "Conv", prepare_winograd},
    {"onednn.winograd", "percale", "Fused", prepare_winograd, "Conv"},
    {"onednn.winograd_pack", "percale", "Reorder", prepare_winograd_pack},
    {"onednn.tiles", "", "Conv", prepare_tiles_conv},
    {"onednn.tiles", "percale", "Fused", prepare_tiles_conv, "Conv"},
    {"onednn.tiles", "", "MatMul", prepare_tiles_matmul},
    {"onednn.tiles", "percale", "Fused", prepare_tiles_matmul, "MatMul"},
    {"onednn.tiles", "", "Gemm", prepare_tiles_gemm},
    {"onednn.tiles", "percale", "Fused", prepare_tiles_gemm, "Gemm"},
    {"onednn.tiles_pack", "percale", "Reorder", prepare_tiles_pack},
    {"onednn.conv", "", "Conv", prepare_conv},
    {"onednn.conv", "percale", "Fused", prepare_conv, "Conv"},
    {"onednn.conv_transpose", "", "ConvTranspose", prepare_conv_transpose},
    {"onednn.conv_integer", "", "ConvInteger", prepare_conv_integer},
    {"onednn.qlinear_conv", "", "QLinearConv", prepare_qlinear_conv},
    {"onednn.matmul_integer", "", "MatMulInteger", prepare_matmul_integer},
    {"onednn.qlinear_matmul", "", "QLinearMatMul", prepare_qlinear_matmul},
    {"onednn.lstm", "", "LSTM", prepare_lstm},
    {"onednn.lstm_pack", "percale", "Reorder", prepare_lstm_pack},
    {"onednn.matmul", "", "MatMul", prepare_matmul},
    {"onednn.matmul", "percale", "Fused", prepare_matmul, "MatMul"},
    {"onednn.gemm", "", "Gemm", prepare_gemm},
    {"onednn.gemm", "percale", "Fused", prepare_gemm, "Gemm"},
    {"onednn.chain", "percale", "Fused", prepare_chain},
    {"onednn.chain", "", "Add", prepare_chain},
    {"onednn.chain", "", "Sub", prepare_chain},
    {"onednn.chain", "", "Mul", prepare_chain},
    {"onednn.chain", "", "Div", prepare_chain},
    {"onednn.chain", "", "Max", prepare_chain},
    {"onednn.chain", "", "Min", prepare_chain},
    {"onednn.chain", "", "Relu", prepare_chain},
    {"onednn.chain", "", "LeakyRelu", prepare_chain},
    {"onednn.chain", "", "Clip", prepare_chain},
    {"onednn.chain", "", "Sigmoid", prepare_chain},
    {"onednn.chain", "", "Tanh", prepare_chain},
    {"onednn.chain", "", "HardSigmoid", prepare_chain},
    {"onednn.chain", "", "HardSwish", prepare_chain},
    {"onednn.chain", "", "Swish", prepare_chain},
    {"onednn.chain", "", "Elu", prepare_chain},
    {"onednn.chain", "", "Gelu", prepare_chain},
    {"onednn.pool", "", "MaxPool", prepare_max_pool},
    {"onednn.pool", "", "AveragePool", prepare_average_pool},
    {"onednn.pool", "", "GlobalAveragePool", prepare_global_average_pool},
    {"onednn.pool", "", "GlobalMaxPool", prepare_global_max_pool},
    {"onednn.pool", "", "ReduceMean", prepare_reduce_mean},
    {"onednn.enlarge", "", "Resize", prepare_enlarge},
    {"onednn.layer_norm", "", "LayerNormalization", prepare_layer_norm},
    {"onednn.quantize", "", "QuantizeLinear", prepare_quantize},
    {"onednn.softmax", "", "Softmax", prepare_softmax},
    {"onednn.log_softmax", "", "LogSoftmax", prepare_log_softmax},
    {"onednn.concat", "", "Concat", prepare_concat},
    {"onednn.narrow_images", "", "Cast", prepare_narrow_images},
    {"onednn.cast", "", "Cast", prepare_cast},
    {"onednn.images", "percale", "Reorder", prepare_images},
    {"onednn.reorder", "percale", "Reorder", prepare_reorder},
    {"onednn.conv_grad_input", "percale", "ConvGradInput", prepare_conv_grad_input},
    {"onednn.conv_grad_weight", "percale", "ConvGradWeight", prepare_conv_grad_weight},
    {"onednn.batch_norm", "", "BatchNormalization", prepare_batch_norm},
    {"onednn.batch_norm_grad", "percale", "BatchNormalizationGrad", prepare_batch_norm_grad},
    {"onednn.layer_norm_grad", "percale", "LayerNormalizationGrad", prepare_layer_norm_grad},
    {"onednn.pool_grad", "percale", "MaxPoolGrad", prepare_max_pool_grad},
    {"onednn.pool_grad", "percale", "AveragePoolGrad", prepare_average_pool_grad},
    {"onednn.relu_grad", "percale", "ReluGrad", prepare_relu_grad},
};

std::string library_version() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' + std::to_string(v->patch);
}

class OneDnnPlugin : public plugin::Plugin {
 public:
  static constexpr const char* kName = "onednn";
  explicit OneDnnPlugin(const percale_host_api& host) : Plugin(host, kName, library_version()) {
    for (const KernelEntry& entry : kKernels) {
      const KernelContext& context = contexts_.emplace_back(KernelContext{&host, entry});
      percale_kernel kernel = plugin::kernel_of({entry.name, entry.domain, entry.op}, context);
      kernel.accepts = &KernelContext::accept;
      add(kernel);
    }
  }

  std::deque<KernelContext> contexts_;
};

}  // namespace
}  // namespace percale::onednn

PERCALE_PLUGIN(percale::onednn::OneDnnPlugin)
