#include "core/graph_io/writer.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/base/checked.h"
#include "core/file/crc32c.h"
#include "core/file/file.h"
#include "core/graph_io/container.h"
#include "core/graph_io/schema/flat.h"

namespace percale {
namespace {

using flatbuffers::Offset;

class Writer {
 public:
  Writer(const Graph& graph, const WriteOptions& options) : graph_(graph), options_(options) {}

  Result<GraphImage> run() {
    std::vector<Offset<fb::Function>> functions;
    for (const Function& f : graph_.functions) functions.push_back(function(f));
    std::vector<Offset<fb::Variable>> variables;
    for (const Variable& v : graph_.variables) variables.push_back(variable(v));
    std::vector<Offset<fb::Entry>> metadata;
    for (const auto& [key, value] : graph_.metadata) {
      const auto k = text(key), v = text(value);
      metadata.push_back(fb::CreateEntry(flat_, k, v));
    }
    const auto functions_at = list(functions);
    const auto variables_at = list(variables);
    const auto metadata_at = list(metadata);
    const auto ops_at = list(ops_);
    const auto tensors_at = list(tensors_);
    fb::FinishGraphBuffer(flat_, fb::CreateGraph(flat_, kFileVersion, 0, ops_at, tensors_at, functions_at, variables_at,
                                                 metadata_at, graph_.next_random_id));
    PERCALE_RETURN_IF_ERROR(status_);
    return seal();
  }

 private:
  // Checks that `bytes` more fit. FlatBuffers does not check its own size, so every piece, tables
  // included, is checked first.
  bool room(size_t bytes) {
    constexpr size_t kTable = 256;
    if (!status_.ok()) return false;
    if (bytes < kMaxGraphBytes && flat_.GetSize() + bytes + kTable < kMaxGraphBytes) return true;
    status_ = resource_exhausted("the graph is too large for a file: its description without tensors exceeds ",
                                 kMaxGraphBytes, " bytes");
    return false;
  }
  Offset<flatbuffers::String> text(std::string_view value) {
    if (value.empty() || !room(value.size())) return 0;
    return flat_.CreateString(value.data(), value.size());
  }
  template <class T>
  Offset<flatbuffers::Vector<T>> list(std::span<const T> values) {
    if (values.empty() || !room(values.size_bytes())) return 0;
    return flat_.CreateVector(values.data(), values.size());
  }
  template <class T>
  Offset<flatbuffers::Vector<T>> list(const std::vector<T>& values) {
    return list(std::span<const T>(values));
  }

  uint32_t op(const OpSchema& schema) {
    const auto [at, is_new] = op_index_.try_emplace(&schema, static_cast<uint32_t>(ops_.size()));
    if (is_new && room(schema.domain.size() + schema.name.size())) {
      const auto domain = text(schema.domain), name = text(schema.name);
      ops_.push_back(fb::CreateOp(flat_, domain, name, schema.since));
    }
    return at->second;
  }

  std::string external_name(const std::string& wanted) {
    std::string name = wanted;
    for (int64_t i = 1; !external_names_.insert(name).second; ++i) name = str_cat(wanted, "_", i);
    return name;
  }

  // Returns the index of a tensor's entry, and reuses the entry of a tensor with the same memory.
  // `external` is the tensor's name in the safetensors file, or empty for a tensor stored in this
  // file.
  int32_t tensor(const Tensor& t, const std::string& external) {
    if (dtype_bits(t.dtype()) == 0) {
      if (status_.ok()) status_ = unimplemented("tensors of dtype ", t.dtype(), " in a file are not supported");
      return -1;
    }
    const auto index = static_cast<int32_t>(tensors_.size());
    if (t.bytes() > 0) {
      const std::vector<int64_t> dims(t.shape().begin(), t.shape().end());
      const auto [at, is_new] = tensor_index_.try_emplace(std::tuple(t.data(), t.dtype(), dims), index);
      if (!is_new) return at->second;
    }
    const auto dims = list(t.shape().dims());
    const auto length = static_cast<uint64_t>(t.bytes());
    if (!options_.external_file.empty() && !external.empty() && t.bytes() >= options_.external_min_bytes &&
        dtypes::kAny.contains(t.dtype())) {
      image_.external.push_back({external_name(external), t});
      const auto file = text(options_.external_file), name = text(image_.external.back().name);
      tensors_.push_back(fb::CreateTensor(flat_, static_cast<int32_t>(t.dtype()), dims, 0, length, 0, file, name));
      return index;
    }
    const int64_t begin = round_up(data_bytes_, kAlignment);
    image_.pieces.push_back({begin - data_bytes_, t});
    data_bytes_ = begin + t.bytes();
    if (room(0)) {
      tensors_.push_back(fb::CreateTensor(flat_, static_cast<int32_t>(t.dtype()), dims, static_cast<uint64_t>(begin),
                                          length, crc32c(t.data(), static_cast<size_t>(t.bytes()))));
    }
    return index;
  }

