#include "core/system/windows/wide_text.h"

#include <windows.h>

#include <algorithm>

namespace percale::os {

std::wstring wide_text(const std::string& utf8) {
  const int bytes = static_cast<int>(utf8.size());
  const int size = MultiByteToWideChar(CP_UTF8, 0, utf8.data(), bytes, nullptr, 0);
  std::wstring out(static_cast<size_t>(size), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), bytes, out.data(), size);
  return out;
}

std::string utf8_text(const std::wstring& wide) {
  const int units = static_cast<int>(wide.size());
  const int size = WideCharToMultiByte(CP_UTF8, 0, wide.data(), units, nullptr, 0, nullptr, nullptr);
  std::string out(static_cast<size_t>(size), '\0');
  WideCharToMultiByte(CP_UTF8, 0, wide.data(), units, out.data(), size, nullptr, nullptr);
  return out;
}

std::string utf8_path(const std::wstring& wide) {
  std::string out = utf8_text(wide);
  std::replace(out.begin(), out.end(), '\\', '/');
  return out;
}

}  // namespace percale::os
