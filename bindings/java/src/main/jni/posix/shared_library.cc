#include "shared_library.h"

#include <dlfcn.h>

#include <cstdio>

namespace percale::jni {

void* open_shared(const char* name, char* out_reason, size_t capacity) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::snprintf(out_reason, capacity, "%s", dlerror());
  return library;
}

void* find_shared(void* library, const char* function) { return dlsym(library, function); }

}  // namespace percale::jni
