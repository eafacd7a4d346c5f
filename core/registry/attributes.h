// Attributes: typed, named values of a node.
#ifndef PERCALE_CORE_REGISTRY_ATTRIBUTES_H_
#define PERCALE_CORE_REGISTRY_ATTRIBUTES_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/status.h"
#include "core/tensor/tensor.h"

namespace percale {

// The kinds of attributes. The numbers are ONNX's AttributeProto.AttributeType where ONNX has the
// kind.
enum class AttrKind : int32_t {
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kFunction = 5,  // name of a function of the same graph (ONNX: GRAPH)
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
};
std::string_view attr_kind_name(AttrKind kind);

struct FunctionRef {
  std::string name;
  bool operator==(const FunctionRef&) const = default;
};

class AttrValue {
 public:
  using Variant = std::variant<double, int64_t, std::string, Tensor, FunctionRef, std::vector<double>,
                               std::vector<int64_t>, std::vector<std::string>>;
  AttrValue(double v) : v_(v) {}
  AttrValue(int64_t v) : v_(v) {}
  AttrValue(int v) : v_(int64_t{v}) {}
  AttrValue(bool v) : v_(int64_t{v}) {}
  AttrValue(DType v) : v_(static_cast<int64_t>(v)) {}
  AttrValue(std::string v) : v_(std::move(v)) {}
  AttrValue(const char* v) : v_(std::string(v)) {}
  AttrValue(Tensor v) : v_(std::move(v)) {}
  AttrValue(FunctionRef v) : v_(std::move(v)) {}
  AttrValue(std::vector<double> v) : v_(std::move(v)) {}
  AttrValue(std::vector<int64_t> v) : v_(std::move(v)) {}
  AttrValue(std::vector<std::string> v) : v_(std::move(v)) {}
  // Not inline: a variant of eight types generates much code, and nearly every source that builds
  // nodes would contain a copy.
  AttrValue(const AttrValue&);
  AttrValue(AttrValue&&) noexcept;
  AttrValue& operator=(const AttrValue&);
  AttrValue& operator=(AttrValue&&) noexcept;
  ~AttrValue();

  AttrKind kind() const { return static_cast<AttrKind>(v_.index() + 1); }
  // Returns the value if it has type T, else null.
  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&v_);
  }
  const Variant& variant() const { return v_; }
  // Compares kind and value; tensors by dtype, shape and bytes.
  bool operator==(const AttrValue& other) const;

 private:
  Variant v_;
};

// A small map sorted by name, so that equal maps serialize to equal bytes. Copyable.
class Attributes {
 public:
  using Entry = std::pair<std::string, AttrValue>;
  Attributes() = default;
  Attributes(std::initializer_list<Entry> entries);
  Attributes(const Attributes&);
  Attributes(Attributes&&) noexcept;
  Attributes& operator=(const Attributes&);
  Attributes& operator=(Attributes&&) noexcept;
  ~Attributes();

  void set(std::string_view name, AttrValue value);
  void erase(std::string_view name);
  // Returns null if absent.
  const AttrValue* find(std::string_view name) const;
  // Return the value with this name and type, else `fallback`.
  int64_t get_int(std::string_view name, int64_t fallback = 0) const;
  double get_float(std::string_view name, double fallback = 0) const;
  std::string_view get_string(std::string_view name, std::string_view fallback = {}) const;
  // Return an empty list if absent.
  const std::vector<int64_t>& get_ints(std::string_view name) const;
  const std::vector<double>& get_floats(std::string_view name) const;
  const std::vector<std::string>& get_strings(std::string_view name) const;

  bool contains(std::string_view name) const { return find(name) != nullptr; }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  bool operator==(const Attributes&) const = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace percale

#endif  // PERCALE_CORE_REGISTRY_ATTRIBUTES_H_
