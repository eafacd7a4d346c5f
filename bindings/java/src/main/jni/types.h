#ifndef PERCALE_BINDINGS_JAVA_TYPES_H_
#define PERCALE_BINDINGS_JAVA_TYPES_H_

#include <jni.h>

#include <cstdint>
#include <type_traits>

/// The types of C and those of Java: a pointer is a long, as is every integer of 64 bits.
namespace percale::jni {

static_assert(sizeof(void*) == sizeof(jlong), "the JNI layer is for machines with pointers of 64 bits");

template <class C>
struct JavaTypeOf {
  static_assert(std::is_pointer_v<C> || sizeof(C) == sizeof(jlong), "a type that no native method has");
  using Type = jlong;
};
template <>
struct JavaTypeOf<void> {
  using Type = void;
};
template <>
struct JavaTypeOf<int32_t> {
  using Type = jint;
};
template <>
struct JavaTypeOf<uint32_t> {
  using Type = jint;
};
template <>
struct JavaTypeOf<double> {
  using Type = jdouble;
};

template <class C>
using JavaType = typename JavaTypeOf<C>::Type;

template <class C>
constexpr char letter() {
  using Java = JavaType<C>;
  if (std::is_void_v<Java>) return 'V';
  if (std::is_same_v<Java, jint>) return 'I';
  return std::is_same_v<Java, jdouble> ? 'D' : 'J';
}

/// The signature of a method with the types of a function.
template <class R, class... P>
inline constexpr char kSignature[] = {'(', letter<P>()..., ')', letter<R>(), '\0'};

template <class C>
C to_c(JavaType<C> value) {
  if constexpr (std::is_pointer_v<C>) {
    return reinterpret_cast<C>(static_cast<uintptr_t>(value));
  } else {
    return static_cast<C>(value);
  }
}

template <class C>
JavaType<C> to_java(C value) {
  if constexpr (std::is_pointer_v<C>) {
    return static_cast<jlong>(reinterpret_cast<uintptr_t>(value));
  } else {
    return static_cast<JavaType<C>>(value);
  }
}

}  // namespace percale::jni

#endif  // PERCALE_BINDINGS_JAVA_TYPES_H_
