/// Tables of named tensors that sessions and trainers share.
#ifndef PERCALE_CPP_VARIABLES_HPP_
#define PERCALE_CPP_VARIABLES_HPP_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "percale/tensor.hpp"

namespace percale {

/// A table of named tensors that sessions and trainers share. Graph::variables() and
/// Trainer::variables() create it. Thread-safe.
class Variables : public Handle<percale_variables, percale_variables_release> {
 public:
  using Handle::Handle;

  /// Returns another owner of the same table.
  Variables share() const { return Variables(percale_variables_retain(get())); }
  /// The number of variables.
  size_t size() const { return percale_variables_count(get()); }
  /// The names in ascending order.
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (size_t i = 0; i < size(); ++i) out.emplace_back(detail::view(percale_variables_get_name(get(), i)));
    return out;
  }
  /// Returns the newest value of a variable. The tensor never changes.
  Result<Tensor> value(Text name) const {
    return detail::made<Tensor, percale_tensor>(
        [&](percale_tensor** out) { return percale_variables_value(get(), name.c_str(), out); });
  }
  /// Publishes a new version with this value. The dtype and shape must agree.
  Status assign(Text name, const Tensor& value) {
    return Status(percale_variables_assign(get(), name.c_str(), value.get()));
  }
  /// Takes the values of all variables that exist in both tables with the same name, dtype and
  /// shape.
  Status assign_all(const Variables& other) {
    const std::vector<std::string> theirs = other.names();
    for (const std::string& name : names()) {
      if (std::find(theirs.begin(), theirs.end(), name) == theirs.end()) continue;
      const auto own = value(name), given = other.value(name);
      if (!own || !given) return (own ? given : own).error();
      if (own->dtype() != given->dtype() || !std::ranges::equal(own->dims(), given->dims())) continue;
      if (Status failed = assign(name, *given); !failed) return failed;
    }
    return Status();
  }
  /// The number of the newest version, from 1.
  int64_t version() const { return percale_variables_version(get()); }
  /// Returns "sha256:..." over the names, dtypes, shapes and bytes of all variables except
  /// optimizer slots. It is the same in every language.
  Result<std::string> digest() const {
    return detail::text([&](percale_text** out) { return percale_variables_digest(get(), out); });
  }
  /// Takes values from a safetensors file. NOT_FOUND if `strict` and a variable is missing.
  Status load(Text path, bool strict = true) {
    return Status(percale_variables_load(get(), path.c_str(), strict ? 1 : 0));
  }
  /// Takes values from the bytes of a safetensors file, without a copy of tensors that are 64-byte
  /// aligned. `owner` (any movable object) keeps the bytes alive and unchanged; it is destroyed
  /// when no value lies in them any more. Returns the number of bytes that were copied.
  template <class Owner>
  Result<int64_t> load_over(std::span<const std::byte> bytes, Owner owner, bool strict = true) {
    auto kept = std::make_unique<Owner>(std::move(owner));
    int64_t copied = 0;
    Status status(percale_variables_load_memory(
        get(), const_cast<std::byte*>(bytes.data()), bytes.size(),
        [](void* user, void*) { delete static_cast<Owner*>(user); }, kept.get(), strict ? 1 : 0, &copied));
    if (!status) return status;
    (void)kept.release();
    return copied;
  }
  /// Takes values from another model and returns how many variables took one. `map` has pairs of
  /// tensor name and variable name. Both may contain one '*', which stands for the same characters;
  /// an empty tensor name leaves the variable unchanged. `path` is a safetensors file, a
  /// checkpoint, or a folder of checkpoints.
  Result<int64_t> load_mapped(Text path, std::span<const std::pair<std::string, std::string>> map,
                              bool strict = false) {
    std::vector<const char*> from, to;
    for (const auto& [tensor, variable] : map) {
      from.push_back(tensor.c_str());
      to.push_back(variable.c_str());
    }
    int64_t loaded = 0;
    if (percale_status* status = percale_variables_load_mapped(get(), path.c_str(), from.data(), to.data(), from.size(),
                                                               strict ? 1 : 0, &loaded)) {
      return Status(status);
    }
    return loaded;
  }
  /// Writes the newest values to a safetensors file.
  Status save(Text path) const { return Status(percale_variables_save(get(), path.c_str())); }
};

}  // namespace percale

#endif  // PERCALE_CPP_VARIABLES_HPP_
