#include "core/train/parallel/parameter_spec.h"

#include <algorithm>
#include <numeric>

#include "core/base/memory.h"
#include "core/train/method/json_keys.h"

namespace percale {
namespace {

constexpr Key<ParameterSpec> kKeys[] = {
    {.name = "ps",
     .value = &ParameterSpec::devices,
     .doc = "Devices that hold the parameters in parts: a comma-separated list of names.",
     .required = true},
    {.name = "min_shard_bytes",
     .value = Bytes<ParameterSpec>{&ParameterSpec::min_shard_bytes},
     .doc = "Smallest size of a part in bytes; a smaller parameter stays whole.",
     .low = 1}};

}  // namespace

std::string_view parameters_name(ParameterSpec::Where where) {
  switch (where) {
    case ParameterSpec::Where::kHost: return "host";
    case ParameterSpec::Where::kPs: return "ps";
    case ParameterSpec::Where::kMirrored: return "mirrored";
    case ParameterSpec::Where::kDevice: return "device";
  }
  return {};
}

Result<ParameterSpec> parse_parameters(const Json& json) {
  using Where = ParameterSpec::Where;
  ParameterSpec out;
  if (json.is_object()) {
    PERCALE_RETURN_IF_ERROR(read_object<ParameterSpec>(json, "parameters", kKeys, &out));
    out.where = Where::kPs;
    return out;
  }
  PERCALE_ASSIGN_OR_RETURN(const std::string text, json.as_string("parameters"));
  for (const Where where : {Where::kHost, Where::kPs, Where::kMirrored, Where::kDevice}) {
    if (text != parameters_name(where)) continue;
    out.where = where;
    return out;
  }
  return json.error("parameters", "'", text, "' is not one of host, ps, mirrored, device, {\"ps\": devices}");
}

std::vector<KeyFacts> parameter_facts() { return key_facts<ParameterSpec>(kKeys); }

int64_t values_per_parameter(const Optimizer& optimizer) {
  return static_cast<int64_t>(1 + optimizer.slots().size() + (optimizer.ema > 0 ? 1 : 0));
}

std::vector<ParameterPart> lay_out_parameters(const std::vector<Variable>& parameters, const Optimizer& optimizer,
                                              size_t devices, int64_t min_shard_bytes) {
  const int64_t values = values_per_parameter(optimizer);
  std::vector<ParameterPart> out;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Variable& v = parameters[i];
    const auto size = byte_size(v.dtype, v.shape);
    const int64_t bytes = size.ok() ? *size : 0, rows = v.shape.rank() > 0 ? v.shape[0] : 1;
    const bool cuts = optimizer.kind != Optimizer::Kind::kLamb && rows > 1 && bytes > 0;
    const int64_t parts =
        cuts ? std::clamp<int64_t>(bytes / min_shard_bytes, 1, std::min(rows, static_cast<int64_t>(devices))) : 1;
    if (parts == 1) {
      out.push_back({i, 0, -1, 0, bytes * values});
      continue;
    }
    const int64_t row_bytes = bytes / rows, step = kAlignment / std::gcd(kAlignment, row_bytes);
    const size_t first = out.size();
    for (int64_t part = 0, begin = 0; part < parts; ++part) {
      const int64_t end = part + 1 == parts ? rows : (part + 1) * rows / parts / step * step;
      if (end == begin) continue;
      out.push_back({i, begin, end, 0, (end - begin) * row_bytes * values});
      begin = end;
    }
    if (out.size() == first + 1) out.back().end = -1;
  }
  std::vector<size_t> order(out.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return out[a].bytes > out[b].bytes; });
  std::vector<int64_t> load(devices, 0);
  for (const size_t at : order) {
    out[at].device = static_cast<size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    load[out[at].device] += out[at].bytes;
  }
  return out;
}

}  // namespace percale
