#include "bindings/onnx/host.h"

namespace percale_onnx {

Status Status::within(std::string_view context) const {
  return ok() ? Status() : Status(code_, text(context, ": ", message_));
}

bool is_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t more = lead < 0x80                   ? 0
                        : lead >= 0xC2 && lead < 0xE0 ? 1
                        : lead >= 0xE0 && lead < 0xF0 ? 2
                        : lead >= 0xF0 && lead < 0xF5 ? 3
                                                      : 4;
    if (more > 3 || i + more >= text.size()) return false;
    uint32_t code = more == 0 ? lead : lead & (0x3Fu >> more);
    for (size_t k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3Fu);
    }
    // Too long a form of a smaller number, half of a pair, or beyond the last.
    if ((more == 2 && code < 0x800) || (more == 3 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code < 0xE000)) {
      return false;
    }
    i += more + 1;
  }
  return true;
}

std::string quoted(std::string_view name) {
  size_t most = 120;
  const bool whole = name.size() <= most, readable = is_utf8(name);
  // Not within a character.
  while (!whole && readable && (static_cast<unsigned char>(name[most]) & 0xC0) == 0x80) --most;
  std::string out = "'";
  for (char c : name.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !readable) ? '?' : c;
  }
  return out + (whole ? "'" : "...'");
}

Status Host::take(percale_status* status) const {
  if (status == nullptr) return {};
  size_t size = 0;
  const char* message = api_->status->message(status, &size);
  Status out(api_->status->code(status), std::string(message, size));
  api_->status->release(status);
  return out;
}

Status Host::make_tensor(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank,
                         TensorPtr* out) const {
  percale_tensor* made = nullptr;
  ONNX_TRY(take(api_->tensor->create(engine, dtype, dims, rank, &made)));
  *out = TensorPtr(made, TensorRelease{api_});
  return {};
}

}  // namespace percale_onnx
