#include "core/system/library.h"

#include <dlfcn.h>

namespace percale::os {

void* open_library(const std::string& path, std::string* out_reason) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = dlerror();
    *out_reason = reason == nullptr ? "cannot be opened" : reason;
  }
  return library;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

std::string file_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

// Opening a file that is open already gives the same library; a program that has the library linked
// in needs none of this.
void keep_loaded(const void* address) {
  const std::string file = file_of(address);
  if (file.empty()) return;
  if (void* self = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE); self != nullptr) dlclose(self);
}

std::string_view library_prefix() { return "lib"; }

}  // namespace percale::os
