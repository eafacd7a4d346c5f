// The parts of an emulated graph API of libcudnn for convolutions with epilogues, and for
// attention. It checks descriptors as the real one does, offers engines of which some fail, and
// computes in plain loops.
#ifndef PERCALE_TESTS_CUDA_EMULATOR_DNN_DNN_H_
#define PERCALE_TESTS_CUDA_EMULATOR_DNN_DNN_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "devices/cuda/driver/cuda_abi.h"

namespace percale_emulator::dnn {

struct Attribute {
  int type;
  std::vector<uint8_t> bytes;
};

}  // namespace percale_emulator::dnn

namespace percale::cuda::abi {

struct DnnTag {
  Stream stream = nullptr;
};
struct DnnDescTag {
  int type = -1;
  bool final = false;
  int engine = 0;  // for engines and engine configurations
  std::map<int, percale_emulator::dnn::Attribute> attributes;
};

}  // namespace percale::cuda::abi

namespace percale_emulator::dnn {

using namespace percale::cuda::abi;

// Reads an attribute of a descriptor. Returns an empty vector if it was not set, or set with
// another type.
template <class T>
std::vector<T> read(const DnnDescTag& desc, int name, int type) {
  const auto found = desc.attributes.find(name);
  if (found == desc.attributes.end() || found->second.type != type) return {};
  std::vector<T> out(found->second.bytes.size() / sizeof(T));
  std::memcpy(out.data(), found->second.bytes.data(), found->second.bytes.size());
  return out;
}
using Numbers = std::vector<int64_t>;
Numbers read_numbers(const DnnDescTag& desc, int name);
// Returns null if there is none that is finalized.
const DnnDescTag* read_desc(const DnnDescTag& desc, int name, int type);
int read_enum(const DnnDescTag& desc, int name, int type);

struct Tensor {
  int type = -1;
  int64_t number = 0, alignment = 0;
  Numbers dims, strides;
  bool in_memory = true, by_value = false;
  int64_t count() const {
    int64_t out = 1;
    for (int64_t d : dims) out *= d;
    return out;
  }
  // True if its elements are whole numbers between operations.
  bool is_whole() const { return type == kDnnInt32 || type == kDnnBoolean; }
  size_t bytes() const { return static_cast<size_t>(count()) * (type == kDnnDouble ? 8 : type == kDnnFloat ? 4 : 2); }
};
Tensor tensor_of(const DnnDescTag& desc);
bool is_channels_last(const Tensor& t);

// A convolution as described by an operation.
struct Problem {
  int operation = 0;
  Tensor x, w, y;
  Numbers strides, dilations, before, behind;
  double alpha = 1, beta = 0;
};

// Any other operation: computes y from x, and from b and a condition if there are such.
struct Step {
  int type = -1, mode = -1;
  Tensor x, b, condition, y;
  bool two = false, chooses = false;
  int64_t axis = -1;
};

// These check a descriptor that is finalized: they return null, or a description of the error.
const char* check_tensor(const DnnDescTag& desc);
const char* check_convolution(const DnnDescTag& desc);
// An operation that convolves, and any other one. They also fill *out, which may be null.
const char* check_operation(const DnnDescTag& desc, Problem* out);
const char* check_step(const DnnDescTag& desc, Step* out);
const char* check_graph(const DnnDescTag& graph);

std::vector<DnnDesc> operations_of(const DnnDescTag& graph);
// Returns the convolution that the graph starts with.
Problem problem_of(const DnnDescTag& graph);
bool has_convolution(const DnnDescTag& graph);

// The contents of a tensor while a graph runs: memory, a scalar argument, or an intermediate
// result.
struct Held {
  Tensor tensor;
  void* memory = nullptr;
  std::vector<double> between = {};

  double get(int64_t i) const;
  void put(int64_t i, double value);
};
using AllHeld = std::map<int64_t, Held>;

void convolve(const Problem& p, AllHeld& held);
void compute(const Step& s, AllHeld& held);

}  // namespace percale_emulator::dnn

#endif  // PERCALE_TESTS_CUDA_EMULATOR_DNN_DNN_H_
