#include "bindings/onnx/host.h"

namespace percale_onnx {

Status Status::within(std::string_view context) const {
  return ok() ? Status() : Status(code_, text(context, ": ", message_));
}

std::string quoted(std::string_view name) {
  constexpr size_t kMost = 120;
  std::string out = "'";
  for (char c : name.substr(0, kMost)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out + (name.size() > kMost ? "...'" : "'");
}

Status Host::take(percale_status* status) const {
  if (status == nullptr) return {};
  size_t size = 0;
  const char* message = api_->status_message(status, &size);
  Status out(api_->status_code(status), std::string(message, size));
  api_->status_release(status);
  return out;
}

percale_status* Host::give(const Status& status) const {
  return status.ok() ? nullptr : api_->status_create(status.code(), status.message().data(), status.message().size());
}

Status Host::make_tensor(percale_engine* engine, percale_dtype dtype, const int64_t* dims, size_t rank,
                         TensorPtr* out) const {
  percale_tensor* made = nullptr;
  ONNX_TRY(take(api_->tensor_create(engine, dtype, dims, rank, &made)));
  *out = TensorPtr(made, TensorRelease{api_});
  return {};
}

}  // namespace percale_onnx
