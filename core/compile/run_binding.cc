#include "core/compile/run_binding.h"

#include "core/base/status.h"

namespace percale {

RunBinding RunBinding::as_changing() const {
  return precomputes_variables() ? RunBinding(Variables::kChanging, slots_) : *this;
}

std::string RunBinding::key() const {
  std::string out = str_cat("v", static_cast<int32_t>(variables_));
  for (const StoreKey k : slots_.feeds) out += str_cat("<", static_cast<int32_t>(k.kind), ".", k.index);
  const std::string_view mark = slots_.keep_on_device ? "!" : "=";
  for (const StoreKey k : slots_.fetches) out += str_cat(mark, static_cast<int32_t>(k.kind), ".", k.index);
  for (const bool in_place : slots_.in_place) out += in_place ? "i" : "-";
  return out;
}

}  // namespace percale
