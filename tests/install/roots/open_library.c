/* Opens the library at the path that is its argument, makes an engine, and prints the version. */
#include <stdio.h>

#include "percale.h"

#ifdef _WIN32
#include <windows.h>
static void* open_library(const char* path) { return (void*)LoadLibraryA(path); }
static void* find(void* library, const char* name) { return (void*)GetProcAddress((HMODULE)library, name); }
#else
#include <dlfcn.h>
static void* open_library(const char* path) { return dlopen(path, RTLD_NOW); }
static void* find(void* library, const char* name) { return dlsym(library, name); }
#endif

int main(int count, char** arguments) {
  void* library = count == 2 ? open_library(arguments[1]) : NULL;
  if (library == NULL) return 2;
  const char* (*version)(void) = (const char* (*)(void))find(library, "percale_version");
  percale_status* (*create)(const percale_options*, percale_engine**) =
      (percale_status * (*)(const percale_options*, percale_engine**)) find(library, "percale_engine_create");
  void (*release)(percale_engine*) = (void (*)(percale_engine*))find(library, "percale_engine_release");
  percale_engine* engine = NULL;
  if (version == NULL || create == NULL || release == NULL || create(NULL, &engine) != NULL) return 3;
  release(engine);
  printf("%s\n", version());
  return 0;
}
