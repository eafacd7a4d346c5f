#include "library.h"

#include <atomic>
#include <cstdio>

#include "shared_library.h"

namespace percale::jni {
namespace {

// Native methods have no state of their own, so these are of the process.
std::atomic<void*> library{nullptr};
std::atomic<JavaVM*> machine{nullptr};

/// Ends the membership of a thread that current_env() has attached.
class Attachment {
 public:
  JNIEnv* attach() {
    void* env = nullptr;
    JavaVMAttachArgs arguments = {JNI_VERSION_10, const_cast<char*>("percale"), nullptr};
    attached_ = machine.load()->AttachCurrentThreadAsDaemon(&env, &arguments) == JNI_OK;
    return attached_ ? static_cast<JNIEnv*>(env) : nullptr;
  }

  ~Attachment() {
    void* env = nullptr;
    if (attached_ && machine.load()->GetEnv(&env, JNI_VERSION_10) == JNI_OK) machine.load()->DetachCurrentThread();
  }

 private:
  bool attached_ = false;
};

thread_local Attachment attachment;

void throw_link_error(JNIEnv* env, const char* message) {
  jclass type = env->FindClass("java/lang/UnsatisfiedLinkError");
  if (type != nullptr) env->ThrowNew(type, message);  // otherwise FindClass has thrown
}

}  // namespace

void open(JNIEnv* env, const char* name) {
  char reason[1024] = "";
  void* opened = open_shared(name, reason, sizeof reason);
  if (opened == nullptr) throw_link_error(env, reason);
  library = opened;
}

void* find(const char* name) { return find_shared(library, name); }

void throw_missing(JNIEnv* env, const char* function) {
  char message[256];
  std::snprintf(message, sizeof message, "the library is too old: it has no %s", function);
  throw_link_error(env, message);
}

void set_machine(JavaVM* given) { machine = given; }

JNIEnv* current_env() {
  void* env = nullptr;
  if (machine.load()->GetEnv(&env, JNI_VERSION_10) == JNI_OK) return static_cast<JNIEnv*>(env);
  return attachment.attach();
}

}  // namespace percale::jni
