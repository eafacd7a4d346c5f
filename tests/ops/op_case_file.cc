// Reads the tables.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/text/json.h"
#include "tests/ops/op_case.h"
#include "tests/ops/op_values.h"

namespace percale {
namespace {

Result<double> number(const Json& json) {
  if (json.is_string()) {
    PERCALE_ASSIGN_OR_RETURN(const std::string text, json.as_string("v"));
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    return json.error("v", "no number: ", text);
  }
  return json.as_double("v");
}

template <class T>
Result<Tensor> read_elements(const Json& values, const Shape& shape) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  T* out = reinterpret_cast<T*>(bytes.data());
  for (size_t i = 0; i < values.size(); ++i) {
    const Json& item = values.item(i);
    if constexpr (std::is_same_v<T, bool>) {
      PERCALE_ASSIGN_OR_RETURN(const int64_t v, item.as_int("v"));
      out[i] = v != 0;
    } else if constexpr (std::is_same_v<T, uint64_t>) {
      if (item.is_string()) {  // above the range of int64
        PERCALE_ASSIGN_OR_RETURN(const std::string text, item.as_string("v"));
        out[i] = std::stoull(text);
      } else {
        PERCALE_ASSIGN_OR_RETURN(const int64_t v, item.as_int("v"));
        out[i] = static_cast<uint64_t>(v);
      }
    } else if constexpr (std::is_integral_v<T>) {
      PERCALE_ASSIGN_OR_RETURN(const int64_t v, item.as_int("v"));
      out[i] = static_cast<T>(v);
    } else {
      PERCALE_ASSIGN_OR_RETURN(const double v, number(item));
      if constexpr (std::is_same_v<T, F16>) {
        out[i] = to_f16(round_to_odd(v));
      } else if constexpr (std::is_same_v<T, BF16>) {
        out[i] = to_bf16(round_to_odd(v));
      } else {
        out[i] = static_cast<T>(v);
      }
    }
  }
  return Tensor::copy_of(dtype_of<T>, shape, bytes.data(), static_cast<int64_t>(bytes.size()));
}

Result<Tensor> read_small(DType dtype, const Json& values, const Shape& shape) {
  const auto bits = static_cast<size_t>(dtype_bits(dtype)), per_byte = 8 / bits;
  std::vector<uint8_t> bytes((values.size() + per_byte - 1) / per_byte);
  for (size_t i = 0; i < values.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(const int64_t code, values.item(i).as_int("v"));
    if (code < 0 || code >> bits != 0) return values.error("v", "wanted the element's bits, got ", code);
    bytes[i / per_byte] = static_cast<uint8_t>(bytes[i / per_byte] | code << (i % per_byte * bits));
  }
  return Tensor::copy_of(dtype, shape, bytes.data(), static_cast<int64_t>(bytes.size()));
}

Result<Tensor> read_tensor(const Json& json) {
  if (json.is_null()) return Tensor();
  const Json *d = json.find("d"), *s = json.find("s"), *v = json.find("v");
  if (d == nullptr || s == nullptr || v == nullptr) return json.error("tensor", "wanted d, s and v");
  PERCALE_ASSIGN_OR_RETURN(const std::string name, d->as_string("d"));
  const auto dtype = dtype_from_name(name);
  if (!dtype.has_value() || (!dtypes::kAny.contains(*dtype) && !is_small(*dtype)))
    return d->error("d", "no dtype: ", name);
  PERCALE_ASSIGN_OR_RETURN(const auto dims, s->as_ints("s"));
  PERCALE_ASSIGN_OR_RETURN(const Shape shape, Shape::make(dims));
  if (static_cast<int64_t>(v->size()) != shape.num_elements()) return v->error("v", "wanted as many as ", shape);
  if (is_small(*dtype)) return read_small(*dtype, *v, shape);
  return with_type(*dtype, [&]<class T>() { return read_elements<T>(*v, shape); });
}

Result<AttrValue> read_attribute(const std::string& name, const Json& json) {
  switch (json.kind()) {
    case Json::Kind::kInt: return AttrValue(json.as_int(name).value());
    case Json::Kind::kDouble: return AttrValue(json.as_double(name).value());
    case Json::Kind::kString: return AttrValue(json.as_string(name).value());
    case Json::Kind::kObject: {
      const Json* tensor = json.find("tensor");
      if (tensor == nullptr) return json.error(name, "wanted {\"tensor\": ...}");
      PERCALE_ASSIGN_OR_RETURN(Tensor value, read_tensor(*tensor));
      return AttrValue(std::move(value));
    }
    case Json::Kind::kArray: {
      if (json.size() > 0 && json.item(0).kind() == Json::Kind::kDouble) {
        std::vector<double> values;
        for (size_t i = 0; i < json.size(); ++i) {
          PERCALE_ASSIGN_OR_RETURN(const double v, json.item(i).as_double(name));
          values.push_back(v);
        }
        return AttrValue(std::move(values));
      }
      if (json.size() > 0 && json.item(0).is_string()) {
        std::vector<std::string> values;
        for (size_t i = 0; i < json.size(); ++i) {
          PERCALE_ASSIGN_OR_RETURN(std::string v, json.item(i).as_string(name));
          values.push_back(std::move(v));
        }
        return AttrValue(std::move(values));
      }
      PERCALE_ASSIGN_OR_RETURN(auto values, json.as_ints(name));
      return AttrValue(std::move(values));
    }
    default: return json.error(name, "no attribute");
  }
}

Status read_tensors(const Json& row, std::string_view key, std::vector<Tensor>& out) {
  const Json* list = row.find(key);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, read_tensor(list->item(i)));
    out.push_back(std::move(tensor));
  }
  return {};
}

