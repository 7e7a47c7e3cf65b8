#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

// The C library declares it for _GNU_SOURCE only.
int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags);