  Offset<fb::Attribute> attribute(const std::string& name, const AttrValue& value) {
    const auto name_at = text(name);
    Offset<flatbuffers::String> s = 0;
    Offset<flatbuffers::Vector<double>> floats = 0;
    Offset<flatbuffers::Vector<int64_t>> ints = 0;
    Offset<flatbuffers::Vector<Offset<fb::Text>>> strings = 0;
    int32_t tensor_at = -1;
    if (const auto* v = value.get_if<std::string>()) s = text(*v);
    if (const auto* v = value.get_if<FunctionRef>()) s = text(v->name);
    if (const auto* v = value.get_if<Tensor>()) tensor_at = tensor(*v, "");
    if (const auto* v = value.get_if<std::vector<double>>()) floats = list(*v);
    if (const auto* v = value.get_if<std::vector<int64_t>>()) ints = list(*v);
    if (const auto* v = value.get_if<std::vector<std::string>>()) {
      std::vector<Offset<fb::Text>> texts;
      for (const std::string& one : *v) {
        const auto at = text(one);
        if (room(0)) texts.push_back(fb::CreateText(flat_, at));
      }
      strings = list(texts);
    }
    if (!room(0)) return 0;
    fb::AttributeBuilder out(flat_);
    out.add_name(name_at);
    out.add_kind(static_cast<int32_t>(value.kind()));
    if (const auto* v = value.get_if<double>()) {
      flat_.ForceDefaults(true);  // or else -0.0, which equals the default, would be omitted
      out.add_f(*v);
      flat_.ForceDefaults(false);
    }
    if (const auto* v = value.get_if<int64_t>()) out.add_i(*v);
    out.add_s(s);
    out.add_tensor(tensor_at);
    out.add_floats(floats);
    out.add_ints(ints);
    out.add_strings(strings);
    return out.Finish();
  }

  Offset<fb::Node> node(const Node& n) {
    const uint32_t op_at = op(*n.op);
    std::vector<Offset<fb::Attribute>> attributes;
    for (const auto& [name, value] : n.attributes) attributes.push_back(attribute(name, value));
    const auto name = text(n.name);
    const auto inputs = list(n.inputs), outputs = list(n.outputs), control = list(n.control);
    const auto attributes_at = list(attributes);
    const auto device = text(n.device);
    if (!room(0)) return 0;
    return fb::CreateNode(flat_, name, op_at, inputs, outputs, control, attributes_at, device);
  }

  Offset<fb::Value> value(const Value& v) {
    const auto name = text(v.name);
    const auto dims = list(v.type.shape.dims());
    if (!room(0)) return 0;
    return fb::CreateValue(flat_, name, static_cast<int32_t>(v.type.dtype), dims, !v.type.shape.known_rank(),
                           static_cast<int32_t>(v.kind), v.def, v.output);
  }

