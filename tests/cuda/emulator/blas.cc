// An emulated libcublasLt. It checks its arguments as the real one does, and multiplies in plain
// loops.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "devices/cuda/kernels/common/device.cuh"
#include "tests/cuda/emulator/emulator.h"

using namespace percale::cuda;
using namespace percale::cuda::abi;
using percale_emulator::note_problem;
using percale_emulator::reach_bytes;

namespace percale::cuda::abi {

struct BlasTag {
  int unused;
};
struct MatmulDescTag {
  int compute, scale;
  int32_t op_a = kOpN, op_b = kOpN, epilogue = kEpilogueDefault;
  const void* bias = nullptr;
};
struct LayoutTag {
  int type;
  uint64_t rows, columns;
  int64_t leading;
  int32_t batch = 1;
  int64_t step = 0;
};
struct PreferenceTag {
  uint64_t workspace = 0;
  uint32_t reductions = 7, alignment[4] = {256, 256, 256, 256};
};

}  // namespace percale::cuda::abi

namespace {

constexpr uint64_t kMagic = 0x70657263616C6531;

BlasStatus misuse(const char* what) {
  note_problem(std::string("cublasLt: ") + what);
  return kBlasInvalidValue;
}

size_t bytes_of(int type) { return type == kR64F ? 8 : type == kR32F ? 4 : 2; }

double load(int type, const void* at, int64_t i) {
  switch (type) {
    case kR32F: return static_cast<const float*>(at)[i];
    case kR64F: return static_cast<const double*>(at)[i];
    case kR16F: return widen(static_cast<const F16*>(at)[i]);
    default: return widen(static_cast<const BF16*>(at)[i]);
  }
}
void store(int type, void* at, int64_t i, double value) {
  switch (type) {
    case kR32F: static_cast<float*>(at)[i] = static_cast<float>(value); break;
    case kR64F: static_cast<double*>(at)[i] = value; break;
    case kR16F: static_cast<F16*>(at)[i] = to_f16(static_cast<float>(value)); break;
    default: static_cast<BF16*>(at)[i] = to_bf16(static_cast<float>(value));
  }
}

template <class T>
bool read(const void* value, size_t bytes, T* out) {
  if (bytes != sizeof(T)) return false;
  std::memcpy(out, value, sizeof(T));
  return true;
}

// Describes a mismatch of the matrices; null if they fit.
const char* mismatch(const MatmulDescTag& desc, const LayoutTag& a, const LayoutTag& b, const LayoutTag& c,
                     const LayoutTag& d) {
  const uint64_t m = desc.op_a == kOpN ? a.rows : a.columns, k = desc.op_a == kOpN ? a.columns : a.rows;
  const uint64_t inner = desc.op_b == kOpN ? b.rows : b.columns, n = desc.op_b == kOpN ? b.columns : b.rows;
  if (k != inner) return "the inner sizes differ";
  if (d.rows != m || d.columns != n || c.rows != m || c.columns != n) return "C or D has another size";
  if (a.batch != d.batch || b.batch != d.batch || c.batch != d.batch) return "the numbers of batches differ";
  if (a.type != b.type || a.type != d.type || c.type != d.type) return "types that are not mixed here";
  const bool wide = d.type == kR64F;
  if (wide != (desc.compute == kCompute64F) || (desc.scale == kR64F) != wide)
    return "the type that is computed in does not fit";
  if (desc.compute != kCompute64F && desc.compute != kCompute32F && desc.compute != kCompute32FFastTf32)
    return "a type to compute in";
  if (desc.compute == kCompute32FFastTf32 && d.type != kR32F) return "tf32 of what is not f32";
  if (wide && desc.epilogue != kEpilogueDefault) return "an epilogue of f64";
  for (const LayoutTag* l : {&a, &b, &c, &d}) {
    if (l->rows == 0 || l->columns == 0 || l->leading < static_cast<int64_t>(l->rows))
      return "an empty matrix, or a step between columns below their length";
  }
  switch (desc.epilogue) {
    case kEpilogueDefault:
    case kEpilogueRelu:
    case kEpilogueBias:
    case kEpilogueReluBias:
    case kEpilogueGelu:
    case kEpilogueGeluBias: return nullptr;
    default: return "an epilogue";
  }
}

// Returns the size of the memory that one operand may touch, all matrices of the batch included.
size_t span_bytes(const LayoutTag& l) {
  const int64_t last =
      static_cast<int64_t>(l.columns - 1) * l.leading + static_cast<int64_t>(l.rows) + (l.batch - 1) * l.step;
  return static_cast<size_t>(last) * bytes_of(l.type);
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))); }

}  // namespace

