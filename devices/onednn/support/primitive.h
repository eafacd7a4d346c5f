// A oneDNN primitive as the state of a kernel: made once, run by any number of threads on the library's own threads.
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

// The one CPU engine of oneDNN.
const dnnl::engine& cpu_engine();

// Whether this CPU multiplies tiles of bf16 and of integers, and the engine's instruction set lets it.
bool has_amx();

// How many threads oneDNN is told to cut a problem for: by its size alone, and for products by what this CPU does with operands of
// such a type, so that bits do not depend on how many there really are.
int pieces_for(double flops, DataType type = DataType::f32);

// While it lives, the thread takes denormals for zero, as tiles of bf16 do anyway. Trained weights may be denormal by the thousand
// (what decays ends there), and each product by one of them costs a hundred others.
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

// Makes what is created while it lives be cut into that many pieces.
class WidthScope {
 public:
  explicit WidthScope(int pieces);
  ~WidthScope();
  WidthScope(const WidthScope&) = delete;
  WidthScope& operator=(const WidthScope&) = delete;

 private:
  int before_ = 0;
};

// An argument of a primitive: which operand of the node it is.
struct Argument {
  static constexpr int kScratch = -1, kOwn = -2, kNone = -3;
  int name = 0;       // DNNL_ARG_…, or DNNL_ARG_UNDEF: it lies so, and the primitive does not know it
  int operand = 0;    // inputs, then outputs; or kScratch, kOwn
  size_t offset = 0;  // bytes into the operand
  MemoryDesc desc;
  std::shared_ptr<const std::vector<char>> bytes = nullptr;  // kOwn: the argument itself
  // An output that begins as this input: a copy of it, where the planner has not given both the same memory.
  int begins_as = kNone;
  // Where not undef: the operand is one number of this type, u8 or s8, that oneDNN wants as an s32.
  DataType widened = DataType::undef;
};

// Immutable but for the pool of run memory. Thread-safe.
class Primitive {
 public:
  Primitive(const percale_host_api& host, dnnl::primitive primitive, std::vector<Argument> arguments, int pieces);
  ~Primitive();
  Primitive(const Primitive&) = delete;
  Primitive& operator=(const Primitive&) = delete;

  // Throws dnnl::error and bad_alloc.
  void run(const percale_launch& launch) const;

 private:
  void copy(percale_run_context* run, void* to, const void* from, size_t bytes) const;

  struct Run;  // what one run at a time uses: thread pool, stream, memory objects

  const percale_host_api& host_;
  const dnnl::primitive primitive_;
  const std::vector<Argument> arguments_;
  const int pieces_;
  mutable std::atomic<Run*> idle_{nullptr};
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_PRIMITIVE_H_
