// Loading shared libraries.
#ifndef PERCALE_CORE_SYSTEM_LIBRARY_H_
#define PERCALE_CORE_SYSTEM_LIBRARY_H_

#include <string>
#include <string_view>

namespace percale::os {

// Loads the library at `path` for good. Null on failure, with the reason.
void* open_library(const std::string& path, std::string* out_reason);
// Null if the library exports no such symbol.
void* find_symbol(void* library, const char* name);
// The file of the library or program that holds `address`; empty if the system does not tell. The
// separators of the path are '/'.
std::string file_of(const void* address);
// Keeps the library at `address` loaded until the process ends.
void keep_loaded(const void* address);

// The beginning and the end of a library's name: "lib" and ".so".
std::string_view library_prefix();
std::string_view library_suffix();

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_LIBRARY_H_
