#include "core/checkpoint/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <tuple>

#include "core/base/checked.h"
#include "core/base/similar_name.h"
#include "core/file/file.h"
#include "core/graph_io/container.h"
#include "core/registry/registry.h"
#include "core/text/json.h"

namespace percale {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the reference implementation
constexpr JsonLimits kJsonLimits{.bytes = kMaxHeaderBytes, .depth = 4, .values = size_t{1} << 22};
constexpr std::string_view kMetadataKey = "__metadata__";

constexpr std::array<std::pair<std::string_view, DType>, 20> kDTypes = {{
    {"F32", DType::kF32},
    {"F64", DType::kF64},
    {"F16", DType::kF16},
    {"BF16", DType::kBF16},
    {"I64", DType::kI64},
    {"I32", DType::kI32},
    {"I16", DType::kI16},
    {"I8", DType::kI8},
    {"U64", DType::kU64},
    {"U32", DType::kU32},
    {"U16", DType::kU16},
    {"U8", DType::kU8},
    {"BOOL", DType::kBool},
    {"F8_E4M3", DType::kF8E4M3FN},
    {"F8_E5M2", DType::kF8E5M2},
    {"F8_E8M0", DType::kF8E8M0},
    {"F4", DType::kF4E2M1},
    {"C64", DType::kComplex64},
    {"F8_E4M3FNUZ", DType::kF8E4M3FNUZ},
    {"F8_E5M2FNUZ", DType::kF8E5M2FNUZ},
}};

std::optional<DType> dtype_of_name(std::string_view name) {
  for (const auto& [known, dtype] : kDTypes) {
    if (known == name) return dtype;
  }
  return std::nullopt;
}

std::string_view name_of_dtype(DType dtype) {
  for (const auto& [name, known] : kDTypes) {
    if (known == dtype) return name;
  }
  return {};
}

// Parses one member of the header. Offsets count from the first byte of the data.
Result<Safetensors::Entry> read_entry(const std::string& name, const Json& json, int64_t data_bytes) {
  PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, name));
  const Json *dtype = nullptr, *shape = nullptr, *offsets = nullptr;
  for (size_t i = 0; i < json.size(); ++i) {
    if (json.key(i) == "dtype") dtype = &json.item(i);
    if (json.key(i) == "shape") shape = &json.item(i);
    if (json.key(i) == "data_offsets") offsets = &json.item(i);
  }
  if (dtype == nullptr || shape == nullptr || offsets == nullptr) {
    return json.error(name, "wanted the keys dtype, shape and data_offsets");
  }
  Safetensors::Entry out;
  out.name = name;
  PERCALE_ASSIGN_OR_RETURN(const std::string dtype_name, dtype->as_string("dtype"));
  const auto known = dtype_of_name(dtype_name);
  if (!known) return unimplemented("tensor '", name, "': unsupported dtype '", dtype_name, "'");
  out.dtype = *known;
  PERCALE_ASSIGN_OR_RETURN(const auto dims, shape->as_ints("shape"));
  for (int64_t dim : dims) {
    if (dim < 0) return shape->error(name, "dim ", dim);
  }
  auto made = Shape::make(dims);
  if (!made.ok()) return shape->error(name, made.status().message());
  out.shape = *made;
  PERCALE_ASSIGN_OR_RETURN(const auto range, offsets->as_ints("data_offsets"));
  if (range.size() != 2 || range[0] < 0 || range[1] < range[0]) {
    return offsets->error(name, "data_offsets must be two ascending offsets");
  }
  if (range[1] > data_bytes) {
    return data_loss("tensor '", name, "' ends at byte ", range[1], " of the data, which has only ", data_bytes);
  }
  const auto size = byte_size(out.dtype, out.shape);
  if (!size.ok()) return shape->error(name, size.status().message());
  if (*size != range[1] - range[0]) {
    return offsets->error(name, out.dtype, " ", out.shape, " has ", *size, " bytes, but its offsets span ",
                          range[1] - range[0]);
  }
  out.offset = range[0];
  out.bytes = *size;
  return out;
}

