// Devices and contexts.
#include <cstdio>
#include <cstdlib>

#include "tests/cuda/emulator/driver/driver.h"

namespace percale_emulator::driver {
namespace {

thread_local std::vector<ContextTag*> current_contexts;

}  // namespace

ContextTag* context(const char* who, Result* result) {
  *result = kSuccess;
  if (current_contexts.empty()) {
    *result = misuse(std::string(who) + " without a context", kInvalidContext);
    return nullptr;
  }
  ContextTag* out = current_contexts.back();
  if (out->users == 0) {
    *result = misuse(std::string(who) + " with a context that was released", kInvalidContext);
    return nullptr;
  }
  *result = out->sticky;
  return out;
}

}  // namespace percale_emulator::driver

using namespace percale_emulator;
using namespace percale_emulator::driver;

extern "C" {

Result cuInit(unsigned) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  if (s.started) return kSuccess;
  s.options = parse(std::getenv("PERCALE_CUDA_EMULATOR"));
  set_order(s.options.order);
  s.started = true;
  for (int i = 0; i < s.options.devices; ++i) s.contexts[i].device = i;
  return s.options.devices == 0 ? kNoDevice : kSuccess;
}

Result cuDriverGetVersion(int* version) {
  *version = state().options.version;
  return kSuccess;
}

Result cuGetErrorName(Result error, const char** name) {
  *name = error == kOutOfMemory      ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kInvalidValue   ? "CUDA_ERROR_INVALID_VALUE"
          : error == kInvalidContext ? "CUDA_ERROR_INVALID_CONTEXT"
          : error == kNotFound       ? "CUDA_ERROR_NOT_FOUND"
                                     : "CUDA_ERROR_UNKNOWN";
  return kSuccess;
}

Result cuGetErrorString(Result, const char** text) {
  *text = "an emulated error";
  return kSuccess;
}

Result cuDeviceGetCount(int* count) {
  *count = state().options.devices;
  return kSuccess;
}

Result cuDeviceGet(DeviceNumber* device, int ordinal) {
  if (ordinal < 0 || ordinal >= state().options.devices) return misuse("cuDeviceGet of no device");
  *device = ordinal;
  return kSuccess;
}

Result cuDeviceGetName(char* name, int size, DeviceNumber) {
  std::snprintf(name, static_cast<size_t>(size), "emulated GPU");
  return kSuccess;
}

Result cuDeviceGetAttribute(int* value, int attribute, DeviceNumber) {
  switch (attribute) {
    case kAttributeMajor: *value = 9; break;
    case kAttributeMultiprocessors: *value = 132; break;
    case kAttributeClockRate: *value = 1'980'000; break;
    case kAttributeMemoryClockRate: *value = 2'619'000; break;
    case kAttributeMemoryBusWidth: *value = 5120; break;
    case kAttributeSharedPerBlockOptin: *value = 227 << 10; break;
    default: *value = 0;
  }
  return kSuccess;
}

Result cuDeviceTotalMem_v2(size_t* bytes, DeviceNumber) {
  *bytes = state().options.memory;
  return kSuccess;
}

Result cuDevicePrimaryCtxRetain(Context* out, DeviceNumber device) {
  const std::lock_guard lock(state().mutex);
  ContextTag& c = state().contexts.at(device);
  ++c.users;
  *out = &c;
  return kSuccess;
}

// When the last user releases the context, all its resources must have been freed.
Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  State& s = state();
  const std::lock_guard lock(s.mutex);
  ContextTag& c = s.contexts.at(device);
  if (c.users == 0) return misuse("a context released too often");
  if (--c.users > 0) return kSuccess;
  const auto left = [&](const auto& set, const char* what) {
    for (const auto* item : set) {
      if (item->context == &c) {
        note_problem(std::string("the context was released, and there is still ") + what);
        return;
      }
    }
  };
  left(s.streams, "a stream");
  left(s.events, "an event");
  left(s.modules, "a module");
  if (s.memory.blocks(device) > 0) note_problem("the context was released, and there is still device memory");
  c.sticky = kSuccess;  // a new context begins
  s.memory.close_ways(device);
  return kSuccess;
}

Result cuDeviceCanAccessPeer(int* can, DeviceNumber device, DeviceNumber peer) {
  *can = device != peer && state().options.peers ? 1 : 0;
  return kSuccess;
}

Result cuCtxEnablePeerAccess(Context peer, unsigned flags) {
  const Call call("cuCtxEnablePeerAccess");
  if (call.fails()) return call.result;
  if (peer == nullptr || peer->users == 0 || peer == call.context || flags != 0 || !state().options.peers) {
    return misuse("cuCtxEnablePeerAccess of no peer");
  }
  return state().memory.open_way(call.context->device, peer->device) ? kSuccess : kPeerAccessAlreadyEnabled;
}

Result cuCtxPushCurrent_v2(Context context) {
  if (context == nullptr || context->users == 0) return misuse("cuCtxPushCurrent of no context", kInvalidContext);
  current_contexts.push_back(context);
  return kSuccess;
}

Result cuCtxPopCurrent_v2(Context* context) {
  if (current_contexts.empty()) return misuse("cuCtxPopCurrent without a context", kInvalidContext);
  *context = current_contexts.back();
  current_contexts.pop_back();
  return kSuccess;
}

}  // extern "C"
