// Virtual Bluetooth LE controllers that are in radio range of each other. The host stack of each is the kernel, through /dev/vhci, or a
// program, through a socket.
//
// main.c        the program: creates and removes controllers, waits for what is due, obeys the FIFO
// controller.c  what a controller answers to its host: HCI commands and events
// air.c         what is between controllers: advertising, links, distance
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MaxControllers = 64, MaxLinks = 128, MaxAccepted = 32, PacketSize = 256, PacketCount = 16 };

// Error codes, Bluetooth Core specification, volume 1, part F.
enum { Success = 0x00, UnknownCommand = 0x01, UnknownConnection = 0x02, KeyMissing = 0x06, MemoryExceeded = 0x07, ConnectionTimeout = 0x08,
       CommandDisallowed = 0x0c, EndedByThisHost = 0x16, IntegrityFailure = 0x3d };

enum { Connectable = 0, Scannable = 2, ScanResponse = 4 };  // kinds of advertisement and of report
enum { Central = 0, Peripheral = 1 };

typedef int64_t Milliseconds;

// Laid out as in HCI packets.
typedef struct { uint8_t isRandom, bytes[6]; } Address;

typedef struct { uint8_t length, bytes[31]; } AdvertisingData;

typedef struct {
    int number, file;                // file: -1 while it is unplugged
    bool isAway;
    uint8_t publicAddress[6], randomAddress[6];
    struct { bool isOn; uint8_t kind, ownAddress; AdvertisingData data, scanResponse; Milliseconds interval, next; } advertising;
    // reported: a bit for each advertiser that the duplicate filter holds back
    struct { bool isOn, isActive, acceptedOnly, filtersDuplicates; uint64_t reported; Milliseconds start; } scanning;
    struct { bool isOn, acceptedOnly; uint8_t ownAddress; Address peer; uint16_t interval, latency, timeout; } initiating;
    Address accepted[MaxAccepted];
    int acceptedCount;
} Controller;

typedef struct { Controller *sender; size_t size; uint8_t bytes[PacketSize]; } Packet;

typedef struct {
    Controller *ends[2];             // by role; none: this link is free
    uint16_t interval, latency, timeout;
    Milliseconds deadline;           // when supervision gives the link up; 0 while both ends are in range
    Packet waiting[2 * PacketCount]; // flow control lets no host have more than PacketCount under way
    int waitingCount;
    struct { bool isOn, isWaiting; uint8_t key[16]; } encryption;  // isWaiting: for the peripheral to say which key it has
} Link;

extern Controller controllers[MaxControllers];
extern int controllerCount;
extern Link links[MaxLinks];

Milliseconds now(void);
int randomBelow(int limit);

// controller.c
void resetController(Controller *controller);
void receiveFromHost(Controller *controller, const uint8_t *packet, size_t size);
void reportAdvertisement(Controller *controller, uint8_t kind, Address advertiser, const AdvertisingData *data);
void reportConnection(Controller *controller, uint8_t status, const Link *link, uint8_t role, Address peer);
void reportParameters(Controller *controller, const Link *link);
void reportDisconnection(Controller *controller, const Link *link, uint8_t reason);
void deliver(Controller *controller, const Packet *packet);
void reportDelivered(Controller *controller, const Link *link);
Address ownAddress(const Controller *controller, uint8_t kind);
bool accepts(const Controller *controller, Address address);
bool areEqual(Address a, Address b);

// air.c
void startAdvertising(Controller *controller);
void forgetReports(const Controller *advertiser);
Milliseconds runAir(void);  // does what is due and says when the next thing will be
uint16_t handle(const Link *link);
Link *linkWithHandle(const Controller *controller, uint16_t handle);
Controller *peer(const Link *link, const Controller *controller);
void sendOverLink(Link *link, Controller *sender, const uint8_t *packet, size_t size);
void endLink(Link *link, Controller *by, uint8_t reason);
void loseLink(Link *link, uint8_t reason);
void loseLinks(const Controller *controller);
void setAway(Controller *controller, bool isAway);
