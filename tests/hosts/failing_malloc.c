#define _GNU_SOURCE
#include "failing_malloc.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__) && !defined(__linux__)

int failing_malloc_works(void) { return 0; }
void failing_malloc_begin(int64_t fail_at, int persistent) { (void)fail_at, (void)persistent; }
int64_t failing_malloc_end(int64_t* out_failed) { return *out_failed = 0; }
int64_t failing_malloc_held(void) { return 0; }

#else

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library's allocator, under the names that it reserves for wrappers. */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* block);

/* Plain integers with the compiler's atomics, because C99 has none. */
static int active = 0, lasting = 0;
static int64_t asked = 0, failed = 0, held = 0, failing = 0;

int failing_malloc_works(void) { return 1; }

void failing_malloc_begin(int64_t fail_at, int persistent) {
  __atomic_store_n(&asked, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&failed, 0, __ATOMIC_SEQ_CST);
  __atomic_store_n(&failing, fail_at, __ATOMIC_SEQ_CST);
  __atomic_store_n(&lasting, persistent, __ATOMIC_SEQ_CST);
  __atomic_store_n(&active, 1, __ATOMIC_SEQ_CST);
}

int64_t failing_malloc_end(int64_t* out_failed) {
  __atomic_store_n(&active, 0, __ATOMIC_SEQ_CST);
  *out_failed = __atomic_load_n(&failed, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&asked, __ATOMIC_SEQ_CST);
}

int64_t failing_malloc_held(void) { return __atomic_load_n(&held, __ATOMIC_SEQ_CST); }

/* A function of its own, so that a debugger can break on it. */
static __attribute__((noinline)) int refuse(void) {
  __atomic_add_fetch(&failed, 1, __ATOMIC_SEQ_CST);
  errno = ENOMEM;
  return 1;
}

static int refused(void) {
  int64_t number, at;
  if (!__atomic_load_n(&active, __ATOMIC_SEQ_CST)) return 0;
  number = __atomic_add_fetch(&asked, 1, __ATOMIC_SEQ_CST);
  at = __atomic_load_n(&failing, __ATOMIC_SEQ_CST);
  if (at == 0 || (number != at && !(number > at && __atomic_load_n(&lasting, __ATOMIC_SEQ_CST)))) return 0;
  return refuse();
}

static void* hold(void* block) {
  if (block != NULL) __atomic_add_fetch(&held, 1, __ATOMIC_SEQ_CST);
  return block;
}

void* malloc(size_t size) { return refused() ? NULL : hold(__libc_malloc(size)); }

void* calloc(size_t count, size_t size) { return refused() ? NULL : hold(__libc_calloc(count, size)); }

void* realloc(void* block, size_t size) {
  void* moved;
  if (refused()) return NULL;
  moved = __libc_realloc(block, size);
  if (block == NULL) hold(moved);
  if (block != NULL && moved == NULL && size == 0) __atomic_sub_fetch(&held, 1, __ATOMIC_SEQ_CST);
  return moved;
}

void* memalign(size_t alignment, size_t size) { return refused() ? NULL : hold(__libc_memalign(alignment, size)); }

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  void* block = memalign(alignment, size);
  if (block == NULL) return ENOMEM;
  *out = block;
  return 0;
}

void free(void* block) {
  if (block != NULL) __atomic_sub_fetch(&held, 1, __ATOMIC_SEQ_CST);
  __libc_free(block);
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  long mapped;
  if (refused()) return MAP_FAILED;
  mapped = syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  return mapped == -1 ? MAP_FAILED : hold((void*)mapped);
}

int munmap(void* address, size_t bytes) {
  const int result = (int)syscall(SYS_munmap, address, bytes);
  if (result == 0) __atomic_sub_fetch(&held, 1, __ATOMIC_SEQ_CST);
  return result;
}

typedef int (*create_thread)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* arg) {
  union { /* ISO C has no conversion between function and object pointers */
    void* object;
    create_thread function;
  } real;
  if (refused()) return EAGAIN;
  real.object = dlsym(RTLD_NEXT, "pthread_create");
  return real.object == NULL ? EAGAIN : real.function(thread, attributes, body, arg);
}

#endif
