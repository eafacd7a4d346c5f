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
percale_status* go_percale_stream(void* user, int64_t epoch, int64_t first_row, int64_t max_rows, void* const* columns,
                                  int64_t* out_rows) {
  return goPercaleStream((uintptr_t)user, epoch, first_row, max_rows, (void**)columns, out_rows);
}
int32_t go_percale_progress(void* user, const percale_progress* progress) {
  return goPercaleProgress((uintptr_t)user, (percale_progress*)progress);
}
percale_status* go_percale_exchange(void* user, uint64_t tag, const percale_bytes* sends, percale_bytes* recvs,
                                    int64_t timeout_ns) {
  return goPercaleExchange((uintptr_t)user, tag, (percale_bytes*)sends, recvs, timeout_ns);
}
percale_status* go_percale_lost(void* user, int32_t* out_ranks, size_t* inout_count) {
  return goPercaleLost((uintptr_t)user, out_ranks, inout_count);
}
percale_status* go_percale_execute(void* user, percale_task* task) { return goPercaleExecute((uintptr_t)user, task); }
percale_status* go_percale_file_size(void* user, const char* name, int64_t* out_size) {
  return goPercaleFileSize((uintptr_t)user, (char*)name, out_size);
}
percale_status* go_percale_file_read(void* user, const char* name, int64_t offset, void* buffer, size_t size) {
  return goPercaleFileRead((uintptr_t)user, (char*)name, offset, buffer, size);
}
