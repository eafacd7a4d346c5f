#ifndef PERCALE_BINDINGS_JAVA_CALLBACKS_H_
#define PERCALE_BINDINGS_JAVA_CALLBACKS_H_

#include <percale.h>

#include "library.h"
#include "tables.h"
#include "types.h"

/// Functions that the library calls, on any thread, and that call Java.
namespace percale::jni {

/// Returns what tells the library that a callback failed.
template <class R>
R failure() {
  if constexpr (std::is_same_v<R, percale_status*>) {
    auto* create = reinterpret_cast<decltype(&percale_status_create)>(find("percale_status_create"));
    return create == nullptr ? nullptr : create(PERCALE_ABORTED, "Java cannot take the call", PERCALE_NUL_ENDED);
  } else {
    return static_cast<R>(1);
  }
}

template <class C>
jvalue argument(C value) {
  jvalue out;
  if constexpr (std::is_same_v<JavaType<C>, jint>) {
    out.i = to_java(value);
  } else {
    static_assert(std::is_same_v<JavaType<C>, jlong>, "a callback has integers and pointers");
    out.j = to_java(value);
  }
  return out;
}

template <size_t number, class Function>
struct Trampoline;

template <size_t number, class R, class... P>
struct Trampoline<number, R (*)(P...)> {
  static constexpr const char* signature = kSignature<R, P...>;
  static inline jmethodID method = nullptr;

  static R call(P... given) {
    JNIEnv* env = current_env();
    if (env != nullptr) {
      const jvalue arguments[] = {argument(given)...};
      if constexpr (std::is_void_v<R>) {
        env->CallStaticVoidMethodA(callback_class(), method, arguments);
      } else {
        const JavaType<R> result = invoke(env, arguments);
        if (env->ExceptionCheck() == JNI_FALSE) return to_c<R>(result);
      }
      // The receiver catches all that it can, so this is an exhausted stack or heap. It is printed,
      // and cleared, because the library may call Java again before its own caller is back.
      if (env->ExceptionCheck() != JNI_FALSE) env->ExceptionDescribe();
    }
    if constexpr (!std::is_void_v<R>) return failure<R>();
  }

 private:
  static JavaType<R> invoke(JNIEnv* env, const jvalue* arguments) {
    if constexpr (std::is_same_v<JavaType<R>, jint>) {
      return env->CallStaticIntMethodA(callback_class(), method, arguments);
    } else {
      return env->CallStaticLongMethodA(callback_class(), method, arguments);
    }
  }
};

template <size_t number, class Function>
Callback callback(const char* name) {
  using Target = Trampoline<number, Function>;
  return {name, Target::signature, reinterpret_cast<void*>(&Target::call), &Target::method};
}

}  // namespace percale::jni

#endif  // PERCALE_BINDINGS_JAVA_CALLBACKS_H_
