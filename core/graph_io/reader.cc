#include "core/graph_io/reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <set>

#include "core/file/crc32c.h"
#include "core/file/file.h"
#include "core/graph/emit/upgrade.h"
#include "core/graph/validate.h"
#include "core/graph_io/container.h"
#include "core/graph_io/schema/flat.h"
#include "core/graph_io/upgrade_graph.h"

namespace percale {
namespace {

template <class T>
using FlatVector = flatbuffers::Vector<T>;
template <class T>
using FlatTables = flatbuffers::Vector<flatbuffers::Offset<T>>;

constexpr uint32_t kMaxTableDepth = 16;  // graph.fbs nests five levels deep
constexpr size_t kMaxNamesInMessage = 64;

uint64_t u64(size_t n) { return static_cast<uint64_t>(n); }

class Reader {
 public:
  Reader(std::shared_ptr<const Registry> registry, std::shared_ptr<Buffer> bytes, const ReadOptions& options)
      : bytes_(std::move(bytes)), options_(options), graph_(std::make_shared<Graph>()) {
    graph_->registry = std::move(registry);
  }

  Result<std::shared_ptr<const Graph>> run() {
    const std::string_view file(static_cast<const char*>(bytes_->data()), static_cast<size_t>(bytes_->bytes()));
    PERCALE_ASSIGN_OR_RETURN(header_, unpack_header(file));
    if (header_.graph_bytes > std::min(options_.limits.graph_bytes, kMaxGraphBytes)) {
      return resource_exhausted("the graph without its tensors is ", header_.graph_bytes, " bytes, the limit is ",
                                std::min(options_.limits.graph_bytes, kMaxGraphBytes));
    }
    const auto* begin = reinterpret_cast<const uint8_t*>(file.data()) + header_.graph_offset;
    flatbuffers::Verifier::Options limits;
    limits.max_depth = kMaxTableDepth;
    // A table and a reference to it take at least eight bytes. A file with more tables than that
    // refers to one table repeatedly.
    limits.max_tables = static_cast<uint32_t>(header_.graph_bytes / 8 + 1);
    flatbuffers::Verifier verifier(begin, static_cast<size_t>(header_.graph_bytes), limits);
    if (!fb::VerifyGraphBuffer(verifier)) {
      return invalid_argument(
          "the graph is not a FlatBuffer of the schema PRCL: an offset is out of bounds, or tables overlap or are "
          "nested too deeply");
    }
    left_ = header_.graph_bytes;
    const fb::Graph& flat = *fb::GetGraph(begin);
    PERCALE_RETURN_IF_ERROR(read_features(flat));
    PERCALE_RETURN_IF_ERROR(read_ops(flat.ops()));
    PERCALE_RETURN_IF_ERROR(read_tensors(flat.tensors()));
    PERCALE_RETURN_IF_ERROR(read_functions(flat.functions()));
    PERCALE_RETURN_IF_ERROR(read_variables(flat.variables()));
    PERCALE_RETURN_IF_ERROR(read_metadata(flat.metadata()));
    graph_->next_random_id = flat.next_random_id();
    if (any_old_) {
      PERCALE_ASSIGN_OR_RETURN(graph_, upgrade_graph(*graph_, names_of_ops_, ops_of_nodes_));
    }
    PERCALE_RETURN_IF_ERROR(validate(*graph_));
    return std::shared_ptr<const Graph>(std::move(graph_));
  }

