/// The native methods of org.percale.raw.Raw, which open the library and link the others.
#include <cstring>

#include "library.h"
#include "tables.h"
#include "types.h"

namespace percale::jni {
namespace {

// RawCallbacks. The reference is never released, because the library may call at any time.
jclass callbacks_of_java = nullptr;

/// The characters of a Java text, in the modified UTF-8 of Java, while this object lives.
class Chars {
 public:
  Chars(JNIEnv* env, jstring text) : env_(env), text_(text), chars_(env->GetStringUTFChars(text, nullptr)) {}
  ~Chars() {
    if (chars_ != nullptr) env_->ReleaseStringUTFChars(text_, chars_);
  }
  Chars(const Chars&) = delete;
  Chars& operator=(const Chars&) = delete;

  /// NULL if Java has thrown an OutOfMemoryError.
  const char* get() const { return chars_; }

 private:
  JNIEnv* env_;
  jstring text_;
  const char* chars_;
};

/// Makes the methods of RawCallbacks known to the functions that call them.
bool link_callbacks(JNIEnv* env, jclass type) {
  for (const Callback& callback : callbacks()) {
    *callback.method = env->GetStaticMethodID(type, callback.name, callback.signature);
    if (*callback.method == nullptr) return false;
  }
  callbacks_of_java = static_cast<jclass>(env->NewGlobalRef(type));
  return callbacks_of_java != nullptr;
}

}  // namespace

jclass callback_class() { return callbacks_of_java; }

}  // namespace percale::jni

using namespace percale::jni;

extern "C" {

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM* machine, void*) {
  set_machine(machine);
  return JNI_VERSION_10;
}

JNIEXPORT void JNICALL Java_org_percale_raw_Raw_openLibrary(JNIEnv* env, jclass, jstring name) {
  Chars chars(env, name);
  if (chars.get() != nullptr) open(env, chars.get());
}

JNIEXPORT void JNICALL Java_org_percale_raw_Raw_bindMethods(JNIEnv* env, jclass, jclass methods, jstring class_name) {
  Chars name(env, class_name);
  if (name.get() == nullptr) return;
  const auto table = methods_of(name.get());
  if (table.empty()) return throw_missing(env, name.get());
  env->RegisterNatives(methods, table.data(), static_cast<jint>(table.size()));
}

JNIEXPORT jlong JNICALL Java_org_percale_raw_Raw_callbackAddress(JNIEnv* env, jclass, jclass type, jstring name) {
  Chars chars(env, name);
  if (chars.get() == nullptr || (callback_class() == nullptr && !link_callbacks(env, type))) return 0;
  for (const Callback& callback : callbacks()) {
    if (std::strcmp(callback.name, chars.get()) == 0) return to_java(callback.address);
  }
  throw_missing(env, chars.get());
  return 0;
}

}  // extern "C"
