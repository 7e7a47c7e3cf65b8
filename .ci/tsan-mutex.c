// Tells ThreadSanitizer of a lock that it cannot see.
//
// Synchronization.Mutex takes and frees a lock that nobody waits for with an instruction in the program, which is instrumented. All else is done in the
// runtime's library and by the kernel (FUTEX_LOCK_PI), so whatever happens behind a lock that was waited for looks like a race. Preloaded, this stands
// before those functions of the library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Synchronization._MutexHandle
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t state, SELF mutex) __asm__(LOCK);
SWIFT bool try_lock(SELF mutex) __asm__(TRY_LOCK);
SWIFT void unlock(SELF mutex) __asm__(UNLOCK);

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

static void *library(const char *symbol) {
    void *function = dlsym(RTLD_NEXT, symbol);
    if (!function) abort();
    return function;
}

SWIFT void lock(uint32_t state, SELF mutex) {
    ((SWIFT void (*)(uint32_t, SELF))library(LOCK))(state, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF mutex) {
    bool is_locked = ((SWIFT bool (*)(SELF))library(TRY_LOCK))(mutex);
    if (is_locked && __tsan_acquire) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock(SELF mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((SWIFT void (*)(SELF))library(UNLOCK))(mutex);
}
