// The library's side of the border in C++: nodes to read, errors to give.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_HOST_H_
#define PERCALE_DEVICES_CUDA_DRIVER_HOST_H_

#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "c_api/include/percale_plugin.h"

namespace percale::cuda {

using Dims = std::vector<int64_t>;

// What goes wrong within the plug-in. Caught wherever the library calls it.
class Failure : public std::exception {
 public:
  Failure(percale_code code, std::string message, bool lost = false)
      : code_(code), message_(std::move(message)), lost_(lost) {}
  percale_code code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }
  bool lost() const { return lost_; }  // the device will never work again

 private:
  percale_code code_;
  std::string message_;
  bool lost_;
};

// Why a kernel does not take a node.
class Refusal : public Failure {
 public:
  explicit Refusal(std::string reason) : Failure(PERCALE_UNIMPLEMENTED, std::move(reason)) {}
};
inline void refuse_if(bool condition, const char* reason) {
  if (condition) throw Refusal(reason);
}

percale_status* to_status(const percale_host_api& host, percale_code code, std::string_view message);

// Runs f() and makes a status of what it throws; null when it throws nothing.
template <class F>
percale_status* guarded(const percale_host_api& host, F&& f) {
  try {
    f();
    return nullptr;
  } catch (const Failure& e) {
    return to_status(host, e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return to_status(host, PERCALE_RESOURCE_EXHAUSTED, "out of host memory for the plug-in 'cuda'");
  } catch (const std::exception& e) {
    return to_status(host, PERCALE_INTERNAL, e.what());
  }
}

// The format of images whose channels, the second dim, lie last.
inline constexpr const char* kChannelsLast = "cuda:channels_last";
// Dims in that order, dims of one in front where there are fewer than `rank`; whether it is the order of the same memory.
Dims channels_last(Dims dims, size_t rank);
bool is_same_memory(const Dims& dims, size_t rank);

// A node that a kernel is offered. Borrows the view.
class Node {
 public:
  Node(const percale_host_api& host, const percale_node_view* view) : host_(&host), view_(view) {}

  std::string_view op() const { return host_->node_op(view_); }
  std::string name() const { return host_->node_name(view_); }

  size_t inputs() const { return host_->node_input_count(view_); }
  size_t outputs() const { return host_->node_output_count(view_); }
  bool has(size_t i) const { return i < inputs() && dtype(i) != PERCALE_DTYPE_INVALID; }
  bool gives(size_t k) const { return k < outputs() && output_dtype(k) != PERCALE_DTYPE_INVALID; }
  percale_dtype dtype(size_t i) const { return host_->node_input_dtype(view_, i); }
  percale_dtype output_dtype(size_t k = 0) const { return host_->node_output_dtype(view_, k); }
  Dims dims(size_t i) const;
  Dims output_dims(size_t k = 0) const;
  // Whether the input lies with channels last.
  bool has_channels_last(size_t i) const;
  // Whether an output of a Reorder shall.
  bool gives_channels_last(size_t k) const;
  // From now on dims() of the first `inputs` and output_dims() are those of images with channels last.
  void show_channels_last(size_t rank, size_t inputs) { rank_ = rank, images_ = inputs; }
  bool shows_channels_last() const { return rank_ > 0; }
  // Where a dim of the node stands in what dims() gives.
  size_t place_of_dim(size_t d) const { return !shows_channels_last() || d == 0 ? d : d == 1 ? rank_ - 1 : d - 1; }
  // The bytes where they are known before the run, else null.
  const void* constant(size_t i) const { return has(i) ? host_->node_input_constant(view_, i) : nullptr; }
  // The elements of an i64 or i32 input that must be known before the run.
  Dims known_ints(size_t i, const char* what) const;

  int64_t attribute(const char* name, int64_t otherwise) const;
  double attribute(const char* name, double otherwise) const;
  std::string_view attribute(const char* name, std::string_view otherwise) const;
  Dims attribute(const char* name, const Dims& otherwise) const;
  bool has_int(const char* name) const;
  // One of an attribute of strings; null past the end, and where there is none.
  const char* attribute_string(const char* name, size_t i) const {
    return host_->node_attribute_strings(view_, name, i);
  }

  // An attribute of floats; empty where it is absent.
  std::vector<double> floats(const char* name) const;

  // Of a node "Fused": the nodes of its body; the last gives the first output, and the others are what nodes give besides their first. A
  // value is a number: the inputs come first, then constants, then what the nodes give; -1: absent.
  size_t body_size() const { return host_->fused_node_count(view_); }
  Node body_node(size_t i) const { return {*host_, host_->fused_node(view_, i)}; }
  int body_input(size_t i, size_t j) const { return host_->fused_node_input(view_, i, j); }
  int body_output(size_t i) const { return host_->fused_node_output(view_, i); }
  // The same of an operand that must be one of the inputs.
  size_t outer_input(size_t i, size_t j) const {
    const int value = body_input(i, j);
    refuse_if(value < 0 || static_cast<size_t>(value) >= inputs(), "an operand is computed inside the group");
    return static_cast<size_t>(value);
  }

 private:
  const percale_host_api* host_;
  const percale_node_view* view_;
  size_t rank_ = 0, images_ = 0;
};

int64_t elements(const Dims& dims);
// From [-rank, rank) to [0, rank).
size_t normal_axis(int64_t axis, size_t rank);
// Bytes of an element; Refusal for types of less than a byte and for those that no kernel here knows.
int64_t item_bytes(percale_dtype dtype);
// Bytes of so many elements, of types of less than a byte, too, whose last byte may be filled in part.
int64_t bytes_of(percale_dtype dtype, int64_t count);
// "f32": what the names of kernels end with.
const char* suffix(percale_dtype dtype);
bool is_float(percale_dtype dtype);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_HOST_H_
