// What the C library declares for _GNU_SOURCE only, or not at all.

#pragma once

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int pipe2(int descriptors[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// A descriptor that can be read from when the process has ended (pidfd_open(2)); closed on exec. -1 with errno.
static inline int process_descriptor(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }
