#ifndef PERCALE_BINDINGS_JAVA_NATIVES_H_
#define PERCALE_BINDINGS_JAVA_NATIVES_H_

#include <percale.h>

#include <algorithm>
#include <cstddef>

#include "library.h"
#include "types.h"

/// Native methods that call functions of the library with the same names.
namespace percale::jni {

/// The name of a function as an argument of a template.
template <size_t N>
struct Name {
  consteval Name(const char (&text)[N]) { std::copy_n(text, N, chars); }
  char chars[N];
};

template <Name name, class Function>
struct Native;

template <Name name, class R, class... P>
struct Native<name, R (*)(P...)> {
  static constexpr const char* signature = kSignature<R, P...>;

  static JavaType<R> JNICALL call(JNIEnv* env, jclass, JavaType<P>... arguments) {
    static R (*const function)(P...) = reinterpret_cast<R (*)(P...)>(find(name.chars));
    if (function == nullptr) {
      throw_missing(env, name.chars);
      return JavaType<R>();
    }
    if constexpr (std::is_void_v<R>) {
      function(to_c<P>(arguments)...);
    } else {
      return to_java<R>(function(to_c<P>(arguments)...));
    }
  }
};

template <Name name, class Function>
JNINativeMethod native() {
  using Method = Native<name, Function>;
  static constexpr Name kName = name;
  return {const_cast<char*>(kName.chars), const_cast<char*>(Method::signature), reinterpret_cast<void*>(&Method::call)};
}

}  // namespace percale::jni

#endif  // PERCALE_BINDINGS_JAVA_NATIVES_H_
