#include "bindings/onnx/proto/proto.h"

#include "bindings/onnx/proto/wire.h"

namespace percale_onnx {
namespace {

// More than any op has. Limits the time of code that compares each attribute with each.
constexpr size_t kMaxAttributes = 256;

Status no_message(std::string_view what) { return bad("the bytes are not a valid ", what); }

Status parse_opset(std::string_view bytes, Opsets* out) {
  Message message(bytes);
  std::string_view domain;
  int64_t version = 0;
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::kBytes)) domain = field.bytes;
    if (field.is(2, Wire::kVarint)) version = field.integer();
  }
  if (!message.ok()) return no_message("OperatorSetIdProto");
  if (version < 1 || version > INT32_MAX) return bad("opset ", version, " of domain ", quoted(domain));
  (*out)[std::string(plain_domain(domain))] = version;
  return {};
}

Status parse_property(std::string_view bytes, std::map<std::string_view, std::string_view>* out) {
  Message message(bytes);
  std::string_view key, value;
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::kBytes)) key = field.bytes;
    if (field.is(2, Wire::kBytes)) value = field.bytes;
  }
  if (!message.ok()) return no_message("StringStringEntryProto");
  (*out)[key] = value;
  return {};
}

Status parse(std::string_view bytes, FunctionProto* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.wire != Wire::kBytes) continue;
    switch (field.number) {
      case 1: out->name = field.bytes; break;
      case 4: out->inputs.push_back(field.bytes); break;
      case 5: out->outputs.push_back(field.bytes); break;
      case 6: out->attributes.push_back(field.bytes); break;
      case 7: out->nodes.push_back(field.bytes); break;
      case 9: ONNX_TRY(parse_opset(field.bytes, &out->opsets)); break;
      case 10: out->domain = plain_domain(field.bytes); break;
      case 11: out->attribute_defaults.push_back(field.bytes); break;
      default: break;
    }
  }
  if (!message.ok()) return no_message("FunctionProto");
  if (out->name.empty()) return bad("a function has no name");
  return {};
}

Status parse_dims(std::string_view bytes, ValueInfo* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (!field.is(1, Wire::kBytes)) continue;
    int64_t value = -1;
    std::string_view name;
    Message dim(field.bytes);
    for (Field f; dim.next(f);) {
      if (f.is(1, Wire::kVarint)) value = f.integer();
      if (f.is(2, Wire::kBytes)) name = f.bytes;
    }
    if (!dim.ok()) return no_message("Dimension");
    // Exporters write 0 and -1 for dims that they do not know. A feed may still have an empty dim.
    out->dims->push_back(value <= 0 ? -1 : value);
    out->dim_names.push_back(value <= 0 ? name : std::string_view());
  }
  return message.ok() ? Status() : no_message("TensorShapeProto");
}

Status parse_tensor_type(std::string_view bytes, ValueInfo* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::kVarint)) {
      const int64_t dtype = field.integer();
      if (dtype < 0 || dtype > PERCALE_DTYPE_I2) return bad(dtype, " is not an element type");
      out->dtype = static_cast<percale_dtype>(dtype);
    }
    if (field.is(2, Wire::kBytes)) {
      out->dims.emplace();
      out->dim_names.clear();
      ONNX_TRY(parse_dims(field.bytes, out));
    }
  }
  return message.ok() ? Status() : no_message("TypeProto.Tensor");
}

Status parse_type(std::string_view bytes, ValueInfo* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.wire != Wire::kBytes) continue;
    switch (field.number) {
      case 1: ONNX_TRY(parse_tensor_type(field.bytes, out)); break;
      case 4: out->kind = "sequence"; break;
      case 5: out->kind = "map"; break;
      case 7: out->kind = "opaque"; break;
      case 8: out->kind = "sparse tensor"; break;
      case 9: out->kind = "optional"; break;
      default: break;
    }
  }
  return message.ok() ? Status() : no_message("TypeProto");
}

// Derives the type of an attribute from its value, for files older than the field `type`.
AttributeType guessed_type(const AttributeProto& a, bool has_f, bool has_i) {
  if (has_f) return AttributeType::kFloat;
  if (has_i) return AttributeType::kInt;
  if (a.tensor.data() != nullptr) return AttributeType::kTensor;
  if (a.graph.data() != nullptr) return AttributeType::kGraph;
  if (!a.floats.empty()) return AttributeType::kFloats;
  if (!a.ints.empty()) return AttributeType::kInts;
  if (!a.strings.empty()) return AttributeType::kStrings;
  return a.s.data() != nullptr ? AttributeType::kString : AttributeType::kUndefined;
}

}  // namespace

