/// Named attributes of nodes and layers.
#ifndef PERCALE_CPP_ATTRIBUTE_HPP_
#define PERCALE_CPP_ATTRIBUTE_HPP_

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "percale/number.hpp"
#include "percale/tensor.hpp"

namespace percale {

/// An attribute value that names a function of the graph: a branch of If, or the body of Loop.
struct FunctionName {
  std::string name;  ///< of the function
};

/// An attribute: {"units", 10}, {"alpha", 0.5}, {"padding", "same"}, {"strides", {2, 2}}, {"axes",
/// std::vector<int64_t>{...}}, {"value", &tensor}.
class Attribute {
 public:
  /// The types of attribute values.
  using Value = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                             std::vector<std::string>, const Tensor*, FunctionName, bool>;

  /// Creates an attribute from its name and value. The value is copied unless stated otherwise.
  template <class T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) Attribute(std::string name, T value)
      : name_(std::move(name)), value_(std::in_place_type<int64_t>, static_cast<int64_t>(value)) {}
  /// A boolean of an optimizer, a loss or a metric. Nodes and layers take it as 1 or 0.
  template <class T>
  requires(std::is_same_v<T, bool>) Attribute(std::string name, T value)
      : name_(std::move(name)), value_(std::in_place_type<bool>, value) {}
  /// A floating-point number.
  template <class T>
  requires(std::is_floating_point_v<T>) Attribute(std::string name, T value)
      : name_(std::move(name)), value_(std::in_place_type<double>, static_cast<double>(value)) {}
  Attribute(std::string name, const char* value) : name_(std::move(name)), value_(std::string(value)) {}
  Attribute(std::string name, std::string value) : name_(std::move(name)), value_(std::move(value)) {}
  Attribute(std::string name, std::initializer_list<int64_t> values)
      : name_(std::move(name)), value_(std::vector<int64_t>(values)) {}
  Attribute(std::string name, std::vector<int64_t> values) : name_(std::move(name)), value_(std::move(values)) {}
  Attribute(std::string name, std::vector<double> values) : name_(std::move(name)), value_(std::move(values)) {}
  Attribute(std::string name, std::vector<std::string> values) : name_(std::move(name)), value_(std::move(values)) {}
  /// The tensor is borrowed until the node is finished.
  Attribute(std::string name, const Tensor* tensor) : name_(std::move(name)), value_(tensor) {}
  Attribute(std::string name, FunctionName function) : name_(std::move(name)), value_(std::move(function)) {}

  /// The name in the schema of the op, the layer or the option.
  const std::string& name() const { return name_; }
  /// The value.
  const Value& value() const { return value_; }

 private:
  std::string name_;
  Value value_;
};
/// The attributes of a node or a layer.
using Attributes = std::vector<Attribute>;

namespace detail {

inline void add_json(std::string& out, const std::string& text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += c;
    }
  }
  out += '"';
}
inline void add_json(std::string& out, int64_t number) { out += std::to_string(number); }
template <class T>
requires(std::is_same_v<T, bool>) void add_json(std::string& out, T value) { out += value ? "true" : "false"; }
inline void add_json(std::string& out, double number) { add_number(out, number); }
inline void add_json(std::string&, const Tensor*) {}
inline void add_json(std::string& out, const FunctionName& function) { add_json(out, function.name); }
template <class T>
void add_json(std::string& out, const std::vector<T>& values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ',';
    add_json(out, values[i]);
  }
  out += ']';
}
/// Appends ,"name":value.
inline void add_json_member(std::string& out, const Attribute& attribute) {
  out += ',';
  add_json(out, attribute.name());
  out += ':';
  std::visit([&](const auto& value) { add_json(out, value); }, attribute.value());
}

}  // namespace detail
}  // namespace percale

#endif  // PERCALE_CPP_ATTRIBUTE_HPP_
