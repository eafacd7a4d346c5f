#include "c_api/api.h"

struct percale_text {
  std::string text;
};

namespace percale::c_api {

percale_text* make_text(std::string text) { return new percale_text{std::move(text)}; }

}  // namespace percale::c_api

const char* percale_text_data(const percale_text* text, size_t* out_size) {
  if (out_size != nullptr) *out_size = text == nullptr ? 0 : text->text.size();
  return text == nullptr ? "" : text->text.c_str();
}

void percale_text_release(percale_text* text) { delete text; }