std::string_view plain_domain(std::string_view domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

Status parse(std::string_view bytes, ModelProto* out) {
  // All fields are read first, so that the message about bytes of another format is not about an
  // inner message.
  Message whole(bytes);
  for (Field field; whole.next(field);) {
    if (field.is(1, Wire::kVarint)) out->ir_version = field.integer();
    if (field.is(2, Wire::kBytes)) out->producer = field.bytes;
    if (field.is(7, Wire::kBytes)) out->graph = field.bytes;
  }
  if (!whole.ok()) return bad("the bytes are not an ONNX model (ModelProto)");
  if (out->graph.data() == nullptr) return bad("the bytes are not an ONNX model: they contain no graph");
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.is(8, Wire::kBytes)) ONNX_TRY(parse_opset(field.bytes, &out->opsets));
    if (field.is(14, Wire::kBytes)) ONNX_TRY(parse_property(field.bytes, &out->metadata));
    if (field.is(25, Wire::kBytes)) ONNX_TRY(parse(field.bytes, &out->functions.emplace_back()));
  }
  return {};
}

Status parse(std::string_view bytes, GraphProto* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.wire != Wire::kBytes) continue;
    switch (field.number) {
      case 1: out->nodes.push_back(field.bytes); break;
      case 2: out->name = field.bytes; break;
      case 5: out->initializers.push_back(field.bytes); break;
      case 11: out->inputs.push_back(field.bytes); break;
      case 12: out->outputs.push_back(field.bytes); break;
      case 15: out->has_sparse = true; break;
      default: break;
    }
  }
  return message.ok() ? Status() : no_message("GraphProto");
}

Status parse(std::string_view bytes, ValueInfo* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::kBytes)) out->name = field.bytes;
    if (field.is(2, Wire::kBytes)) ONNX_TRY(parse_type(field.bytes, out).within(text("value ", quoted(out->name))));
  }
  if (!message.ok()) return no_message("ValueInfoProto");
  return out->name.empty() ? bad("an input or output has no name") : Status();
}

Status parse(std::string_view bytes, AttributeProto* out) {
  Message message(bytes);
  bool has_f = false, has_i = false, numbers = true;
  for (Field field; message.next(field) && numbers;) {
    switch (field.number) {
      case 2:
        has_f = field.wire == Wire::kFixed32;
        out->f = static_cast<double>(field.real());
        break;
      case 3:
        has_i = field.wire == Wire::kVarint;
        out->i = field.integer();
        break;
      case 7: numbers = append_floats(field, out->floats); break;
      case 8: numbers = append_integers(field, out->ints); break;
      case 20: out->type = static_cast<AttributeType>(static_cast<int32_t>(field.bits)); break;
      default: break;
    }
    if (field.wire != Wire::kBytes) continue;
    switch (field.number) {
      case 1: out->name = field.bytes; break;
      case 4: out->s = field.bytes; break;
      case 5: out->tensor = field.bytes; break;
      case 6: out->graph = field.bytes; break;
      case 9: out->strings.push_back(field.bytes); break;
      case 21: out->reference = field.bytes; break;
      default: break;
    }
  }
  if (!message.ok() || !numbers) return no_message("AttributeProto");
  if (out->name.empty()) return bad("an attribute has no name");
  if (out->type == AttributeType::kUndefined) out->type = guessed_type(*out, has_f, has_i);
  return {};
}

Status parse(std::string_view bytes, NodeProto* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.wire != Wire::kBytes) continue;
    switch (field.number) {
      case 1: out->inputs.push_back(field.bytes); break;
      case 2: out->outputs.push_back(field.bytes); break;
      case 3: out->name = field.bytes; break;
      case 4: out->op = field.bytes; break;
      case 5:
        if (out->attributes.size() == kMaxAttributes)
          return bad("a node has more than ", uint64_t{kMaxAttributes}, " attributes");
        ONNX_TRY(parse(field.bytes, &out->attributes.emplace_back()));
        break;
      case 7: out->domain = plain_domain(field.bytes); break;
      default: break;
    }
  }
  return message.ok() ? Status() : no_message("NodeProto");
}

Status parse(std::string_view bytes, NodeOutline* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.wire != Wire::kBytes) continue;
    switch (field.number) {
      case 1: out->inputs.push_back(field.bytes); break;
      case 2: out->outputs.push_back(field.bytes); break;
      case 4: out->op = field.bytes; break;
      case 5: {
        Message attribute(field.bytes);
        for (Field f; attribute.next(f);) {
          if (f.is(6, Wire::kBytes)) out->graphs.push_back(f.bytes);
        }
        if (!attribute.ok()) return no_message("AttributeProto");
        break;
      }
      case 7: out->domain = plain_domain(field.bytes); break;
      default: break;
    }
  }
  if (!message.ok()) return no_message("NodeProto");
  return out->op.empty() ? bad("a node has no op") : Status();
}

Status parse_name(std::string_view bytes, uint32_t number, std::string_view* out) {
  Message message(bytes);
  for (Field field; message.next(field);) {
    if (field.is(number, Wire::kBytes)) *out = field.bytes;
  }
  return message.ok() ? Status() : no_message("TensorProto or ValueInfoProto");
}

Status add_initializer_names(const GraphProto& graph, std::unordered_set<std::string_view>* out) {
  for (std::string_view bytes : graph.initializers) {
    std::string_view name;
    ONNX_TRY(parse_name(bytes, kTensorName, &name));
    out->insert(name);
  }
  return {};
}

}  // namespace percale_onnx
