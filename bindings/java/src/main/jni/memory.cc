/// The native methods of org.percale.raw.RawMemory.
#include <cstdlib>
#include <cstring>

#include "types.h"

using percale::jni::to_c;
using percale::jni::to_java;

namespace {

template <class T>
T get(jlong address) {
  T out;
  std::memcpy(&out, to_c<const void*>(address), sizeof out);
  return out;
}

template <class T>
void put(jlong address, T value) {
  std::memcpy(to_c<void*>(address), &value, sizeof value);
}

/// Copies between an array and memory. Throws an OutOfMemoryError in Java if the array cannot be
/// reached.
void copy(JNIEnv* env, jobject object, jlong address, jlong bytes, bool to_array) {
  if (bytes == 0) return;
  auto* array = static_cast<jarray>(object);
  void* elements = env->GetPrimitiveArrayCritical(array, nullptr);
  if (elements == nullptr) {
    jclass type = env->ExceptionCheck() != JNI_FALSE ? nullptr : env->FindClass("java/lang/OutOfMemoryError");
    if (type != nullptr) env->ThrowNew(type, "an array cannot be reached");
    return;
  }
  void* memory = to_c<void*>(address);
  std::memcpy(to_array ? elements : memory, to_array ? memory : elements, static_cast<size_t>(bytes));
  env->ReleasePrimitiveArrayCritical(array, elements, to_array ? 0 : JNI_ABORT);
}

}  // namespace

extern "C" {

JNIEXPORT jlong JNICALL Java_org_percale_raw_RawMemory_calloc(JNIEnv*, jclass, jlong bytes) {
  return to_java(std::calloc(1, static_cast<size_t>(bytes)));
}

JNIEXPORT void JNICALL Java_org_percale_raw_RawMemory_free(JNIEnv*, jclass, jlong address) {
  std::free(to_c<void*>(address));
}

JNIEXPORT jint JNICALL Java_org_percale_raw_RawMemory_getInt(JNIEnv*, jclass, jlong address) {
  return get<jint>(address);
}

JNIEXPORT jlong JNICALL Java_org_percale_raw_RawMemory_getLong(JNIEnv*, jclass, jlong address) {
  return get<jlong>(address);
}

JNIEXPORT jdouble JNICALL Java_org_percale_raw_RawMemory_getDouble(JNIEnv*, jclass, jlong address) {
  return get<jdouble>(address);
}

JNIEXPORT void JNICALL Java_org_percale_raw_RawMemory_putInt(JNIEnv*, jclass, jlong address, jint value) {
  put(address, value);
}

JNIEXPORT void JNICALL Java_org_percale_raw_RawMemory_putLong(JNIEnv*, jclass, jlong address, jlong value) {
  put(address, value);
}

JNIEXPORT void JNICALL Java_org_percale_raw_RawMemory_read(JNIEnv* env, jclass, jlong address, jobject array,
                                                           jlong bytes) {
  copy(env, array, address, bytes, true);
}

JNIEXPORT void JNICALL Java_org_percale_raw_RawMemory_write(JNIEnv* env, jclass, jlong address, jobject array,
                                                            jlong bytes) {
  copy(env, array, address, bytes, false);
}

JNIEXPORT jint JNICALL Java_org_percale_raw_RawMemory_length(JNIEnv*, jclass, jlong text) {
  return static_cast<jint>(std::strlen(to_c<const char*>(text)));
}

JNIEXPORT jlong JNICALL Java_org_percale_raw_RawMemory_start(JNIEnv* env, jclass, jobject buffer) {
  return to_java(env->GetDirectBufferAddress(buffer));
}

JNIEXPORT jobject JNICALL Java_org_percale_raw_RawMemory_buffer(JNIEnv* env, jclass, jlong address, jlong bytes) {
  return env->NewDirectByteBuffer(to_c<void*>(address), bytes);
}

}  // extern "C"