 private:
  // Parts of a FlatBuffer may overlap, so that few bytes describe a large graph. A writer never
  // produces that, so the data read in total must fit into the bytes of the FlatBuffer.
  Status spend(uint64_t bytes) {
    if (bytes > left_) {
      return invalid_argument("the parts of the graph need more than its ", header_.graph_bytes,
                              " bytes: they overlap");
    }
    left_ -= bytes;
    return {};
  }
  Result<std::string> text(const flatbuffers::String* flat) {
    if (flat == nullptr) return std::string();
    PERCALE_RETURN_IF_ERROR(spend(flat->size()));
    return std::string(flat->data(), flat->size());
  }
  Result<std::string> name(const flatbuffers::String* flat) {
    PERCALE_ASSIGN_OR_RETURN(std::string out, text(flat));
    PERCALE_RETURN_IF_ERROR(check_name(out));
    return out;
  }
  template <class T>
  Result<std::vector<T>> list(const FlatVector<T>* flat) {
    if (flat == nullptr) return std::vector<T>();
    PERCALE_RETURN_IF_ERROR(spend(flat->size() * sizeof(T)));
    std::vector<T> out(flat->size());
    copy_elements(*flat, out.data());
    return out;
  }
  // The verifier does not check the alignment of elements wider than four bytes, so they are
  // copied.
  template <class T>
  static void copy_elements(const FlatVector<T>& flat, T* to) {
    static_assert(std::endian::native == std::endian::little, "the file is little-endian");
    if (flat.size() > 0) std::memcpy(to, flat.Data(), flat.size() * sizeof(T));
  }
  // Calls read(table, index) for each table. An error gets the prefix "what 3: ".
  template <class T, class F>
  Status each(const FlatTables<T>* flat, const char* what, F&& read) {
    for (uint32_t i = 0; flat != nullptr && i < flat->size(); ++i) {
      Status status = spend(8);
      if (status.ok()) status = read(*flat->Get(i), i);
      if (!status.ok()) return status.with_context(str_cat(what, " ", i));
    }
    return {};
  }
  Result<Shape> shape(const FlatVector<int64_t>* flat, bool unranked = false) {
    if (unranked) return Shape::unranked();
    if (flat == nullptr) return Shape{};
    if (flat->size() > kMaxRank)
      return invalid_argument("rank ", flat->size(), " exceeds the limit of ", u64(kMaxRank));
    std::array<int64_t, kMaxRank> dims;
    copy_elements(*flat, dims.data());
    return Shape::make(std::span<const int64_t>(dims.data(), flat->size()));
  }
  Result<DType> dtype(int32_t number) {
    if (!is_valid_dtype(number)) return invalid_argument(number, " is not a dtype");
    return static_cast<DType>(number);
  }

  Status read_features(const fb::Graph& flat) {
    if (flat.minimum_version() > kFileVersion) {
      return unimplemented("the file needs a library that reads version ", flat.minimum_version(),
                           " of the format, this library reads up to ", kFileVersion);
    }
    std::string unknown;
    PERCALE_RETURN_IF_ERROR(each(flat.required_features(), "required feature", [&](const fb::Text& t, uint32_t i) {
      const auto feature = name(t.value());
      if (!feature.ok()) return feature.status();
      if (i < kMaxNamesInMessage) unknown += str_cat(unknown.empty() ? "'" : ", '", *feature, "'");
      return Status();
    }));
    if (unknown.empty()) return {};
    return unimplemented("the file requires ", unknown, ", which this library does not support");
  }

  Status read_ops(const FlatTables<fb::Op>* flat) {
    std::set<std::string> unknown;
    PERCALE_RETURN_IF_ERROR(each(flat, "op", [&](const fb::Op& op, uint32_t) {
      const auto domain = text(op.domain());
      if (!domain.ok()) return domain.status();
      const auto op_name = name(op.name());
      if (!op_name.ok()) return op_name.status();
      if (!domain->empty()) PERCALE_RETURN_IF_ERROR(check_name(*domain));
      const Registry& registry = *graph_->registry;
      const OpSchema* schema = registry.find_op(*domain, *op_name, op.since());
      if (schema != nullptr && schema->since != op.since()) schema = nullptr;
      names_of_ops_.push_back({domain->empty() ? *op_name : str_cat(*domain, ":", *op_name), op.since()});
      const std::string& full_name = names_of_ops_.back().op;
      if (schema == nullptr) {
        const OpSchema* newest = registry.find_op(*domain, *op_name);
        const bool older = op.since() > 0 && (newest == nullptr || op.since() < newest->since);
        if (!older || !knows_op(registry, full_name, op.since())) {
          const std::string why = registry.absence(*domain, *op_name);
          unknown.insert(str_cat(full_name, " version ", op.since(),
                                 newest != nullptr ? str_cat(" (here version ", newest->since, ")")
                                 : why.empty()     ? ""
                                                   : str_cat(" (", why, ")")));
        }
      }
      ops_.push_back(schema);
      return Status();
    }));
    if (unknown.empty()) return {};
    std::string names;
    size_t count = 0;
    for (const std::string& one : unknown) {
      if (count++ == kMaxNamesInMessage) break;
      names += str_cat(names.empty() ? "" : ", ", one);
    }
    if (unknown.size() > kMaxNamesInMessage) {
      names += str_cat(" and ", u64(unknown.size() - kMaxNamesInMessage), " more");
    }
    return unimplemented("the file needs ops that this library does not have: ", names);
  }

