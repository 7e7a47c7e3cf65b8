#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// How often this thread has asked for memory since it began. Not counted, and zero, in builds with a sanitizer, which needs the allocator for itself.
uint64_t c_allocations(void);

/// Bytes of the heap that are in use.
uint64_t c_heap_bytes(void);

#endif
