// radio COUNT FIFO SOCKET
//
// Creates the controllers hci0 to hci(COUNT-1) with the addresses 00:AA:01:II:00:II, where II is the number, and obeys the lines written to FIFO:
//   range I off|on      controller I is not heard and hears nothing; its links die of supervision timeout
//   drop I              the links of controller I are lost at once
//   unplug I            controller I, which is the kernel's, is gone, and so are its links
//   plug I [ADDRESS]    it is back, with the lowest hci number that is free
//
// A program that connects to SOCKET is the host of a controller of its own, which has the lowest number from COUNT on that is free. Each
// packet is one as on /dev/vhci. The controller is gone when the connection ends.
#include "radio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

Controller controllers[MaxControllers];
int controllerCount;
static int kernelCount;  // the first of them are the kernel's

Milliseconds now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (Milliseconds)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int randomBelow(int limit) { return rand() % limit; }

// The controller is there from now on; what comes from its host is read from the file.
static Controller *place(int number, int file) {
    uint8_t n = (uint8_t)number;
    Controller *controller = &controllers[number];
    *controller = (Controller){ .number = number, .file = file, .publicAddress = { n, 0, n, 0x01, 0xaa, 0x00 } };
    resetController(controller);
    if (controllerCount <= number) controllerCount = number + 1;
    return controller;
}

static bool plug(int number, const uint8_t *address) {
    int file = open("/dev/vhci", O_RDWR | O_NONBLOCK);
    if (file < 0) return false;
    Controller *controller = place(number, file);
    if (address) memcpy(controller->publicAddress, address, sizeof controller->publicAddress);
    // The kernel's own packet: "create a primary controller". It gets the lowest number that is free.
    return write(file, (const uint8_t[]){ 0xff, 0x00 }, 2) == 2;
}

static void unplug(Controller *controller) {
    int file = controller->file;
    controller->file = -1;
    resetController(controller);  // which ends its links
    close(file);
}

static void acceptHost(int listener) {
    int file = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), number = kernelCount;
    if (file < 0) return;
    while (number < MaxControllers && number < controllerCount && controllers[number].file >= 0) number++;
    if (number == MaxControllers) close(file);
    else place(number, file);
}

static bool readAddress(const char *text, uint8_t address[6]) {
    unsigned b[6];
    if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x", &b[5], &b[4], &b[3], &b[2], &b[1], &b[0]) != 6) return false;
    for (int i = 0; i < 6; i++) address[i] = (uint8_t)b[i];
    return true;
}

static bool obeyLine(const char *line) {
    int number;
    char verb[8], word[18] = "";
    uint8_t address[6];
    int count = sscanf(line, "%7s %d %17s", verb, &number, word);
    if (count < 2 || number < 0 || number >= controllerCount) return false;
    Controller *controller = &controllers[number];
    bool isThere = controller->file >= 0, isKernels = number < kernelCount;
    if (!strcmp(verb, "range") && (!strcmp(word, "off") || !strcmp(word, "on"))) setAway(controller, !strcmp(word, "off"));
    else if (!strcmp(verb, "drop") && count == 2) loseLinks(controller);
    else if (!strcmp(verb, "unplug") && count == 2 && isKernels && isThere) unplug(controller);
    else if (!strcmp(verb, "plug") && isKernels && !isThere && count == 2) return plug(number, NULL);
    else if (!strcmp(verb, "plug") && isKernels && !isThere && readAddress(word, address)) return plug(number, address);
    else return false;
    return true;
}

// A write to a FIFO arrives in one piece, so lines do too.
static void obeyFIFO(int fifo) {
    char text[4096];
    ssize_t size = read(fifo, text, sizeof text - 1);
    if (size < 1) return;
    text[size] = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (!obeyLine(line)) fprintf(stderr, "radio: what is '%s'?\n", line);
    }
}

static void receive(Controller *controller) {
    uint8_t packet[4096];
    ssize_t size = read(controller->file, packet, sizeof packet);
    if (size > 0) receiveFromHost(controller, packet, (size_t)size);
    else if (controller->number >= kernelCount && (size == 0 || errno != EAGAIN)) unplug(controller);  // its program has ended
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int listenAt(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) fail(path);
    strcpy(address.sun_path, path);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool isListening = listener >= 0 && !bind(listener, (struct sockaddr *)&address, sizeof address) && !listen(listener, MaxControllers);
    if (!isListening) fail(path);
    return listener;
}

int main(int argumentCount, char **arguments) {
    kernelCount = argumentCount == 4 ? atoi(arguments[1]) : 0;
    if (kernelCount < 1 || kernelCount > MaxControllers) {
        fprintf(stderr, "usage: radio COUNT FIFO SOCKET, COUNT from 1 to %d\n", MaxControllers);
        return 2;
    }
    umask(0);
    if (mkfifo(arguments[2], 0666) < 0) fail(arguments[2]);
    int fifo = open(arguments[2], O_RDWR | O_NONBLOCK);  // also for writing: so it never ends
    if (fifo < 0) fail(arguments[2]);
    for (int i = 0; i < kernelCount; i++) if (!plug(i, NULL)) fail("radio: /dev/vhci");
    int listener = listenAt(arguments[3]);

    for (;;) {
        Milliseconds patience = runAir() - now();
        struct pollfd waits[2 + MaxControllers] = { { .fd = fifo, .events = POLLIN }, { .fd = listener, .events = POLLIN } };
        int count = controllerCount;
        for (int i = 0; i < count; i++) waits[2 + i] = (struct pollfd){ .fd = controllers[i].file, .events = POLLIN };  // -1 is passed over
        if (poll(waits, 2 + (nfds_t)count, patience > 0 ? (int)patience : 0) < 0 && errno != EINTR) fail("radio: poll");
        for (int i = 0; i < count; i++) if (waits[2 + i].revents) receive(&controllers[i]);
        if (waits[0].revents) obeyFIFO(fifo);
        if (waits[1].revents) acceptHost(listener);
    }
}
