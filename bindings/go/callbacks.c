/* The callbacks that the library invokes. Each passes the id of a Go value on to Go. */
#include <percale.h>

#include "_cgo_export.h"

void go_percale_log(void* user, int32_t level, const char* message, size_t size) {
  goPercaleLog((uintptr_t)user, level, (char*)message, size);
}
void go_percale_destroy(void* user) { goPercaleForget((uintptr_t)user); }
void go_percale_deleter(void* user, void* data) {
  (void)data;
  goPercaleDeleter((uintptr_t)user);
}
void go_percale_ready(void* user) { goPercaleReady((uintptr_t)user); }
int32_t go_percale_row(void* user, int64_t row, void* const* columns) {
  return goPercaleRow((uintptr_t)user, row, (void**)columns);
}
int32_t go_percale_progress(void* user, const percale_progress* progress) {
  return goPercaleProgress((uintptr_t)user, (percale_progress*)progress);
}
