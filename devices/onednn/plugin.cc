// The way in: the host's table down, the list of kernels up.
#include <algorithm>
#include <list>
#include <mutex>
#include <new>
#include <string>

#include "devices/onednn/support/kernels.h"

namespace percale::onednn {
namespace {

constexpr KernelEntry kKernels[] = {
    {"onednn.attention", "percale", "FusedAttention", prepare_attention},
    {"onednn.expansion", "percale", "Fused", prepare_expansion},
    {"onednn.winograd", "", "Conv", prepare_winograd},
    {"onednn.winograd", "percale", "Fused", prepare_winograd},
    {"onednn.winograd_pack", "percale", "Reorder", prepare_winograd_pack},
    {"onednn.tiles", "", "Conv", prepare_tiles_conv},
    {"onednn.tiles", "percale", "Fused", prepare_tiles_conv},
    {"onednn.tiles", "", "MatMul", prepare_tiles_matmul},
    {"onednn.tiles", "percale", "Fused", prepare_tiles_matmul},
    {"onednn.tiles", "", "Gemm", prepare_tiles_gemm},
    {"onednn.tiles", "percale", "Fused", prepare_tiles_gemm},
    {"onednn.tiles_pack", "percale", "Reorder", prepare_tiles_pack},
    {"onednn.conv", "", "Conv", prepare_conv},
    {"onednn.conv", "percale", "Fused", prepare_conv},
    {"onednn.conv_transpose", "", "ConvTranspose", prepare_conv_transpose},
    {"onednn.conv_integer", "", "ConvInteger", prepare_conv_integer},
    {"onednn.qlinear_conv", "", "QLinearConv", prepare_qlinear_conv},
    {"onednn.matmul_integer", "", "MatMulInteger", prepare_matmul_integer},
    {"onednn.qlinear_matmul", "", "QLinearMatMul", prepare_qlinear_matmul},
    {"onednn.lstm", "", "LSTM", prepare_lstm},
    {"onednn.lstm_pack", "percale", "Reorder", prepare_lstm_pack},
    {"onednn.matmul", "", "MatMul", prepare_matmul},
    {"onednn.matmul", "percale", "Fused", prepare_matmul},
    {"onednn.gemm", "", "Gemm", prepare_gemm},
    {"onednn.gemm", "percale", "Fused", prepare_gemm},
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

// What one copy of the library is given. Two versions of it may live in one process, and a plug-in is never unloaded.
struct Instance {
  const percale_host_api* host;
  std::string version;
  std::vector<KernelContext> contexts;
  std::vector<percale_kernel> kernels;
  std::vector<const percale_kernel*> list;
  std::vector<const char*> kinds;
  percale_plugin_api api{};

  explicit Instance(const percale_host_api* given) : host(given) {
    const dnnl_version_t* v = dnnl_version();
    version = std::to_string(v->major) + '.' + std::to_string(v->minor) + '.' + std::to_string(v->patch);
    for (const KernelEntry& entry : kKernels) contexts.push_back({host, entry});
    for (KernelContext& context : contexts) kernels.push_back(make_kernel(context));
    for (const percale_kernel& kernel : kernels) list.push_back(&kernel);
    kinds.assign(list.size(), "cpu");
    api.struct_size = sizeof(api);
    api.name = "onednn";
    api.version = version.c_str();
    api.kernels = list.data();
    api.kernel_device_kinds = kinds.data();
    api.kernel_count = list.size();
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
};

struct Instances {
  std::mutex mutex;
  std::list<Instance> all;
};
// Never destroyed: whoever has loaded the plug-in may use it to the end of the process.
Instances& instances() {
  static auto* const kept = new Instances;
  return *kept;
}

const percale_plugin_api* instance_for(const percale_host_api* host) {
  Instances& known = instances();
  const std::lock_guard lock(known.mutex);
  for (const Instance& instance : known.all) {
    if (instance.host == host) return &instance.api;
  }
  return &known.all.emplace_back(host).api;
}

percale_status* error(const percale_host_api* host, percale_code code, std::string_view message) {
  return host->status_create(code, message.data(), message.size());
}

}  // namespace
}  // namespace percale::onednn

extern "C" __attribute__((visibility("default"))) percale_status* percale_plugin_init(const percale_host_api* host,
                                                                                      uint32_t host_abi, const char*,
                                                                                      const percale_plugin_api** out) {
  using namespace percale::onednn;
  *out = nullptr;
  if (host_abi < PERCALE_PLUGIN_ABI || host->struct_size < sizeof(*host)) {
    return error(host, PERCALE_UNIMPLEMENTED, "the library is older than the plug-in 'onednn'");
  }
  try {
    *out = instance_for(host);
    return nullptr;
  } catch (const std::bad_alloc&) {
    return error(host, PERCALE_RESOURCE_EXHAUSTED, "out of memory for the plug-in 'onednn'");
  } catch (const std::exception& e) {
    return error(host, PERCALE_FAILED_PRECONDITION, e.what());
  }
}