Status read_metadata(const Json& json, std::map<std::string, std::string>& out) {
  PERCALE_RETURN_IF_ERROR(json.expect(Json::Kind::kObject, kMetadataKey));
  for (size_t i = 0; i < json.size(); ++i) {
    PERCALE_ASSIGN_OR_RETURN(out[json.key(i)], json.item(i).as_string(json.key(i)));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Safetensors>> Safetensors::parse(std::shared_ptr<Buffer> bytes) {
  const auto size = static_cast<uint64_t>(bytes->bytes());
  const auto* data = static_cast<const unsigned char*>(bytes->data());
  if (size < kLengthBytes) return data_loss("not a safetensors file: it has only ", size, " bytes");
  uint64_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) length |= uint64_t{data[i]} << (8 * i);
  if (size >= kFileMagic.size() && std::memcmp(data, kFileMagic.data(), kFileMagic.size()) == 0) {
    return invalid_argument("this is a .percale file; wanted a safetensors file or a checkpoint");
  }
  if (length > kMaxHeaderBytes)
    return invalid_argument("not a safetensors file: the header length is ", length, " bytes");
  if (length > size - kLengthBytes) {
    return data_loss("the file is truncated: its header has ", length, " bytes, the file only ", size);
  }
  const std::string_view text(static_cast<const char*>(bytes->data()) + kLengthBytes, static_cast<size_t>(length));
  if (!text.starts_with('{')) return invalid_argument("not a safetensors file: its header does not begin with '{'");
  auto header = Json::parse(text, kJsonLimits);
  if (!header.ok()) return header.status().with_context("header");

  const auto data_begin = static_cast<int64_t>(kLengthBytes + length);
  const int64_t data_bytes = bytes->bytes() - data_begin;
  std::shared_ptr<Safetensors> out(new Safetensors);
  for (size_t i = 0; i < header->size(); ++i) {
    if (header->key(i) == kMetadataKey) {
      PERCALE_RETURN_IF_ERROR(read_metadata(header->item(i), out->metadata_).with_context("header"));
      continue;
    }
    auto entry = read_entry(header->key(i), header->item(i), data_bytes);
    if (!entry.ok()) return entry.status().with_context("header");
    out->entries_.push_back(std::move(entry).value());
  }
  auto& entries = out->entries_;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  int64_t end = 0;
  for (Entry& e : entries) {
    if (e.offset != end) {
      return invalid_argument("tensor '", e.name, "' starts at byte ", e.offset,
                              " of the data, but the tensor before it ends at ", end);
    }
    end += e.bytes;
    e.offset += data_begin;
  }
  if (end != data_bytes) return data_loss("the tensors end at byte ", end, " of the data, which has ", data_bytes);
  for (size_t i = 0; i < entries.size(); ++i) out->index_.emplace(entries[i].name, i);
  out->bytes_ = std::move(bytes);
  return std::shared_ptr<const Safetensors>(std::move(out));
}

Result<std::shared_ptr<const Safetensors>> Safetensors::open(const std::string& path,
                                                             const std::shared_ptr<MemoryPool>& pool) {
  PERCALE_ASSIGN_OR_RETURN(auto bytes, load_file(path, pool));
  auto out = parse(std::move(bytes));
  if (!out.ok()) return out.status().with_context(path);
  return out;
}

const Safetensors::Entry* Safetensors::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second];
}

Result<Tensor> Safetensors::tensor(std::string_view name, bool aligned) const {
  const Entry* e = find(name);
  if (e == nullptr) {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) names.push_back(entry.name);
    return not_found("no tensor '", name, "' in the file", did_you_mean(name, names));
  }
  PERCALE_RETURN_IF_ERROR(check_mapping(*bytes_));
  PERCALE_ASSIGN_OR_RETURN(Tensor out, Tensor::view(bytes_, e->offset, e->dtype, e->shape));
  Status status = check_elements(out);
  if (!status.ok()) return status.with_context(str_cat("tensor '", name, "'"));
  if (!aligned || reinterpret_cast<uintptr_t>(out.data()) % static_cast<uintptr_t>(kAlignment) == 0) return out;
  return Tensor::copy_of(e->dtype, e->shape, out.data(), e->bytes);
}

Result<SafetensorsImage> make_safetensors_image(std::span<const NamedTensor> tensors,
                                                const std::map<std::string, std::string>& metadata) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& t : tensors) {
    if (t.name.empty() || t.name == kMetadataKey) return invalid_argument("'", t.name, "' is not a valid tensor name");
    if (name_of_dtype(t.tensor.dtype()).empty()) {
      return unimplemented("tensor '", t.name, "': safetensors cannot store dtype ", t.tensor.dtype());
    }
    order.push_back(&t);
  }
  const auto key = [](const NamedTensor* t) {
    const bool odd = t->tensor.bytes() % kAlignment != 0;
    return std::tuple<bool, int32_t, std::string_view>(odd, odd ? -dtype_bits(t->tensor.dtype()) : 0, t->name);
  };
  std::sort(order.begin(), order.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
  JsonWriter json;
  json.begin_object();
  if (!metadata.empty()) {
    json.key(kMetadataKey).begin_object();
    for (const auto& [name, value] : metadata) json.key(name).value(value);
    json.end_object();
  }
  std::vector<std::string_view> names;
  SafetensorsImage out;
  int64_t end = 0;
  for (const NamedTensor* t : order) {
    json.key(t->name).begin_object().key("dtype").value(name_of_dtype(t->tensor.dtype())).key("shape").begin_array();
    for (int64_t dim : t->tensor.shape()) json.value(dim);
    json.end_array()
        .key("data_offsets")
        .begin_array()
        .value(end)
        .value(end + t->tensor.bytes())
        .end_array()
        .end_object();
    end += t->tensor.bytes();
    names.push_back(t->name);
    out.tensors.push_back(t->tensor);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return invalid_argument("two tensors have the name '", *twice, "'");
  }
  std::string header = json.end_object().text();
  // The format allows spaces after the header. They align the data for mapping.
  const auto used = static_cast<int64_t>(kLengthBytes + header.size());
  header.append(static_cast<size_t>(round_up(used, kAlignment) - used), ' ');
  if (header.size() > kMaxHeaderBytes) {
    return resource_exhausted("the header of ", static_cast<uint64_t>(header.size()), " bytes is too large");
  }
  for (size_t i = 0; i < kLengthBytes; ++i) {
    out.head += static_cast<char>(static_cast<uint64_t>(header.size()) >> (8 * i) & 255);
  }
  out.head += header;
  return out;
}

Status write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                         const std::map<std::string, std::string>& metadata) {
  PERCALE_ASSIGN_OR_RETURN(const SafetensorsImage image, make_safetensors_image(tensors, metadata));
  PERCALE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  PERCALE_RETURN_IF_ERROR(file.write(image.head));
  for (const Tensor& t : image.tensors) PERCALE_RETURN_IF_ERROR(file.write(t.data(), t.bytes()));
  return file.commit();
}

}  // namespace percale
