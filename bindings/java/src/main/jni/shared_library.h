#ifndef PERCALE_BINDINGS_JAVA_SHARED_LIBRARY_H_
#define PERCALE_BINDINGS_JAVA_SHARED_LIBRARY_H_

#include <cstddef>

/// Shared libraries, by the functions of the system. A folder per system has them.
namespace percale::jni {

/// Opens the library of this name or path, which is UTF-8. Returns NULL if it cannot, and the
/// reason in `out_reason`, a text of at most `capacity` bytes.
void* open_shared(const char* name, char* out_reason, size_t capacity);

/// Returns the address of a function of the library, or NULL.
void* find_shared(void* library, const char* function);

}  // namespace percale::jni

#endif  // PERCALE_BINDINGS_JAVA_SHARED_LIBRARY_H_