  Offset<fb::Function> function(const Function& f) {
    // A constant is named after the first value that refers to it.
    std::vector<const std::string*> names(f.constants.size(), nullptr);
    std::vector<Offset<fb::Value>> values;
    for (const Value& v : f.values) {
      if (v.kind == ValueKind::kConstant && names[static_cast<size_t>(v.def)] == nullptr) {
        names[static_cast<size_t>(v.def)] = &v.name;
      }
      values.push_back(value(v));
    }
    std::vector<int32_t> constants;
    for (size_t i = 0; i < f.constants.size(); ++i) {
      constants.push_back(tensor(f.constants[i], names[i] == nullptr ? "" : str_cat(f.name, "/", *names[i])));
    }
    std::vector<Offset<fb::Node>> nodes;
    for (const Node& n : f.nodes) nodes.push_back(node(n));
    const auto name = text(f.name);
    const auto values_at = list(values);
    const auto nodes_at = list(nodes);
    const auto constants_at = list(constants), inputs = list(f.inputs), outputs = list(f.outputs);
    if (!room(0)) return 0;
    return fb::CreateFunction(flat_, name, values_at, nodes_at, constants_at, inputs, outputs);
  }

  Offset<fb::Variable> variable(const Variable& v) {
    const auto name = text(v.name);
    const auto dims = list(v.shape.dims());
    const int32_t initial = v.initial.defined() ? tensor(v.initial, v.name) : -1;
    if (!room(0)) return 0;
    return fb::CreateVariable(flat_, name, static_cast<int32_t>(v.dtype), dims, v.trainable, v.slot, initial);
  }

  GraphImage seal() {
    FileHeader header;
    header.graph_offset = kFileHeaderBytes;
    header.graph_bytes = flat_.GetSize();
    header.graph_crc32c = crc32c(flat_.GetBufferPointer(), flat_.GetSize());
    const auto graph_end = static_cast<int64_t>(header.graph_offset + header.graph_bytes);
    const int64_t data_offset = round_up(graph_end, kAlignment);
    header.data_offset = static_cast<uint64_t>(data_offset);
    header.data_bytes = static_cast<uint64_t>(data_bytes_);
    image_.head = pack_header(header);
    image_.head.append(reinterpret_cast<const char*>(flat_.GetBufferPointer()), flat_.GetSize());
    image_.head.append(static_cast<size_t>(data_offset - graph_end), '\0');
    image_.bytes = data_offset + data_bytes_;
    return std::move(image_);
  }

  const Graph& graph_;
  const WriteOptions& options_;
  flatbuffers::FlatBufferBuilder flat_;
  Status status_;
  GraphImage image_;
  int64_t data_bytes_ = 0;
  std::vector<Offset<fb::Op>> ops_;
  std::vector<Offset<fb::Tensor>> tensors_;
  std::unordered_map<const OpSchema*, uint32_t> op_index_;
  std::map<std::tuple<const void*, DType, std::vector<int64_t>>, int32_t> tensor_index_;
  std::unordered_set<std::string> external_names_;
};

}  // namespace

Result<GraphImage> make_graph_image(const Graph& graph, const WriteOptions& options) {
  return Writer(graph, options).run();
}

Result<std::string> write_graph(const Graph& graph) {
  PERCALE_ASSIGN_OR_RETURN(GraphImage image, make_graph_image(graph));
  std::string out = std::move(image.head);
  out.reserve(static_cast<size_t>(image.bytes));
  for (const GraphImage::Piece& piece : image.pieces) {
    out.append(static_cast<size_t>(piece.padding), '\0');
    out.append(static_cast<const char*>(piece.tensor.data()), static_cast<size_t>(piece.tensor.bytes()));
  }
  return out;
}

Status write_image(const GraphImage& image, const std::string& path) {
  static constexpr char kZeros[kFileAlignment] = {};
  PERCALE_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  PERCALE_RETURN_IF_ERROR(file.write(image.head));
  for (const GraphImage::Piece& piece : image.pieces) {
    PERCALE_RETURN_IF_ERROR(file.write(kZeros, piece.padding));
    PERCALE_RETURN_IF_ERROR(file.write(piece.tensor.data(), piece.tensor.bytes()));
  }
  return file.commit();
}

Status write_graph_file(const Graph& graph, const std::string& path) {
  PERCALE_ASSIGN_OR_RETURN(const GraphImage image, make_graph_image(graph));
  return write_image(image, path);
}

}  // namespace percale
