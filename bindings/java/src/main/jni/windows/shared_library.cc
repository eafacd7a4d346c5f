#include "shared_library.h"

#include <windows.h>

#include <cstdio>
#include <iterator>

namespace percale::jni {
namespace {

void describe(DWORD error, const char* name, char* out_reason, size_t capacity) {
  char text[256] = "";
  constexpr DWORD kFlags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
  FormatMessageA(kFlags, nullptr, error, 0, text, static_cast<DWORD>(std::size(text)), nullptr);
  std::snprintf(out_reason, capacity, "%s: error %lu: %s", name, error, text);
}

}  // namespace

// A path is made absolute, so that the system also finds the libraries beside the file. A name
// without a folder is searched by the system.
void* open_shared(const char* name, char* out_reason, size_t capacity) {
  constexpr DWORD kLongest = 32768;
  wchar_t given[kLongest], whole[kLongest];
  if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, name, -1, given, kLongest) == 0) {
    std::snprintf(out_reason, capacity, "%s: its name is no UTF-8 or too long", name);
    return nullptr;
  }
  bool is_path = false;
  for (wchar_t* at = given; *at != L'\0'; ++at) {
    if (*at == L'/') *at = L'\\';
    is_path |= *at == L'\\';
  }
  HMODULE library = nullptr;
  if (!is_path) {
    library = LoadLibraryW(given);
  } else if (const DWORD size = GetFullPathNameW(given, kLongest, whole, nullptr); size > 0 && size < kLongest) {
    library = LoadLibraryExW(whole, nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  }
  if (library == nullptr) describe(GetLastError(), name, out_reason, capacity);
  return library;
}

void* find_shared(void* library, const char* function) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), function));
}

}  // namespace percale::jni
