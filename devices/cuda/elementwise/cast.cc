// Cast, CastLike and BitCast.
#include "devices/cuda/launch/kernels.h"

namespace percale::cuda {
namespace {

bool is_half(percale_dtype dtype) { return dtype == PERCALE_DTYPE_F16 || dtype == PERCALE_DTYPE_BF16; }

// Float8, float4, and integers of 4 and 2 bits.
bool is_small(percale_dtype dtype) { return dtype >= PERCALE_DTYPE_F8E4M3FN && dtype <= PERCALE_DTYPE_I2; }

bool is_known(percale_dtype dtype) {
  return dtype >= PERCALE_DTYPE_F32 && dtype <= PERCALE_DTYPE_I2 && dtype != PERCALE_DTYPE_STRING &&
         dtype != PERCALE_DTYPE_COMPLEX64 && dtype != PERCALE_DTYPE_COMPLEX128;
}

// Casts between f32 and 16 bits have their own kernel, because mixed precision does them all the
// time.
DeviceKernel cast_kernel(percale_dtype from, percale_dtype to) {
  const bool f32 = from == PERCALE_DTYPE_F32 || to == PERCALE_DTYPE_F32;
  DeviceKernel kernel{Family::cast, "percale_cast"};
  if (is_small(from) || is_small(to)) kernel.name += "_small";
  if (f32 && (is_half(from) || is_half(to))) kernel.name += std::string("_") + suffix(from) + "_" + suffix(to);
  return kernel;
}

void run(const Launch& launch, CastArgs args, Ptr x, Ptr y) {
  if (args.size == 0) return;
  args.x = x, args.y = y;
  const auto from = static_cast<percale_dtype>(args.from), to = static_cast<percale_dtype>(args.to);
  launch.run(cast_kernel(from, to), grid_for(args.size), args);
}

Run prepare_cast(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype from = node.dtype(0), to = node.output_dtype();
  refuse_if(!is_known(from) || !is_known(to), "this combination of dtypes is not supported");
  CastArgs args{};
  args.size = elements(node.dims(0));
  args.from = from;
  args.to = to;
  args.saturate = node.attribute("saturate", int64_t{1}) != 0 ? 1 : 0;
  const auto round = node.attribute("round_mode", std::string_view("up"));
  refuse_if(round != "up" && round != "down" && round != "nearest", "unknown round_mode");
  args.round = round == "up" ? PowerRound::kUp : round == "down" ? PowerRound::kDown : PowerRound::kNearest;
  if (from == to) {
    const int64_t bytes = bytes_of(from, args.size);
    return [=](const Launch& launch) { run_move(launch, launch.out(0), launch.in(0), bytes); };
  }
  return [=](const Launch& launch) { run(launch, args, launch.in(0), launch.out(0)); };
}

// Copies the bytes unchanged, except that a bool becomes 0 or 1.
Run prepare_bit_cast(Plan& plan) {
  const Node& node = plan.node();
  const percale_dtype to = node.output_dtype();
  const int64_t bytes = bytes_of(to, elements(node.dims(0)));
  return [=](const Launch& launch) {
    if (to == PERCALE_DTYPE_BOOL) return run_cast(launch, PERCALE_DTYPE_U8, to, launch.in(0), launch.out(0), bytes);
    run_move(launch, launch.out(0), launch.in(0), bytes);
  };
}

}  // namespace

void run_cast(const Launch& launch, percale_dtype from, percale_dtype to, Ptr x, Ptr y, int64_t size) {
  CastArgs args{};
  args.size = size;
  args.from = from;
  args.to = to;
  run(launch, args, x, y);
}

void add_cast(Entries& entries) {
  entries.push_back({"cuda.cast", "", "Cast", prepare_cast, 1});
  entries.push_back({"cuda.cast", "", "CastLike", prepare_cast, 1});
  entries.push_back({"cuda.bit_cast", "", "BitCast", prepare_bit_cast});
}

}  // namespace percale::cuda
