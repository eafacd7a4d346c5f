#include "core/registry/attributes.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace percale {
namespace {

bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.bytes() == 0 || std::memcmp(a.data(), b.data(), static_cast<size_t>(a.bytes())) == 0);
}

template <class T>
const T& get_or_empty(const AttrValue* value) {
  static const T kEmpty;
  const T* found = value != nullptr ? value->get_if<T>() : nullptr;
  return found != nullptr ? *found : kEmpty;
}

}  // namespace

std::string_view attr_kind_name(AttrKind kind) {
  static constexpr std::array<std::string_view, 9> kNames = {"?",        "float",  "int",  "string", "tensor",
                                                             "function", "floats", "ints", "strings"};
  const auto index = static_cast<size_t>(kind);
  return kNames[index < kNames.size() ? index : 0];
}

AttrValue::AttrValue(const AttrValue&) = default;
AttrValue::AttrValue(AttrValue&&) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue&) = default;
AttrValue& AttrValue::operator=(AttrValue&&) noexcept = default;
AttrValue::~AttrValue() = default;

bool AttrValue::operator==(const AttrValue& other) const {
  if (v_.index() != other.v_.index()) return false;
  if (const Tensor* t = get_if<Tensor>()) return same_tensor(*t, *other.get_if<Tensor>());
  return std::visit(
      [&](const auto& mine) {
        using T = std::decay_t<decltype(mine)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          return true;
        } else {
          return mine == *other.get_if<T>();
        }
      },
      v_);
}

Attributes::Attributes(std::initializer_list<Entry> entries) {
  for (const Entry& e : entries) set(e.first, e.second);
}
Attributes::Attributes(const Attributes&) = default;
Attributes::Attributes(Attributes&&) noexcept = default;
Attributes& Attributes::operator=(const Attributes&) = default;
Attributes& Attributes::operator=(Attributes&&) noexcept = default;
Attributes::~Attributes() = default;

void Attributes::set(std::string_view name, AttrValue value) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const Entry& e, std::string_view n) { return e.first < n; });
  if (at != entries_.end() && at->first == name) {
    at->second = std::move(value);
  } else {
    entries_.insert(at, Entry(std::string(name), std::move(value)));
  }
}

void Attributes::erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) { return e.first == name; });
}

const AttrValue* Attributes::find(std::string_view name) const {
  for (const Entry& e : entries_) {
    if (e.first == name) return &e.second;
  }
  return nullptr;
}

int64_t Attributes::get_int(std::string_view name, int64_t fallback) const {
  const AttrValue* value = find(name);
  const int64_t* found = value != nullptr ? value->get_if<int64_t>() : nullptr;
  return found != nullptr ? *found : fallback;
}

double Attributes::get_float(std::string_view name, double fallback) const {
  const AttrValue* value = find(name);
  const double* found = value != nullptr ? value->get_if<double>() : nullptr;
  return found != nullptr ? *found : fallback;
}

std::string_view Attributes::get_string(std::string_view name, std::string_view fallback) const {
  const AttrValue* value = find(name);
  const std::string* found = value != nullptr ? value->get_if<std::string>() : nullptr;
  return found != nullptr ? std::string_view(*found) : fallback;
}

const std::vector<int64_t>& Attributes::get_ints(std::string_view name) const {
  return get_or_empty<std::vector<int64_t>>(find(name));
}
const std::vector<double>& Attributes::get_floats(std::string_view name) const {
  return get_or_empty<std::vector<double>>(find(name));
}
const std::vector<std::string>& Attributes::get_strings(std::string_view name) const {
  return get_or_empty<std::vector<std::string>>(find(name));
}

}  // namespace percale
