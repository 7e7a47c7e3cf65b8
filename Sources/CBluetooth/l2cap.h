// What the kernel's L2CAP sockets take and the C library does not declare.

#pragma once

#include <stdint.h>
#include <sys/socket.h>

// Protocol of socket(AF_BLUETOOTH, ...)
#define BTPROTO_L2CAP 0

// Kinds of address
#define BDADDR_LE_PUBLIC 1
#define BDADDR_LE_RANDOM 2

// Options at SOL_BLUETOOTH; the MTUs are uint16_t, in bytes
#define BT_SECURITY 4
#define BT_SNDMTU 12
#define BT_RCVMTU 13

// Levels of security
#define BT_SECURITY_LOW 1
#define BT_SECURITY_MEDIUM 2

struct bt_security {
    uint8_t level;
    uint8_t key_size;
};

struct sockaddr_l2 {
    uint16_t l2_family;
    // Little-endian
    uint16_t l2_psm;
    // Least significant byte first
    uint8_t l2_bdaddr[6];
    // Little-endian; 0, where a PSM is given
    uint16_t l2_cid;
    uint8_t l2_bdaddr_type;
};
