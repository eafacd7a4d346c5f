// Handles of Windows as those of core/system/file.h.
#ifndef PERCALE_CORE_SYSTEM_WINDOWS_HANDLE_H_
#define PERCALE_CORE_SYSTEM_WINDOWS_HANDLE_H_

#include <windows.h>

#include <string>

#include "core/system/file.h"
#include "core/system/windows/wide_text.h"

namespace percale::os {

// As on other systems, an open file may be renamed and removed.
inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

inline HANDLE handle_of(FileHandle file) { return reinterpret_cast<HANDLE>(file); }
inline FileHandle file_from(HANDLE handle) { return reinterpret_cast<FileHandle>(handle); }

// INVALID_HANDLE_VALUE, which is kNoFile, on failure. Child processes do not inherit the handle.
inline HANDLE open_handle(const std::string& path, DWORD access, DWORD share, DWORD disposition, DWORD flags) {
  return CreateFileW(wide_text(path).c_str(), access, share, nullptr, disposition, flags, nullptr);
}

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_WINDOWS_HANDLE_H_
