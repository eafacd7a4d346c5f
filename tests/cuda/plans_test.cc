// Tests the plans of the real cuDNN for an H100, which need the properties of a GPU but no GPU.
// `vendor` downloads cuDNN and runs this.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "devices/cuda/vendor/dnn.h"
#include "devices/cuda/vendor/dnn_attention.h"

namespace percale::cuda {
namespace {

// The library, and the properties of the GPU that it plans for.
struct Vendor {
  DnnLibrary lib;
  std::unique_ptr<DnnDescriptor> properties;

  // If there is no library, ends the program as skipped.
  static Vendor& get() {
    static Vendor* const only = make();
    if (only == nullptr) {
      std::puts("PERCALE_CUDNN names no folder of cuDNN; tests/cuda/vendor fetches it");
      std::exit(77);
    }
    return *only;
  }
  DnnTarget target() const { return {nullptr, properties->get()}; }

 private:
  explicit Vendor(const std::string& folder) : lib(folder) {}
  static Vendor* make() {
    const char* folder = std::getenv("PERCALE_CUDNN");
    if (folder == nullptr) return nullptr;
    auto* out = new Vendor(folder);
    REQUIRE(out->lib.open());
    std::ifstream file(PERCALE_GPU_PROPERTIES);
    const std::string json{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    REQUIRE_FALSE(json.empty());
    out->properties = std::make_unique<DnnDescriptor>(out->lib, abi::kDnnProperties);
    out->properties->set(abi::kDnnPropertiesJson, abi::kDnnTypeChar, json.data(), static_cast<int64_t>(json.size()));
    REQUIRE(out->properties->try_finalize() == abi::kDnnSuccess);
    return out;
  }
};

struct Layer {
  int64_t batch, in, size, out, kernel, stride, groups;
};
Convolution convolution(const Layer& l, Convolution::Result result, percale_dtype dtype) {
  Convolution c{result, dtype, {}};
  const int64_t pad = l.kernel / 2, made = (l.size + 2 * pad - l.kernel) / l.stride + 1;
  c.args.batch = l.batch;
  c.args.groups = l.groups;
  c.args.in_channels = l.in / l.groups;
  c.args.out_channels = l.out / l.groups;
  c.args.channels_last = dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16 ? 1 : 0;
  c.args.window = {{1, l.size, l.size}, {1, made, made}, {1, l.kernel, l.kernel}, {1, l.stride, l.stride}, {1, 1, 1},
                   {0, pad, pad},       {0, pad, pad}};
  return c;
}

const char* name_of(Convolution::Result result) {
  return result == Convolution::Result::kY ? "Y" : result == Convolution::Result::kDx ? "dX" : "dW";
}

// Layers of ResNet-50, VGG, MobileNetV2, EfficientNet, ResNeXt and a U-Net.
const Layer kLayers[] = {
    {1, 3, 224, 64, 7, 2, 1},    {1, 64, 56, 64, 1, 1, 1},    {1, 64, 56, 64, 3, 1, 1},
    {1, 64, 56, 256, 1, 1, 1},   {1, 256, 56, 512, 1, 2, 1},  {1, 128, 56, 128, 3, 2, 1},
    {1, 512, 7, 512, 3, 1, 1},   {1, 2048, 7, 512, 1, 1, 1},  {256, 3, 224, 64, 7, 2, 1},
    {256, 64, 56, 64, 3, 1, 1},  {256, 256, 56, 64, 1, 1, 1}, {256, 512, 14, 1024, 1, 2, 1},
    {64, 3, 224, 64, 3, 1, 1},   {64, 512, 28, 512, 3, 1, 1}, {8, 32, 112, 32, 3, 1, 32},
    {8, 96, 112, 96, 3, 2, 96},  {1, 960, 7, 960, 3, 1, 960}, {8, 240, 28, 240, 5, 2, 240},
    {8, 256, 14, 256, 3, 1, 32}, {2, 17, 33, 19, 3, 1, 1},    {1, 1, 28, 32, 3, 1, 1},
    {4, 64, 64, 2, 1, 1, 1},
};

TEST_CASE("there is a way for every convolution and its gradients that gives the same bits in every run") {
  const Vendor& vendor = Vendor::get();
  std::map<int64_t, int> engines;
  for (const Layer& l : kLayers) {
    for (const auto result : {Convolution::Result::kY, Convolution::Result::kDx, Convolution::Result::kDw}) {
      for (const percale_dtype dtype : {PERCALE_DTYPE_F32, PERCALE_DTYPE_F16, PERCALE_DTYPE_BF16}) {
        if (dtype == PERCALE_DTYPE_F32 && l.groups > 1) continue;  // not given to cuDNN
        const PlannedConvolution planned(convolution(l, result, dtype));
        const DnnPlan plan(vendor.lib, vendor.target(), planned.graph(), planned.rules());
        CAPTURE(name_of(result));
        CAPTURE(std::string(suffix(dtype)));
        CAPTURE(l.batch);
        CAPTURE(l.in);
        CAPTURE(l.size);
        CAPTURE(l.out);
        CAPTURE(l.groups);
        CAPTURE(plan.reason());
        CHECK(plan.is_there());
        CHECK(plan.workspace() <= planned.workspace());
        ++engines[plan.engine()];
      }
    }
  }
  std::string text;
  for (const auto& [engine, count] : engines) text += std::to_string(engine) + " x " + std::to_string(count) + "  ";
  MESSAGE("engines: ", text);
}

TEST_CASE("bias, residual and Relu go with the convolution in 16 bits, and cuDNN compiles nothing") {
  const Vendor& vendor = Vendor::get();
  for (const Layer& l : kLayers) {
    if (l.out / l.groups < 16 || (l.groups > 1 && l.in / l.groups < 16)) continue;
    for (const percale_dtype dtype : {PERCALE_DTYPE_F16, PERCALE_DTYPE_BF16}) {
      for (int epilogue = 0; epilogue < 4; ++epilogue) {
        Convolution c = convolution(l, Convolution::Result::kY, dtype);
        c.bias = true;
        c.residual = epilogue & 1;
        c.relu = epilogue & 2;
        const PlannedConvolution planned(c);
        const DnnPlan plan(vendor.lib, vendor.target(), planned.graph(), planned.rules());
        CAPTURE(std::string(suffix(dtype)));
        CAPTURE(epilogue);
        CAPTURE(l.batch);
        CAPTURE(l.in);
        CAPTURE(l.size);
        CAPTURE(l.out);
        CAPTURE(plan.reason());
        CHECK(plan.is_there());
      }
    }
  }
}

struct Heads {
  int64_t batch, heads, kv_heads, queries, keys, size, value_size;
};
// BERT, GPT-2, shared heads as in Llama, ViT, a decoding step, and unusual sizes.
const Heads kHeads[] = {
    {1, 12, 12, 128, 128, 64, 64},   {8, 12, 12, 1024, 1024, 64, 64}, {1, 32, 8, 512, 512, 128, 128},
    {4, 12, 12, 197, 197, 64, 64},   {8, 12, 12, 1, 1024, 64, 64},    {2, 8, 8, 77, 333, 80, 40},
    {1, 16, 16, 4096, 4096, 72, 72},
};

TEST_CASE("there is a way for attention, and for its gradients, that gives the same bits in every run") {
  const Vendor& vendor = Vendor::get();
  for (const Heads& h : kHeads) {
    for (const percale_dtype dtype : {PERCALE_DTYPE_F16, PERCALE_DTYPE_BF16}) {
      for (int mask = 0; mask < 5; ++mask) {
        const bool causal = mask == 4;
        if (causal && h.queries != h.keys) continue;
        AttentionArgs a{};
        a.batch = h.batch, a.heads = h.heads, a.kv_heads = h.kv_heads, a.queries = h.queries, a.keys = h.keys;
        a.size = static_cast<int32_t>(h.size);
        a.value_size = static_cast<int32_t>(h.value_size);
        const auto by_row = [](int64_t(&steps)[3], int64_t sequence, int64_t heads, int64_t size) {
          steps[0] = sequence * heads * size, steps[1] = size, steps[2] = heads * size;
        };
        by_row(a.q_steps, h.queries, h.heads, h.size);
        by_row(a.k_steps, h.keys, h.kv_heads, h.size);
        by_row(a.v_steps, h.keys, h.kv_heads, h.value_size);
        by_row(a.y_steps, h.queries, h.heads, h.value_size);
        a.wide_mask = mask == 3 ? 1 : 0;
        const Dims dims = mask == 0 ? Dims() : mask == 1 ? Dims{h.batch, 1, 1, h.keys} : Dims{1, 1, h.queries, h.keys};
        const PlannedAttention planned(dtype, a, {dims, causal});
        const DnnPlan plan(vendor.lib, vendor.target(), planned.graph(), planned.rules());
        CAPTURE(std::string(suffix(dtype)));
        CAPTURE(mask);
        CAPTURE(h.queries);
        CAPTURE(h.keys);
        CAPTURE(h.size);
        CAPTURE(plan.reason());
        CHECK(plan.is_there());
        if (h.heads != h.kv_heads) continue;
        AttentionGradArgs g{};
        g.of = a;
        std::copy(a.y_steps, a.y_steps + 3, g.dy_steps);
        const PlannedAttentionGrad back(dtype, g, {dims, causal});
        const DnnPlan backward(vendor.lib, vendor.target(), back.graph(), back.rules());
        CAPTURE(backward.reason());
        CHECK(backward.is_there());
      }
    }
  }
}

}  // namespace
}  // namespace percale::cuda