extern "C" {

BlasStatus cublasLtCreate(Blas* blas) {
  *blas = new BlasTag{};
  return kBlasSuccess;
}
BlasStatus cublasLtDestroy(Blas blas) {
  delete blas;
  return kBlasSuccess;
}
BlasStatus cublasLtMatmulDescCreate(MatmulDesc* desc, int compute, int scale) {
  *desc = new MatmulDescTag{compute, scale};
  return kBlasSuccess;
}
BlasStatus cublasLtMatmulDescDestroy(MatmulDesc desc) {
  delete desc;
  return kBlasSuccess;
}
BlasStatus cublasLtMatmulDescSetAttribute(MatmulDesc desc, int attribute, const void* value, size_t bytes) {
  const bool ok = attribute == kDescTransA        ? read(value, bytes, &desc->op_a)
                  : attribute == kDescTransB      ? read(value, bytes, &desc->op_b)
                  : attribute == kDescEpilogue    ? read(value, bytes, &desc->epilogue)
                  : attribute == kDescBiasPointer ? read(value, bytes, &desc->bias)
                                                  : false;
  return ok ? kBlasSuccess : misuse("an attribute of a product");
}
BlasStatus cublasLtMatrixLayoutCreate(Layout* layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  *layout = new LayoutTag{type, rows, columns, leading};
  return kBlasSuccess;
}
BlasStatus cublasLtMatrixLayoutDestroy(Layout layout) {
  delete layout;
  return kBlasSuccess;
}
BlasStatus cublasLtMatrixLayoutSetAttribute(Layout layout, int attribute, const void* value, size_t bytes) {
  const bool ok = attribute == kLayoutBatchCount    ? read(value, bytes, &layout->batch)
                  : attribute == kLayoutBatchOffset ? read(value, bytes, &layout->step)
                                                    : false;
  return ok ? kBlasSuccess : misuse("an attribute of a layout");
}
BlasStatus cublasLtMatmulPreferenceCreate(Preference* preference) {
  *preference = new PreferenceTag;
  return kBlasSuccess;
}
BlasStatus cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete preference;
  return kBlasSuccess;
}
BlasStatus cublasLtMatmulPreferenceSetAttribute(Preference preference, int attribute, const void* value, size_t bytes) {
  if (attribute == kPreferenceWorkspace)
    return read(value, bytes, &preference->workspace) ? kBlasSuccess : misuse("workspace");
  if (attribute == kPreferenceReduction)
    return read(value, bytes, &preference->reductions) ? kBlasSuccess : misuse("reductions");
  const int which = attribute - kPreferenceAlignA;
  if (which < 0 || which > 3) return misuse("a preference");
  return read(value, bytes, &preference->alignment[which]) ? kBlasSuccess : misuse("alignment");
}

BlasStatus cublasLtMatmulAlgoGetHeuristic(Blas, MatmulDesc desc, Layout a, Layout b, Layout c, Layout d,
                                          Preference preference, int wanted, Heuristic* found, int* count) {
  if (wanted < 1) return misuse("no algorithm asked for");
  if (const char* what = mismatch(*desc, *a, *b, *c, *d)) return misuse(what);
  if ((desc->epilogue & kEpilogueBias) != 0 && desc->bias == nullptr) return misuse("heuristics without the bias");
  *count = 1;
  *found = {};
  // The matmul call is checked against these values.
  found->algo.data[0] = kMagic;
  found->algo.data[1] = preference->workspace;
  for (size_t i = 0; i < 4; ++i) found->algo.data[2 + i] = preference->alignment[i];
  found->workspace_bytes = preference->workspace;
  return kBlasSuccess;
}

