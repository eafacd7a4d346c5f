// Memory, as the system gives it.
#ifndef PERCALE_CORE_SYSTEM_MEMORY_H_
#define PERCALE_CORE_SYSTEM_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace percale::os {

size_t page_bytes();
// The machine's memory; 0 if the system does not tell.
uint64_t machine_memory();

// `alignment` is a power of two, and `bytes` a multiple of it or of 64. Null if the system has no
// memory left.
void* allocate_aligned(size_t alignment, size_t bytes);
void free_aligned(void* memory);

// Hints, which may do nothing. `begin` need not be aligned.
// Asks for large pages.
void prefer_large_pages(void* begin, size_t bytes);
// Gives memory to all whole pages of the range at once.
void populate_pages(void* begin, size_t bytes);
// Returns memory that the C library keeps for later to the system.
void return_free_memory();

// Sets `out` to a word that is 1 here and 0 in forked children, in a page of its own; to null if
// the system has no such pages. False if there is no memory.
bool map_fork_word(uint32_t** out);
void unmap_fork_word(uint32_t* word);

}  // namespace percale::os

#endif  // PERCALE_CORE_SYSTEM_MEMORY_H_
