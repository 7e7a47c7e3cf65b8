// What the allocator tells of itself, which the module of the C library leaves out.
#include <malloc.h>
