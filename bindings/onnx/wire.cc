#include "bindings/onnx/wire.h"

#include <bit>
#include <cstring>

// The wire type is looked at before a value is asked for.
#define protozero_assert(x) static_cast<void>(0)
#include <protozero/pbf_reader.hpp>

namespace percale_onnx {

float Field::real() const { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

bool Message::next(Field& field) {
  if (!ok_ || at_ == end_) return false;
  try {
    protozero::pbf_reader reader(at_, static_cast<size_t>(end_ - at_));
    if (!reader.next()) return false;
    field.number = reader.tag();
    field.bits = 0;
    field.bytes = {};
    switch (reader.wire_type()) {
      case protozero::pbf_wire_type::varint:
        field.wire = Wire::kVarint;
        field.bits = reader.get_uint64();
        break;
      case protozero::pbf_wire_type::fixed64:
        field.wire = Wire::kFixed64;
        field.bits = reader.get_fixed64();
        break;
      case protozero::pbf_wire_type::length_delimited: {
        field.wire = Wire::kBytes;
        const protozero::data_view view = reader.get_view();
        field.bytes = {view.data(), view.size()};
        break;
      }
      case protozero::pbf_wire_type::fixed32:
        field.wire = Wire::kFixed32;
        field.bits = reader.get_fixed32();
        break;
      default: ok_ = false; return false;
    }
    at_ = reader.data().data();
    return true;
  } catch (const protozero::exception&) {
    ok_ = false;
    return false;
  }
}

bool Varints::next(uint64_t& value) {
  if (!ok_ || at_ == end_) return false;
  try {
    value = protozero::decode_varint(&at_, end_);
    return true;
  } catch (const protozero::exception&) {
    ok_ = false;
    return false;
  }
}

bool append_integers(const Field& field, std::vector<int64_t>& out) {
  if (field.wire == Wire::kVarint) {
    out.push_back(field.integer());
    return true;
  }
  if (field.wire != Wire::kBytes) return false;
  Varints numbers(field.bytes);
  for (uint64_t value = 0; numbers.next(value);) out.push_back(static_cast<int64_t>(value));
  return numbers.ok();
}

bool append_floats(const Field& field, std::vector<double>& out) {
  if (field.wire == Wire::kFixed32) {
    out.push_back(static_cast<double>(field.real()));
    return true;
  }
  if (field.wire != Wire::kBytes || field.bytes.size() % sizeof(float) != 0) return false;
  for (size_t at = 0; at < field.bytes.size(); at += sizeof(float)) {
    float value = 0;
    std::memcpy(&value, field.bytes.data() + at, sizeof value);
    out.push_back(static_cast<double>(value));
  }
  return true;
}

}  // namespace percale_onnx
