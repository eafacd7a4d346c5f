// Says what a library was built for, for the message about one that the system refuses to load.
#ifndef PERCALE_CORE_FILE_LIBRARY_PLATFORM_H_
#define PERCALE_CORE_FILE_LIBRARY_PLATFORM_H_

#include <string>
#include <string_view>

namespace percale {

// Returns the system, the processor and, if the bytes name one, the C library that a library or
// program is for: "Linux on arm64 with musl". Empty for files of another form than ELF, PE and
// Mach-O.
std::string library_platform(std::string_view bytes);

// Returns "it is for <platform>, and this process runs on <platform>" if the file at `path` is for
// another platform than `own`, a file that is loaded already. Empty otherwise, and if one of them
// cannot be read.
std::string other_platform(const std::string& path, const std::string& own);

}  // namespace percale

#endif  // PERCALE_CORE_FILE_LIBRARY_PLATFORM_H_
