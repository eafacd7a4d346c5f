#include "devices/onednn/support/host.h"

namespace percale::onednn {
namespace {

Dims to_dims(const int64_t* dims, size_t rank) { return Dims(dims, dims + rank); }

}  // namespace

Dims Node::dims(size_t i) const {
  size_t rank = 0;
  const int64_t* dims = host_->node->input_dims(view_, i, &rank);
  return to_dims(dims, rank);
}

Dims Node::output_dims(size_t k) const {
  size_t rank = 0;
  const int64_t* dims = host_->node->output_dims(view_, k, &rank);
  return to_dims(dims, rank);
}

int64_t Node::attribute(const char* name, int64_t otherwise) const {
  host_->attributes->get_int(attributes(), name, &otherwise);
  return otherwise;
}

double Node::attribute(const char* name, double otherwise) const {
  host_->attributes->get_float(attributes(), name, &otherwise);
  return otherwise;
}

std::string_view Node::attribute(const char* name, std::string_view otherwise) const {
  const char* text = nullptr;
  size_t size = 0;
  return host_->attributes->get_string(attributes(), name, &text, &size) != 0 ? std::string_view(text, size)
                                                                              : otherwise;
}

Dims Node::attribute(const char* name, const Dims& otherwise) const {
  const int64_t* values = nullptr;
  size_t count = 0;
  return host_->attributes->get_ints(attributes(), name, &values, &count) != 0 ? to_dims(values, count) : otherwise;
}

}  // namespace percale::onednn
