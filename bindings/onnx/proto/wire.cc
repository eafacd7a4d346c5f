#include "bindings/onnx/proto/wire.h"

#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

// The asserts are not needed, because the wire type is checked before each value is read.
#define protozero_assert(x) static_cast<void>(0)
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

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

void MessageWriter::integer(uint32_t field, int64_t value) { protozero::pbf_writer(tail_).add_int64(field, value); }

void MessageWriter::real(uint32_t field, float value) { protozero::pbf_writer(tail_).add_float(field, value); }

void MessageWriter::bytes(uint32_t field, std::string_view value) {
  protozero::pbf_writer(tail_).add_bytes(field, value.data(), value.size());
}

void MessageWriter::begin_bytes(uint32_t field, uint64_t size) {
  constexpr uint32_t kLengthDelimited = 2;
  protozero::write_varint(std::back_inserter(tail_), uint64_t{field} << 3 | kLengthDelimited);
  protozero::write_varint(std::back_inserter(tail_), size);
}

void MessageWriter::end_piece(std::string_view lent) {
  size_ += tail_.size() + lent.size();
  pieces_.push_back({std::exchange(tail_, {}), lent});
}

void MessageWriter::lent_bytes(uint32_t field, std::string_view value) {
  begin_bytes(field, value.size());
  end_piece(value);
}

void MessageWriter::message(uint32_t field, MessageWriter inner) {
  begin_bytes(field, inner.size());
  if (!inner.pieces_.empty()) {
    end_piece({});
    for (Piece& piece : inner.pieces_) pieces_.push_back(std::move(piece));
    size_ += inner.size_;
  }
  tail_ += inner.tail_;
}

void MessageWriter::write(const std::function<void(std::string_view)>& to) const {
  for (const Piece& piece : pieces_) {
    if (!piece.own.empty()) to(piece.own);
    if (!piece.lent.empty()) to(piece.lent);
  }
  if (!tail_.empty()) to(tail_);
}

}  // namespace percale_onnx
