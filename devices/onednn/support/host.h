// The library's side of the border in C++: nodes to read, errors to give.
#ifndef PERCALE_DEVICES_ONEDNN_SUPPORT_HOST_H_
#define PERCALE_DEVICES_ONEDNN_SUPPORT_HOST_H_

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "c_api/include/percale_plugin.h"

namespace percale::onednn {

using Dims = std::vector<int64_t>;

// Why a kernel does not take a node. oneDNN's interface throws, so the plug-in does within; kernel.cc catches.
class Refusal : public std::exception {
 public:
  explicit Refusal(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

inline void refuse_if(bool condition, const char* reason) {
  if (condition) throw Refusal(reason);
}

// A node that a kernel is offered. Borrows the view.
class Node {
 public:
  Node(const percale_host_api& host, const percale_node_view* view) : host_(&host), view_(view) {}

  const percale_host_api& host() const { return *host_; }
  const percale_node_view* view() const { return view_; }
  std::string_view op() const { return host_->node->op(view_); }

  size_t inputs() const { return host_->node->input_count(view_); }
  size_t outputs() const { return host_->node->output_count(view_); }
  bool has(size_t i) const { return i < inputs() && dtype(i) != PERCALE_DTYPE_INVALID; }
  bool gives(size_t k) const { return k < outputs() && output_dtype(k) != PERCALE_DTYPE_INVALID; }
  percale_dtype dtype(size_t i) const { return host_->node->input_dtype(view_, i); }
  percale_dtype output_dtype(size_t k) const { return host_->node->output_dtype(view_, k); }
  Dims dims(size_t i) const;
  Dims output_dims(size_t k = 0) const;
  // Null: row-major.
  const char* format(size_t i) const { return host_->node->input_layout(view_, i); }
  const char* output_format(size_t k) const { return host_->node->output_layout(view_, k); }
  // Whether the input is the same in all runs, until a variable changes.
  bool prepared(size_t i) const { return host_->node->input_is_precomputed(view_, i) != 0; }
  // The bytes where they are known before the run, else null.
  const void* constant(size_t i) const { return has(i) ? host_->node->input_constant(view_, i) : nullptr; }

  int64_t attribute(const char* name, int64_t otherwise) const;
  double attribute(const char* name, double otherwise) const;
  std::string_view attribute(const char* name, std::string_view otherwise) const;
  Dims attribute(const char* name, const Dims& otherwise) const;
  // One of an attribute of strings; null past the end, and where there is none.
  const char* attribute_string(const char* name, size_t i) const {
    return host_->attributes->get_string_at(attributes(), name, i, nullptr);
  }

 private:
  const percale_attributes* attributes() const { return host_->node->attributes(view_); }

  const percale_host_api* host_;
  const percale_node_view* view_;
};

}  // namespace percale::onednn

#endif  // PERCALE_DEVICES_ONEDNN_SUPPORT_HOST_H_