Result<OpCase> read_row(const Json& json) {
  static constexpr std::string_view kKeys[] = {"op", "note", "attrs", "in", "out", "tol", "error", "grad", "grad2"};
  for (size_t i = 0; i < json.size(); ++i) {
    if (std::find(std::begin(kKeys), std::end(kKeys), json.key(i)) == std::end(kKeys)) {
      return json.error(json.key(i), "no such key");
    }
  }
  OpCase row;
  const Json* op = json.find("op");
  if (op == nullptr) return json.error("op", "is required");
  PERCALE_ASSIGN_OR_RETURN(row.op, op->as_string("op"));
  if (const Json* note = json.find("note")) {
    PERCALE_ASSIGN_OR_RETURN(row.note, note->as_string("note"));
  }
  if (const Json* attributes = json.find("attrs")) {
    for (size_t i = 0; i < attributes->size(); ++i) {
      PERCALE_ASSIGN_OR_RETURN(auto value, read_attribute(attributes->key(i), attributes->item(i)));
      row.attributes.set(attributes->key(i), std::move(value));
    }
  }
  PERCALE_RETURN_IF_ERROR(read_tensors(json, "in", row.inputs));
  PERCALE_RETURN_IF_ERROR(read_tensors(json, "out", row.expected));
  if (const Json* tolerance = json.find("tol")) {
    PERCALE_ASSIGN_OR_RETURN(row.tolerance, tolerance->as_double("tol"));
  }
  if (const Json* error = json.find("error")) {
    PERCALE_ASSIGN_OR_RETURN(row.error, error->as_string("error"));
  }
  if (const Json* grad = json.find("grad")) {
    PERCALE_ASSIGN_OR_RETURN(const auto wanted, grad->as_ints("grad"));
    row.grad.assign(wanted.begin(), wanted.end());
  }
  if (const Json* grad2 = json.find("grad2")) {
    PERCALE_ASSIGN_OR_RETURN(row.grad2, grad2->as_bool("grad2"));
  }
  if (row.error.empty() && row.expected.empty() && row.grad.empty()) return json.error("out", "the row checks nothing");
  return row;
}

}  // namespace

Result<std::vector<OpCase>> load_op_cases(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (error || files.empty()) return not_found("no tables in ", folder);
  std::sort(files.begin(), files.end());
  std::vector<OpCase> out;
  for (const auto& path : files) {
    std::ifstream stream(path);
    std::string line;
    for (int64_t n = 1; std::getline(stream, line); ++n) {
      if (line.empty()) continue;
      const std::string where = str_cat(path.filename().string(), ":", n);
      auto json = Json::parse(line);
      if (!json.ok()) return json.status().with_context(where);
      auto row = read_row(*json);
      if (!row.ok()) return row.status().with_context(where);
      row->where = where;
      out.push_back(*row);
    }
  }
  return out;
}

}  // namespace percale