BlasStatus cublasLtMatmul(Blas, MatmulDesc desc, const void* alpha, const void* a, Layout a_layout, const void* b,
                          Layout b_layout, const void* beta, const void* c, Layout c_layout, void* d, Layout d_layout,
                          const Algo* algo, void* workspace, size_t workspace_bytes, Stream stream) {
  if (const char* what = mismatch(*desc, *a_layout, *b_layout, *c_layout, *d_layout)) return misuse(what);
  if (algo == nullptr || algo->data[0] != kMagic) return misuse("an algorithm that was not given out");
  if (workspace_bytes < algo->data[1] || (workspace == nullptr && algo->data[1] > 0))
    return misuse("too little workspace");
  const void* pointers[] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i) {
    if (reinterpret_cast<uint64_t>(pointers[i]) % algo->data[2 + i] != 0)
      return misuse("an operand is not aligned as was said");
  }
  const MatmulDescTag work = *desc;
  const LayoutTag la = *a_layout, lb = *b_layout, lc = *c_layout, ld = *d_layout;
  const bool wide = desc->scale == kR64F;
  const double scale = wide ? *static_cast<const double*>(alpha) : *static_cast<const float*>(alpha);
  const double keep = wide ? *static_cast<const double*>(beta) : *static_cast<const float*>(beta);
  const bool biased = (work.epilogue & kEpilogueBias) != 0;
  if (biased && work.bias == nullptr) return misuse("no bias");
  if (a == d || b == d) return misuse("a product in place");
  const Result result = percale_emulator::enqueue(stream, [=]() -> std::string {
    const auto at_address = [](const void* p, size_t bytes) {
      return reach_bytes(reinterpret_cast<uint64_t>(p), bytes);
    };
    const void *xa = at_address(a, span_bytes(la)), *xb = at_address(b, span_bytes(lb));
    const void* xc = keep == 0 ? nullptr : at_address(c, span_bytes(lc));
    const void* bias = biased ? at_address(work.bias, ld.rows * bytes_of(ld.type)) : nullptr;
    void* xd = at_address(d, span_bytes(ld));
    if (xa == nullptr || xb == nullptr || xd == nullptr || (keep != 0 && xc == nullptr) ||
        (biased && bias == nullptr)) {
      return "cublasLtMatmul: an operand is not in one block";
    }
    if (workspace_bytes > 0) {
      void* scratch = at_address(workspace, workspace_bytes);
      if (scratch == nullptr) return "cublasLtMatmul: the workspace is not in one block";
      std::memset(scratch, 0xEE, workspace_bytes);
    }
    const int64_t k = static_cast<int64_t>(work.op_a == kOpN ? la.columns : la.rows);
    const auto rows = static_cast<int64_t>(ld.rows), columns = static_cast<int64_t>(ld.columns);
    std::vector<double> left(static_cast<size_t>(rows * k)), right(static_cast<size_t>(k));
    for (int64_t batch = 0; batch < ld.batch; ++batch) {
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t p = 0; p < k; ++p) {
          const int64_t at_a = work.op_a == kOpN ? p * la.leading + i : i * la.leading + p;
          left[static_cast<size_t>(i * k + p)] = load(la.type, xa, batch * la.step + at_a);
        }
      }
      for (int64_t j = 0; j < columns; ++j) {
        for (int64_t p = 0; p < k; ++p) {
          const int64_t at_b = work.op_b == kOpN ? j * lb.leading + p : p * lb.leading + j;
          right[static_cast<size_t>(p)] = load(lb.type, xb, batch * lb.step + at_b);
        }
        for (int64_t i = 0; i < rows; ++i) {
          double sum = 0;
          const double* row = left.data() + i * k;
          for (int64_t p = 0; p < k; ++p) sum += row[p] * right[static_cast<size_t>(p)];
          // Sums of all types but f64 are rounded to f32 before the epilogue.
          double value = scale * sum;
          if (ld.type != kR64F) value = static_cast<double>(static_cast<float>(value));
          if (keep != 0) value += keep * load(lc.type, xc, batch * lc.step + j * lc.leading + i);
          if (biased) value += load(ld.type, bias, i);
          if ((work.epilogue & kEpilogueRelu) != 0 && value < 0) value = 0;
          if ((work.epilogue & kEpilogueGelu) != 0) value = gelu(value);
          store(ld.type, xd, batch * ld.step + j * ld.leading + i, value);
        }
      }
    }
    return "";
  });
  return result == kSuccess ? kBlasSuccess : kBlasExecutionFailed;
}

}  // extern "C"