  Result<Tensor> external_tensor(const fb::Tensor& flat, DType type, const Shape& dims, int64_t size) {
    PERCALE_ASSIGN_OR_RETURN(const std::string file, name(flat.external_file()));
    PERCALE_ASSIGN_OR_RETURN(const std::string tensor, name(flat.external_name()));
    if (options_.external == nullptr) {
      return failed_precondition("'", tensor, "' lies in the file '", file,
                                 "': the graph must be loaded from its folder");
    }
    PERCALE_ASSIGN_OR_RETURN(Tensor found, options_.external->find(file, tensor));
    if (found.dtype() != type || !(found.shape() == dims) || found.bytes() != size) {
      return invalid_argument("'", tensor, "' is ", found.dtype(), " ", found.shape(), " in the file '", file,
                              "', wanted ", type, " ", dims);
    }
    return found;
  }

  Result<Tensor> tensor(const fb::Tensor& flat) {
    PERCALE_ASSIGN_OR_RETURN(const DType type, dtype(flat.dtype()));
    if (dtype_bits(type) == 0) return unimplemented("tensors of dtype ", type, " in a file are not supported");
    PERCALE_ASSIGN_OR_RETURN(const Shape dims, shape(flat.dims()));
    PERCALE_ASSIGN_OR_RETURN(const int64_t size, byte_size(type, dims));
    if (flat.length() != static_cast<uint64_t>(size)) {
      return invalid_argument("its length is ", flat.length(), ", but ", type, " ", dims, " has ", size, " bytes");
    }
    if (flat.external_file() != nullptr) return external_tensor(flat, type, dims, size);
    if (flat.offset() < data_end_ || flat.offset() % kFileAlignment != 0) {
      return invalid_argument("its offset is ", flat.offset(),
                              ", wanted a multiple of 64 after the tensor before it, which ends at ", data_end_);
    }
    if (flat.offset() > header_.data_bytes || flat.length() > header_.data_bytes - flat.offset()) {
      return data_loss("it is ", size, " bytes from offset ", flat.offset(), ", but the data of all tensors have ",
                       header_.data_bytes);
    }
    data_end_ = flat.offset() + flat.length();
    PERCALE_ASSIGN_OR_RETURN(
        Tensor out, Tensor::view(bytes_, static_cast<int64_t>(header_.data_offset + flat.offset()), type, dims));
    if (options_.check_crc && crc32c(out.data(), static_cast<size_t>(size)) != flat.crc32c()) {
      return data_loss("the data is damaged: the checksum is wrong");
    }
    PERCALE_RETURN_IF_ERROR(check_elements(out));
    return out;
  }

  Status read_tensors(const FlatTables<fb::Tensor>* flat) {
    return each(flat, "tensor", [&](const fb::Tensor& t, uint32_t i) -> Status {
      if (i >= options_.limits.tensors) return resource_exhausted("the limit is ", u64(options_.limits.tensors));
      PERCALE_ASSIGN_OR_RETURN(Tensor out, tensor(t));
      tensors_.push_back(std::move(out));
      return {};
    });
  }

  Result<Tensor> tensor_at(int32_t index) {
    if (index < 0 || static_cast<size_t>(index) >= tensors_.size()) {
      return invalid_argument("there is no tensor ", index, ", the file has ", u64(tensors_.size()));
    }
    return tensors_[static_cast<size_t>(index)];
  }

