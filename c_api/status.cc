#include "c_api/api.h"

namespace {

bool is_out_of_memory(const percale_status* status) { return status == percale::out_of_memory_c_status(); }

const char* with_size(std::string_view text, size_t* out_size) {
  if (out_size != nullptr) *out_size = text.size();
  return text.data();  // literals and strings: NUL-ended
}

}  // namespace

percale_code percale_status_code(const percale_status* status) {
  if (status == nullptr) return PERCALE_OK;
  return is_out_of_memory(status) ? PERCALE_RESOURCE_EXHAUSTED : static_cast<percale_code>(status->status.code());
}

const char* percale_status_message(const percale_status* status, size_t* out_size) {
  if (status == nullptr) return with_size("", out_size);
  return with_size(is_out_of_memory(status) ? std::string_view("out of memory") : status->status.message(), out_size);
}

const char* percale_code_name(percale_code code) { return percale::code_name(static_cast<percale::Code>(code)).data(); }

const char* percale_dtype_name(percale_dtype dtype) {
  const auto known = percale::is_valid_dtype(dtype) ? static_cast<percale::DType>(dtype) : percale::DType::kInvalid;
  return percale::dtype_name(known).data();  // literals: NUL-ended
}

percale_status* percale_status_create(percale_code code, const char* message, size_t size) {
  if (code == PERCALE_OK) return nullptr;
  return percale::catch_to_c([&] {
    return percale::Status(static_cast<percale::Code>(code),
                           std::string(message == nullptr ? "" : percale::c_api::text_of(message, size)));
  });
}

percale_status* percale_status_retain(percale_status* status) { return percale::retain_c_status(status); }

void percale_status_release(percale_status* status) { percale::release_c_status(status); }

int64_t percale_status_live_count(void) { return percale::live_c_statuses(); }
