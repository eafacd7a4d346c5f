"""Measures copies on a GPU and between the GPU and pinned memory of the host. Prints the GPU's
name and GB/s as JSON. Uses only NVIDIA's driver."""
import ctypes
import json
import os
import time

EMULATED = os.environ.get("PERCALE_GPU_EMULATED") == "1"
SIZE = 1 << 16 if EMULATED else 1 << 29
paths = [f"{folder}/libcuda.so.1" for folder in os.environ.get("PERCALE_CUDA_LIBRARIES", "").split(":")]
cuda = ctypes.CDLL(next(filter(os.path.exists, paths), "libcuda.so.1"))


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        raise RuntimeError(f"{name}: {code}")


def made(name, kind, *arguments):
    """Calls a function whose first argument is a pointer to its result, and returns the result."""
    out = kind()
    call(name, ctypes.byref(out), *arguments)
    return out


def seconds(stream, copy):
    """Returns the shortest of ten trials, not counting the first one."""
    times = []
    for _ in range(11):
        begin = time.perf_counter()
        copy()
        call("cuStreamSynchronize", stream)
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def main():
    size = ctypes.c_size_t(SIZE)
    call("cuInit", 0)
    device = made("cuDeviceGet", ctypes.c_int, 0)
    name = ctypes.create_string_buffer(256)
    call("cuDeviceGetName", name, 256, device)
    context = made("cuDevicePrimaryCtxRetain", ctypes.c_void_p, device)
    call("cuCtxPushCurrent_v2", context)
    stream = made("cuStreamCreate", ctypes.c_void_p, 1)  # does not wait for the default stream
    a, b = (made("cuMemAlloc_v2", ctypes.c_uint64, size) for _ in range(2))
    host = made("cuMemHostAlloc", ctypes.c_void_p, size, 1)  # pinned for all devices
    ctypes.memset(host, 7, SIZE)
    to_gpu = seconds(stream, lambda: call("cuMemcpyHtoDAsync_v2", a, host, size, stream))
    on_gpu = seconds(stream, lambda: call("cuMemcpyDtoDAsync_v2", b, a, size, stream))
    to_host = seconds(stream, lambda: call("cuMemcpyDtoHAsync_v2", host, b, size, stream))
    call("cuMemFreeHost", host)
    for memory in (a, b):
        call("cuMemFree_v2", memory)
    call("cuStreamDestroy_v2", stream)
    call("cuCtxPopCurrent_v2", ctypes.byref(context))
    call("cuDevicePrimaryCtxRelease_v2", device)
    print(json.dumps({"gpu": name.value.decode(), "copy": 2e-9 * SIZE / on_gpu, "to_gpu": 1e-9 * SIZE / to_gpu, "to_host": 1e-9 * SIZE / to_host}))


if __name__ == "__main__":
    main()