  Result<AttrValue> attribute_value(const fb::Attribute& flat) {
    switch (static_cast<AttrKind>(flat.kind())) {
      case AttrKind::kFloat: return AttrValue(flat.f());
      case AttrKind::kInt: return AttrValue(int64_t{flat.i()});
      case AttrKind::kString: {
        PERCALE_ASSIGN_OR_RETURN(std::string s, text(flat.s()));
        return AttrValue(std::move(s));
      }
      case AttrKind::kFunction: {
        PERCALE_ASSIGN_OR_RETURN(std::string s, name(flat.s()));
        return AttrValue(FunctionRef{std::move(s)});
      }
      case AttrKind::kTensor: {
        PERCALE_ASSIGN_OR_RETURN(Tensor t, tensor_at(flat.tensor()));
        return AttrValue(std::move(t));
      }
      case AttrKind::kFloats: {
        PERCALE_ASSIGN_OR_RETURN(std::vector<double> v, list(flat.floats()));
        return AttrValue(std::move(v));
      }
      case AttrKind::kInts: {
        PERCALE_ASSIGN_OR_RETURN(std::vector<int64_t> v, list(flat.ints()));
        return AttrValue(std::move(v));
      }
      case AttrKind::kStrings: {
        std::vector<std::string> v;
        PERCALE_RETURN_IF_ERROR(each(flat.strings(), "string", [&](const fb::Text& t, uint32_t) -> Status {
          PERCALE_ASSIGN_OR_RETURN(std::string s, text(t.value()));
          v.push_back(std::move(s));
          return {};
        }));
        return AttrValue(std::move(v));
      }
    }
    return invalid_argument(flat.kind(), " is not a kind of attribute");
  }

  Status read_attributes(const fb::Node& flat, Node& node) {
    std::string last;
    return each(flat.attributes(), "attribute", [&](const fb::Attribute& a, uint32_t i) -> Status {
      PERCALE_ASSIGN_OR_RETURN(std::string attr, name(a.name()));
      // Attributes must be sorted, so that each is appended at the end in constant time.
      if (i > 0 && attr <= last) return invalid_argument("'", attr, "' must come before '", last, "'");
      auto value = attribute_value(a);
      if (!value.ok()) return value.status().with_context(str_cat("'", attr, "'"));
      node.attributes.set(attr, std::move(value).value());
      last = std::move(attr);
      return {};
    });
  }

  Status read_node(const fb::Node& flat, Node& node) {
    if (flat.op() >= ops_.size()) {
      return invalid_argument("there is no op ", flat.op(), ", the file has ", u64(ops_.size()));
    }
    node.op = ops_[flat.op()];
    any_old_ = any_old_ || node.op == nullptr;
    ops_of_nodes_.back().push_back(flat.op());
    PERCALE_ASSIGN_OR_RETURN(node.inputs, list(flat.inputs()));
    PERCALE_ASSIGN_OR_RETURN(node.outputs, list(flat.outputs()));
    PERCALE_ASSIGN_OR_RETURN(node.control, list(flat.control()));
    PERCALE_ASSIGN_OR_RETURN(node.device, text(flat.device()));
    return read_attributes(flat, node);
  }

  Status read_value(const fb::Value& flat, Value& value) {
    PERCALE_ASSIGN_OR_RETURN(value.type.dtype, dtype(flat.dtype()));
    PERCALE_ASSIGN_OR_RETURN(value.type.shape, shape(flat.dims(), flat.unranked()));
    if (flat.kind() < 0 || flat.kind() > static_cast<int32_t>(ValueKind::kNode)) {
      return invalid_argument(flat.kind(), " is not a kind of value");
    }
    value.kind = static_cast<ValueKind>(flat.kind());
    value.def = flat.def();
    value.output = flat.output();
    return {};
  }

  Status read_function(const fb::Function& flat, Function& f) {
    PERCALE_RETURN_IF_ERROR(each(flat.values(), "value", [&](const fb::Value& v, uint32_t) -> Status {
      if (++num_values_ > options_.limits.nodes) return resource_exhausted("the limit is ", u64(options_.limits.nodes));
      PERCALE_ASSIGN_OR_RETURN(std::string value_name, name(v.name()));
      f.values.emplace_back().name = std::move(value_name);
      return read_value(v, f.values.back()).with_context(str_cat("'", f.values.back().name, "'"));
    }));
    PERCALE_ASSIGN_OR_RETURN(const std::vector<int32_t> constants, list(flat.constants()));
    for (size_t i = 0; i < constants.size(); ++i) {
      auto constant = tensor_at(constants[i]);
      if (!constant.ok()) return constant.status().with_context(str_cat("constant ", u64(i)));
      f.constants.push_back(std::move(constant).value());
    }
    PERCALE_RETURN_IF_ERROR(each(flat.nodes(), "node", [&](const fb::Node& n, uint32_t) -> Status {
      if (++num_nodes_ > options_.limits.nodes) return resource_exhausted("the limit is ", u64(options_.limits.nodes));
      PERCALE_ASSIGN_OR_RETURN(std::string node_name, name(n.name()));
      f.nodes.emplace_back().name = std::move(node_name);
      return read_node(n, f.nodes.back()).with_context(str_cat("'", f.nodes.back().name, "'"));
    }));
    PERCALE_ASSIGN_OR_RETURN(f.inputs, list(flat.inputs()));
    PERCALE_ASSIGN_OR_RETURN(f.outputs, list(flat.outputs()));
    return {};
  }

