// A oneDNN primitive as the state of a kernel. It is created once and can run on any number of
// threads at a time, on the library's own threads.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_PRIMITIVE_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_PRIMITIVE_H_

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <atomic>
#include <memory>
#include <vector>

#include "devices/onednn/support/format.h"
#include "oneapi/dnnl/dnnl_threadpool_iface.hpp"

namespace percale::onednn {

// Returns the only CPU engine of oneDNN.
const dnnl::engine& cpu_engine();

// True if this CPU multiplies tiles of bf16 and of integers (AMX), and the engine's instruction set
// allows it.
bool has_amx();

// Returns the number of pieces into which oneDNN cuts a problem. It depends on the size, and for
// products on the type and on whether the CPU has AMX. It does not depend on the number of threads,
// so the bits do not either.
int pieces_for(double flops, DataType type = DataType::f32);

// Makes the thread treat denormals as zero while the object lives, as tiles of bf16 do anyway.
// Trained weights may contain thousands of denormals (weight decay ends there), and a product with
// a denormal costs as much as a hundred others.
class DenormalsAreZero {
 public:
#if defined(__x86_64__)
  DenormalsAreZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero); }
  ~DenormalsAreZero() { _mm_setcsr(before_); }
  DenormalsAreZero(const DenormalsAreZero&) = delete;
  DenormalsAreZero& operator=(const DenormalsAreZero&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x40;
  const unsigned before_;
#else
  DenormalsAreZero() {}
#endif
};

// Runs piece(0) to piece(pieces - 1) on the library's threads.
template <class F>
void in_parallel(const percale_host_api& host, percale_run_context* run, int64_t pieces, const F& piece) {
  host.run->parallel_for(
      run, pieces,
      [](void* arg, int64_t i) {
        const DenormalsAreZero zero;
        (*static_cast<const F*>(arg))(i);
      },
      const_cast<void*>(static_cast<const void*>(&piece)));
}

// Primitives that are created while it lives are cut into this number of pieces.
class WidthScope {
 public:
  explicit WidthScope(int pieces);
  ~WidthScope();
  WidthScope(const WidthScope&) = delete;
  WidthScope& operator=(const WidthScope&) = delete;

 private:
  int before_ = 0;
};

// An argument of a primitive, and the operand of the node that provides it.
struct Argument {
  static constexpr int kScratch = -1, kOwn = -2, kNone = -3;
  // DNNL_ARG_…, or DNNL_ARG_UNDEF for a layout that the primitive itself does not use
  int name = 0;
  int operand = 0;    // inputs, then outputs; or kScratch, kOwn
  size_t offset = 0;  // bytes into the operand
  MemoryDesc desc;
  std::shared_ptr<const std::vector<char>> bytes = nullptr;  // kOwn: the bytes of the argument
  // For an output that starts with the content of this input. The input is copied unless the
  // planner gave both the same memory.
  int begins_as = kNone;
  // If not undef, the operand is one number of this type, u8 or s8, which oneDNN needs as an s32.
  DataType widened = DataType::undef;
};

// A primitive with its arguments. Immutable except for the cached memory of a run. Thread-safe.
class Primitive {
 public:
  Primitive(const percale_host_api& host, dnnl::primitive primitive, std::vector<Argument> arguments, int pieces);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  // Throws dnnl::error and std::bad_alloc.
  void run(const percale_launch& launch) const;

 private:
  void copy(percale_run_context* run, void* to, const void* from, size_t bytes) const;

  struct Run;  // the state of one run: thread pool, stream, memory objects

  const percale_host_api& host_;
  const dnnl::primitive primitive_;
  const std::vector<Argument> arguments_;
  const int pieces_;
  mutable std::atomic<Run*> idle_{nullptr};
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_PRIMITIVE_H_
