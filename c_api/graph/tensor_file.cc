// Tensors in .npy files.
#include <cstring>

#include "c_api/engine.h"
#include "c_api/handles.h"
#include "core/checkpoint/npy.h"
#include "core/file/host_files.h"

using namespace percale;
using namespace percale::c_api;

percale_status* percale_tensor_load(percale_engine* engine, const char* path, percale_tensor** out_tensor) {
  clear(out_tensor);
  return guarded(__func__, {NEEDS(engine), NEEDS(path), NEEDS(out_tensor)}, [&]() -> Status {
    const auto& memory = engine->engine->memory();
    const bool is_hosts = is_host_path(path, memory.get());
    PERCALE_ASSIGN_OR_RETURN(const Tensor file, read_npy(path, true, is_hosts ? memory : nullptr));
    // The file's mapping cannot be written to, the caller's tensor can.
    PERCALE_ASSIGN_OR_RETURN(Tensor tensor, Tensor::allocate(memory, file.dtype(), file.shape()));
    std::memcpy(tensor.data(), file.data(), static_cast<size_t>(file.bytes()));
    *out_tensor = new percale_tensor(std::move(tensor));
    return {};
  });
}

percale_status* percale_tensor_save(const percale_tensor* tensor, const char* path) {
  return guarded(__func__, {NEEDS(tensor), NEEDS(path)}, [&] { return write_npy(path, tensor->tensor); });
}