  Status read_functions(const FlatTables<fb::Function>* flat) {
    return each(flat, "function", [&](const fb::Function& f, uint32_t) -> Status {
      PERCALE_ASSIGN_OR_RETURN(std::string function_name, name(f.name()));
      graph_->functions.emplace_back().name = std::move(function_name);
      ops_of_nodes_.emplace_back();
      Function& out = graph_->functions.back();
      return read_function(f, out).with_context(str_cat("'", out.name, "'"));
    });
  }

  Status read_variables(const FlatTables<fb::Variable>* flat) {
    return each(flat, "variable", [&](const fb::Variable& v, uint32_t) -> Status {
      Variable out;
      PERCALE_ASSIGN_OR_RETURN(out.name, name(v.name()));
      PERCALE_ASSIGN_OR_RETURN(out.dtype, dtype(v.dtype()));
      PERCALE_ASSIGN_OR_RETURN(out.shape, shape(v.dims()));
      out.trainable = v.trainable();
      out.slot = v.slot();
      if (v.initial() != -1) {
        PERCALE_ASSIGN_OR_RETURN(out.initial, tensor_at(v.initial()));
      }
      graph_->variables.push_back(std::move(out));
      return {};
    });
  }

  Status read_metadata(const FlatTables<fb::Entry>* flat) {
    return each(flat, "metadata", [&](const fb::Entry& e, uint32_t) -> Status {
      PERCALE_ASSIGN_OR_RETURN(std::string key, text(e.key()));
      PERCALE_ASSIGN_OR_RETURN(std::string value, text(e.value()));
      if (!graph_->metadata.emplace(std::move(key), std::move(value)).second) {
        return invalid_argument("the key occurs twice");
      }
      return {};
    });
  }

  std::shared_ptr<Buffer> bytes_;
  const ReadOptions& options_;
  std::shared_ptr<Graph> graph_;
  FileHeader header_;
  uint64_t left_ = 0;      // bytes of the FlatBuffer not yet accounted for by spend()
  uint64_t data_end_ = 0;  // end of the tensors read so far
  size_t num_nodes_ = 0, num_values_ = 0;
  std::vector<const OpSchema*> ops_;  // null: an older version of the op
  std::vector<OpOfVersion> names_of_ops_;
  std::vector<std::vector<uint32_t>> ops_of_nodes_;  // per function and node
  bool any_old_ = false;                             // true if a node uses an older version
  std::vector<Tensor> tensors_;
};

std::shared_ptr<Buffer> aligned_copy(const Buffer& bytes) {
  auto copy = Buffer::allocate_uncounted(bytes.bytes());
  if (bytes.bytes() > 0) std::memcpy(copy->data(), bytes.data(), static_cast<size_t>(bytes.bytes()));
  return copy;
}

}  // namespace

Result<std::shared_ptr<const Graph>> read_graph(std::shared_ptr<const Registry> registry, std::shared_ptr<Buffer> bytes,
                                                const ReadOptions& options) {
  if (reinterpret_cast<uintptr_t>(bytes->data()) % static_cast<uintptr_t>(kAlignment) != 0)
    bytes = aligned_copy(*bytes);
  return Reader(std::move(registry), std::move(bytes), options).run();
}

Result<std::shared_ptr<const Graph>> read_graph_file(std::shared_ptr<const Registry> registry, const std::string& path,
                                                     const ReadOptions& options) {
  PERCALE_ASSIGN_OR_RETURN(auto bytes, load_file(path, options.memory));
  auto graph = read_graph(std::move(registry), std::move(bytes), options);
  if (!graph.ok()) return graph.status().with_context(path);
  return graph;
}

}  // namespace percale
