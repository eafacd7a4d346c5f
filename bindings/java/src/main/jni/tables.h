#ifndef PERCALE_BINDINGS_JAVA_TABLES_H_
#define PERCALE_BINDINGS_JAVA_TABLES_H_

#include <jni.h>

#include <span>
#include <string_view>

namespace percale::jni {

/// A function that the library calls. It calls the static method of RawCallbacks with its name.
struct Callback {
  const char* name;
  const char* signature;  // of the method
  void* address;
  jmethodID* method;
};

/// Returns the native methods of a class of org.percale.raw, none for an unknown name.
std::span<const JNINativeMethod> methods_of(std::string_view name);

std::span<const Callback> callbacks();

/// Returns RawCallbacks, once one of its addresses was asked for.
jclass callback_class();

}  // namespace percale::jni

#endif  // PERCALE_BINDINGS_JAVA_TABLES_H_
