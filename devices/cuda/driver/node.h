// The node that a kernel is offered, with the layout "channels last", and facts about element
// types.
#ifndef PERCALE_DEVICES_CUDA_DRIVER_NODE_H_
#define PERCALE_DEVICES_CUDA_DRIVER_NODE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/cpp/percale_plugin.hpp"
#include "c_api/include/percale_plugin.h"

namespace percale::cuda {

using plugin::Dims;
using plugin::elements;
using plugin::Failure;
using plugin::guarded;
using plugin::Refusal;
using plugin::refuse_if;

// The layout of images whose channels, the second dim, lie last.
inline constexpr const char* kChannelsLast = "cuda:channels_last";
// Returns the dims in that order, with dims of one in front if there are fewer than `rank`.
Dims channels_last(Dims dims, size_t rank);
// True if an operand with these dims lies in memory as it does with channels last.
bool is_same_memory(const Dims& dims, size_t rank);

// The node that a kernel is offered. Borrows the view.
class Node : public plugin::Node {
 public:
  using plugin::Node::Node;
  explicit Node(const plugin::Node& node) : plugin::Node(node) {}

  Dims dims(size_t i) const;
  Dims output_dims(size_t k = 0) const;
  // True if the input has channels last.
  bool has_channels_last(size_t i) const;
  // True if an output of a Reorder must have channels last.
  bool gives_channels_last(size_t k) const;
  // From now on dims() of the first `inputs` inputs and output_dims() are those of images with
  // channels last.
  void show_channels_last(size_t rank, size_t inputs) { rank_ = rank, images_ = inputs; }
  bool shows_channels_last() const { return rank_ > 0; }
  // The position of a dim of the node in dims().
  size_t place_of_dim(size_t d) const { return !shows_channels_last() || d == 0 ? d : d == 1 ? rank_ - 1 : d - 1; }
  // The elements of an i64 or i32 input, which must be known before the run.
  Dims known_ints(size_t i, const char* what) const;

  bool has_int(const char* name) const;
  // An attribute of floats; empty if it is absent.
  std::vector<double> floats(const char* name) const { return attributes().get(name, std::vector<double>()); }

  Node body_node(size_t i) const { return Node(plugin::Node::body_node(i)); }
  // As body_input(), for an operand that must be an input of the group.
  size_t outer_input(size_t i, size_t j) const {
    const int value = body_input(i, j);
    refuse_if(value < 0 || static_cast<size_t>(value) >= inputs(), "an operand that is made within the group");
    return static_cast<size_t>(value);
  }

 private:
  size_t rank_ = 0, images_ = 0;
};

// From [-rank, rank) to [0, rank).
size_t normal_axis(int64_t axis, size_t rank);
// Bytes of an element. Refusal for types of less than a byte and for those that no kernel here
// knows.
int64_t item_bytes(percale_dtype dtype);
// Bytes of `count` elements, also of types of less than a byte, whose last byte may be filled in
// part.
int64_t bytes_of(percale_dtype dtype, int64_t count);
// "f32": the end of a kernel's name.
const char* suffix(percale_dtype dtype);
bool is_float(percale_dtype dtype);

}  // namespace percale::cuda

#endif  // PERCALE_DEVICES_CUDA_DRIVER_NODE_H_
