#include "c_api/host/attributes.h"

#include <iterator>

#include "c_api/api.h"
#include "c_api/host/tables.h"

namespace percale::c_api {
namespace {

const Attributes& to_core(const percale_attributes* attributes) {
  return *reinterpret_cast<const Attributes*>(attributes);
}

// Null if the attribute is absent or has another type.
template <class T>
const T* find(const percale_attributes* attributes, const char* name) {
  const AttrValue* value = to_core(attributes).find(text_or_empty(name));
  return value == nullptr ? nullptr : value->get_if<T>();
}

template <class T>
int32_t get_number(const percale_attributes* attributes, const char* name, T* out) {
  const T* value = find<T>(attributes, name);
  if (value != nullptr) *out = *value;
  return value != nullptr;
}

template <class T>
int32_t get_list(const percale_attributes* attributes, const char* name, const T** out, size_t* out_count) {
  const auto* values = find<std::vector<T>>(attributes, name);
  if (values == nullptr) return 0;
  *out = values->data();
  *out_count = values->size();
  return 1;
}

int32_t get_string(const percale_attributes* attributes, const char* name, const char** out, size_t* out_size) {
  const std::string* value = find<std::string>(attributes, name);
  if (value == nullptr) return 0;
  *out = value->c_str();
  if (out_size != nullptr) *out_size = value->size();
  return 1;
}

const char* get_string_at(const percale_attributes* attributes, const char* name, size_t index, size_t* out_size) {
  const auto* values = find<std::vector<std::string>>(attributes, name);
  if (values == nullptr || index >= values->size()) return nullptr;
  if (out_size != nullptr) *out_size = (*values)[index].size();
  return (*values)[index].c_str();
}

void set_text(const std::string& text, percale_attribute& out) {
  out.text = text.c_str();
  out.text_size = text.size();
}

// The names and texts live in the attributes.
void fill(const std::string& name, const AttrValue& value, percale_attribute* out) {
  *out = {};
  out->name = name.c_str();
  out->kind = static_cast<percale_attribute_kind>(value.kind());
  if (const auto* f = value.get_if<double>()) out->f = *f;
  if (const auto* i = value.get_if<int64_t>()) out->i = *i;
  if (const auto* text = value.get_if<std::string>()) set_text(*text, *out);
  if (const auto* function = value.get_if<FunctionRef>()) set_text(function->name, *out);
  if (const auto* tensor = value.get_if<Tensor>()) set_tensor(*tensor, *out);
  if (const auto* floats = value.get_if<std::vector<double>>()) {
    out->floats = floats->data();
    out->count = floats->size();
  }
  if (const auto* ints = value.get_if<std::vector<int64_t>>()) {
    out->ints = ints->data();
    out->count = ints->size();
  }
  if (const auto* texts = value.get_if<std::vector<std::string>>()) out->count = texts->size();
}

size_t count_of(const percale_attributes* attributes) { return to_core(attributes).size(); }

int32_t at(const percale_attributes* attributes, size_t index, percale_attribute* out) {
  if (index >= count_of(attributes)) return 0;
  const auto entry = std::next(to_core(attributes).begin(), static_cast<ptrdiff_t>(index));
  fill(entry->first, entry->second, out);
  return 1;
}

int32_t get(const percale_attributes* attributes, const char* name, percale_attribute* out) {
  for (const auto& [key, value] : to_core(attributes)) {
    if (key != text_or_empty(name)) continue;
    fill(key, value, out);
    return 1;
  }
  return 0;
}

Result<AttrValue> value_of(const percale_attribute& a) {
  const auto lacks = [&a](const void* list) { return list == nullptr && a.count > 0; };
  switch (a.kind) {
    case PERCALE_ATTRIBUTE_FLOAT: return AttrValue(a.f);
    case PERCALE_ATTRIBUTE_INT: return AttrValue(a.i);
    case PERCALE_ATTRIBUTE_STRING:
      if (a.text == nullptr) break;
      return AttrValue(std::string(text_of(a.text, a.text_size)));
    case PERCALE_ATTRIBUTE_FLOATS:
      if (lacks(a.floats)) break;
      return AttrValue(std::vector<double>(a.floats, a.floats + a.count));
    case PERCALE_ATTRIBUTE_INTS:
      if (lacks(a.ints)) break;
      return AttrValue(std::vector<int64_t>(a.ints, a.ints + a.count));
    case PERCALE_ATTRIBUTE_STRINGS: {
      if (lacks(a.strings)) break;
      std::vector<std::string> texts;
      for (size_t i = 0; i < a.count; ++i) texts.emplace_back(text_or_empty(a.strings[i]));
      return AttrValue(std::move(texts));
    }
    default: return invalid_argument("attribute '", a.name, "': the kind ", a.kind, " cannot be given");
  }
  return invalid_argument("attribute '", a.name, "' has no value");
}

}  // namespace

Result<Attributes> attributes_of(const percale_attribute* attributes, size_t count) {
  if (attributes == nullptr && count > 0) return invalid_argument("'attributes' is NULL");
  Attributes out;
  for (size_t i = 0; i < count; ++i) {
    if (attributes[i].name == nullptr) return invalid_argument("an attribute has no name");
    PERCALE_ASSIGN_OR_RETURN(AttrValue value, value_of(attributes[i]));
    out.set(attributes[i].name, std::move(value));
  }
  return out;
}

constinit const percale_host_attributes_api kHostAttributes = {
    .struct_size = sizeof(percale_host_attributes_api),
    .get_int = get_number<int64_t>,
    .get_float = get_number<double>,
    .get_string = get_string,
    .get_ints = get_list<int64_t>,
    .get_floats = get_list<double>,
    .get_string_at = get_string_at,
    .get = get,
    .count = count_of,
    .at = at,
};

}  // namespace percale::c_api
