#ifndef PERCALE_BINDINGS_JAVA_LIBRARY_H_
#define PERCALE_BINDINGS_JAVA_LIBRARY_H_

#include <jni.h>

/// The library that this process has opened, and the virtual machine that runs in it.
namespace percale::jni {

/// Opens the library. Throws an UnsatisfiedLinkError in Java that says what to do if it cannot.
void open(JNIEnv* env, const char* name);

/// Returns the address of a function of the library, or NULL.
void* find(const char* name);

/// Throws an UnsatisfiedLinkError in Java for a function that find() does not find.
void throw_missing(JNIEnv* env, const char* function);

/// Keeps the virtual machine for current_env().
void set_machine(JavaVM* machine);

/// Returns the environment of this thread. A thread that Java does not know becomes one of its
/// daemon threads until it ends. Returns NULL if the virtual machine refuses that.
JNIEnv* current_env();

}  // namespace percale::jni

#endif  // PERCALE_BINDINGS_JAVA_LIBRARY_H_
