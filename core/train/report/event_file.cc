#include "core/train/report/event_file.h"

#include <bit>
#include <cstring>

#include "core/base/status.h"
#include "core/file/crc32c.h"

namespace percale {
namespace {

// Protocol buffers: a field is its number and wire type in one varint, then the value.
enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

void add_varint(std::string& out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) out.push_back(static_cast<char>(v | 0x80));
  out.push_back(static_cast<char>(v));
}

template <class T>
void add_little_endian(std::string& out, T v) {
  for (size_t i = 0; i < sizeof v; ++i) out.push_back(static_cast<char>(v >> (8 * i)));
}

void add_key(std::string& out, uint64_t field, WireType type) { add_varint(out, field << 3 | type); }

void add_bytes(std::string& out, uint64_t field, std::string_view bytes) {
  add_key(out, field, kBytes);
  add_varint(out, bytes.size());
  out += bytes;
}

// Event: wall_time = 1, step = 2, file_version = 3, summary = 5.
std::string event(double wall_time, int64_t step) {
  std::string out;
  add_key(out, 1, kFixed64);
  add_little_endian(out, std::bit_cast<uint64_t>(wall_time));
  if (step != 0) {
    add_key(out, 2, kVarint);
    add_varint(out, static_cast<uint64_t>(step));
  }
  return out;
}

// Summary: value = 1; Summary.Value: tag = 1, simple_value = 2.
void add_scalar(std::string& summary, std::string_view tag, double value) {
  std::string out;
  add_bytes(out, 1, tag);
  add_key(out, 2, kFixed32);
  add_little_endian(out, std::bit_cast<uint32_t>(static_cast<float>(value)));
  add_bytes(summary, 1, out);
}

// Returns a masked checksum, which may itself be part of checksummed data.
uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8U;
}

void add_record(std::string& out, std::string_view record) {
  std::string size;
  add_little_endian(size, static_cast<uint64_t>(record.size()));
  out += size;
  add_little_endian(out, masked_crc(size));
  out += record;
  add_little_endian(out, masked_crc(record));
}

}  // namespace

std::string event_file(const History& history, double started) {
  std::string out, first = event(started, 0);
  add_bytes(first, 3, "brain.Event:2");
  add_record(out, first);
  for (const History::Row& row : history.rows) {
    std::string summary, record = event(started + row.seconds, row.step);
    add_scalar(summary, "loss", row.loss);
    add_scalar(summary, "learning_rate", row.learning_rate);
    for (size_t i = 0; i < row.metrics.size(); ++i) add_scalar(summary, history.metric_names[i], row.metrics[i]);
    add_bytes(record, 5, summary);
    add_record(out, record);
  }
  return out;
}

}  // namespace percale
