/* Memory, copies and counters. Blocks come from malloc(), but the device declares that it shares no
 * memory with the host. It refuses copies to or from addresses that it did not allocate. */
#include "devices/null/null_device.h"

#include <stdlib.h>
#include <string.h>

#include "devices/null/plugin.h"

#define ALIGNMENT 64
#define DEVICE_COUNT 8
/* More than any process can address; larger requests fail without calling malloc(). */
#define MAX_BYTES ((uint64_t)1 << 47)

/* A block of memory in use. Its aligned `memory` follows the struct. */
typedef struct block {
  struct block *next, *previous;
  unsigned char* memory;
  uint64_t bytes;
} block;

typedef struct {
  const null_plugin* plugin;
  pthread_mutex_t mutex; /* guards the members below */
  block* blocks;
  uint64_t used, peak;
  percale_null_counts counts;
} null_device;

static int32_t probe(void* self, const char** out_reason) {
  (void)self;
  *out_reason = NULL;
  return DEVICE_COUNT;
}

static percale_status* open_device(void* self, int32_t index, const percale_device_options* options,
                                   void** out_device) {
  const null_plugin* plugin = self;
  null_device* device;
  (void)options; /* it has no settings */
  *out_device = NULL;
  if (index < 0 || index >= DEVICE_COUNT) return null_error(plugin, PERCALE_NOT_FOUND, "no null device has that index");
  device = calloc(1, sizeof *device);
  if (device == NULL) return null_error(plugin, PERCALE_RESOURCE_EXHAUSTED, "no memory for a null device");
  if (pthread_mutex_init(&device->mutex, NULL) != 0) {
    free(device);
    return null_error(plugin, PERCALE_RESOURCE_EXHAUSTED, "no mutex for a null device");
  }
  device->plugin = plugin;
  *out_device = device;
  return NULL;
}

static void close_device(void* handle) {
  null_device* device = handle;
  while (device->blocks != NULL) {
    block* gone = device->blocks;
    device->blocks = gone->next;
    free(gone);
  }
  pthread_mutex_destroy(&device->mutex);
  free(device);
}

static percale_status* describe(void* handle, percale_device_description* out) {
  percale_device_description facts = {0};
  (void)handle;
  facts.struct_size = out->struct_size < sizeof facts ? out->struct_size : (uint32_t)sizeof facts;
  facts.kind = "null";
  facts.model = "null device";
  facts.shares_host_memory = 0;
  memcpy(out, &facts, facts.struct_size);
  return NULL;
}

static percale_status* allocate(void* handle, uint64_t bytes, void** out_memory) {
  null_device* device = handle;
  block* made;
  *out_memory = NULL;
  if (bytes == 0) return null_error(device->plugin, PERCALE_INVALID_ARGUMENT, "cannot allocate 0 bytes");
  made = bytes <= MAX_BYTES ? malloc(sizeof *made + (size_t)bytes + ALIGNMENT) : NULL;
  if (made == NULL) return null_error(device->plugin, PERCALE_RESOURCE_EXHAUSTED, "no such memory on a null device");
  made->bytes = bytes;
  made->memory = (unsigned char*)(made + 1);
  made->memory += (ALIGNMENT - (uintptr_t)made->memory % ALIGNMENT) % ALIGNMENT;
  made->previous = NULL;

  pthread_mutex_lock(&device->mutex);
  made->next = device->blocks;
  if (made->next != NULL) made->next->previous = made;
  device->blocks = made;
  device->used += bytes;
  if (device->used > device->peak) device->peak = device->used;
  ++device->counts.allocations;
  pthread_mutex_unlock(&device->mutex);
  *out_memory = made->memory;
  return NULL;
}

/* Returns the block that contains these bytes, or NULL. The caller must hold the mutex. */
static block* find_block(null_device* device, const void* memory, uint64_t bytes) {
  const uintptr_t at = (uintptr_t)memory;
  block* each;
  for (each = device->blocks; each != NULL; each = each->next) {
    const uintptr_t begin = (uintptr_t)each->memory;
    if (at >= begin && at - begin <= each->bytes && bytes <= each->bytes - (at - begin)) return each;
  }
  return NULL;
}

static void free_memory(void* handle, void* memory) {
  null_device* device = handle;
  block* gone;
  pthread_mutex_lock(&device->mutex);
  gone = find_block(device, memory, 1);
  if (gone != NULL) {
    if (gone->next != NULL) gone->next->previous = gone->previous;
    if (gone->previous != NULL) gone->previous->next = gone->next;
    if (device->blocks == gone) device->blocks = gone->next;
    device->used -= gone->bytes;
    ++device->counts.frees;
  }
  pthread_mutex_unlock(&device->mutex);
  free(gone);
}

/* Checks that the device's side of a copy lies in its own memory, and counts the copy. */
static percale_status* check_copy(null_device* device, const void* memory, uint64_t bytes, uint64_t* copies,
                                  uint64_t* total) {
  int known;
  pthread_mutex_lock(&device->mutex);
  known = find_block(device, memory, bytes) != NULL;
  if (known) {
    ++*copies;
    *total += bytes;
  }
  pthread_mutex_unlock(&device->mutex);
  return known ? NULL : null_error(device->plugin, PERCALE_INVALID_ARGUMENT, "the copy leaves the device's memory");
}

/* --8<-- [start:memory] */
static percale_status* copy_from_host(void* handle, void* stream, void* to, const void* from, uint64_t bytes) {
  null_device* device = handle;
  percale_status* status =
      check_copy(device, to, bytes, &device->counts.copies_from_host, &device->counts.bytes_from_host);
  (void)stream;
  if (status == NULL && bytes > 0) memcpy(to, from, (size_t)bytes);
  return status;
}

static percale_status* copy_to_host(void* handle, void* stream, void* to, const void* from, uint64_t bytes) {
  null_device* device = handle;
  percale_status* status =
      check_copy(device, from, bytes, &device->counts.copies_to_host, &device->counts.bytes_to_host);
  (void)stream;
  if (status == NULL && bytes > 0) memcpy(to, from, (size_t)bytes);
  return status;
}
/* --8<-- [end:memory] */

static void memory_stats(void* handle, uint64_t* out_used, uint64_t* out_peak) {
  null_device* device = handle;
  pthread_mutex_lock(&device->mutex);
  *out_used = device->used;
  *out_peak = device->peak;
  pthread_mutex_unlock(&device->mutex);
}

void percale_null_get_counts(void* handle, percale_null_counts* out_counts) {
  null_device* device = handle;
  pthread_mutex_lock(&device->mutex);
  *out_counts = device->counts;
  pthread_mutex_unlock(&device->mutex);
}

void null_fill_device(null_plugin* plugin) {
  percale_device_api* api = &plugin->device_api;
  api->struct_size = sizeof *api;
  api->self = plugin;
  api->kind = "null";
  api->probe = probe;
  api->open = open_device;
  api->close = close_device;
  api->describe = describe;
  api->allocate = allocate;
  api->free = free_memory;
  api->copy_from_host = copy_from_host;
  api->copy_to_host = copy_to_host;
  api->memory_stats = memory_stats;
}
