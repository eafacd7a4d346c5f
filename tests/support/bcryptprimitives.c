// The library of Windows 10 that programs of Go ask for random bytes, for Wine 8, which lacks it.
// SystemFunction036 is RtlGenRandom.
#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036(void* bytes, unsigned long count);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char* bytes, size_t count) {
  return SystemFunction036(bytes, (unsigned long)count);
}
