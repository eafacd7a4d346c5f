// Paths for Windows' functions, which take UTF-16.
#ifndef PERCALE_CORE_SYSTEM_WINDOWS_WIDE_TEXT_H_
#define PERCALE_CORE_SYSTEM_WINDOWS_WIDE_TEXT_H_

#include <string>

namespace percale::os {

std::wstring wide_text(const std::string& utf8);
std::string utf8_text(const std::wstring& wide);
// The same, with '/' for each '\'.
std::string utf8_path(const std::wstring& wide);

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_WINDOWS_WIDE_TEXT_H_
