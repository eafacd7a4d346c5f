#include "core/system/library.h"

#include <windows.h>

#include "core/system/windows/wide_text.h"

namespace percale::os {
namespace {

HMODULE module_of(const void* address, DWORD flags) {
  HMODULE out = nullptr;
  const auto* at = static_cast<const wchar_t*>(address);
  return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | flags, at, &out) != 0 ? out : nullptr;
}

std::string text_of(DWORD error) {
  wchar_t text[256] = L"";
  const DWORD size = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0, text,
                                    static_cast<DWORD>(std::size(text)), nullptr);
  std::string out = utf8_text(std::wstring(text, size));
  while (!out.empty() && (out.back() == '\n' || out.back() == '\r' || out.back() == '.')) out.pop_back();
  return out.empty() ? "error " + std::to_string(error) : out;
}

}  // namespace

// Libraries that the plug-in needs are searched beside it, too.
void* open_library(const std::string& path, std::string* out_reason) {
  std::wstring name = wide_text(path);
  for (wchar_t& c : name) c = c == L'/' ? L'\\' : c;
  wchar_t whole[32768] = L"";
  const DWORD size = GetFullPathNameW(name.c_str(), static_cast<DWORD>(std::size(whole)), whole, nullptr);
  if (size > 0 && size < std::size(whole)) name = whole;
  constexpr DWORD kFlags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS;
  const HMODULE library = LoadLibraryExW(name.c_str(), nullptr, kFlags);
  if (library == nullptr) *out_reason = path + ": " + text_of(GetLastError());
  return library;
}

void* find_symbol(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

std::string file_of(const void* address) {
  const HMODULE module = module_of(address, GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT);
  if (module == nullptr) return {};
  std::wstring out(32768, L'\0');
  out.resize(GetModuleFileNameW(module, out.data(), static_cast<DWORD>(out.size())));
  return utf8_path(out);
}

void keep_loaded(const void* address) { module_of(address, GET_MODULE_HANDLE_EX_FLAG_PIN); }

std::string_view library_prefix() { return ""; }
std::string_view library_suffix() { return ".dll"; }

}  // namespace percale::os
