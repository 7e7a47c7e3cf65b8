// radio COUNT FIFO
//
// Creates the controllers hci0 to hci(COUNT-1) with the addresses 00:AA:01:II:00:II, where II is the number, and obeys the lines written to FIFO:
//   range I off|on   controller I is not heard and hears nothing; its links die of supervision timeout
//   drop I           the links of controller I are lost at once
#include "radio.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

Controller controllers[MaxControllers];
int controllerCount;

Milliseconds now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (Milliseconds)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int randomBelow(int limit) { return rand() % limit; }

static bool createController(int number) {
    uint8_t n = (uint8_t)number;
    Controller *controller = &controllers[number];
    *controller = (Controller){ .number = number, .publicAddress = { n, 0, n, 0x01, 0xaa, 0x00 } };
    resetController(controller);
    controller->file = open("/dev/vhci", O_RDWR | O_NONBLOCK);
    controllerCount = number + 1;
    // The kernel's own packet: "create a primary controller". It gets the lowest number that is free.
    return controller->file >= 0 && write(controller->file, (const uint8_t[]){ 0xff, 0x00 }, 2) == 2;
}

static void obeyLine(const char *line) {
    int number;
    char word[4];
    bool isRange = sscanf(line, "range %d %3s", &number, word) == 2, isDrop = !isRange && sscanf(line, "drop %d", &number) == 1;
    if ((!isRange && !isDrop) || number < 0 || number >= controllerCount) fprintf(stderr, "radio: what is '%s'?\n", line);
    else if (isDrop) loseLinks(&controllers[number]);
    else setAway(&controllers[number], !strcmp(word, "off"));
}

// A write to a FIFO arrives in one piece, so lines do too.
static void obeyFIFO(int fifo) {
    char text[4096];
    ssize_t size = read(fifo, text, sizeof text - 1);
    if (size < 1) return;
    text[size] = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) obeyLine(line);
}

static void receive(Controller *controller) {
    uint8_t packet[4096];
    ssize_t size = read(controller->file, packet, sizeof packet);
    if (size > 0) receiveFromHost(controller, packet, (size_t)size);
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

int main(int argumentCount, char **arguments) {
    int count = argumentCount == 3 ? atoi(arguments[1]) : 0;
    if (count < 1 || count > MaxControllers) {
        fprintf(stderr, "usage: radio COUNT FIFO, COUNT from 1 to %d\n", MaxControllers);
        return 2;
    }
    umask(0);
    if (mkfifo(arguments[2], 0666) < 0) fail(arguments[2]);
    int fifo = open(arguments[2], O_RDWR | O_NONBLOCK);  // also for writing: so it never ends
    if (fifo < 0) fail(arguments[2]);
    for (int i = 0; i < count; i++) if (!createController(i)) fail("radio: /dev/vhci");

    struct pollfd waits[1 + MaxControllers] = { { .fd = fifo, .events = POLLIN } };
    for (int i = 0; i < count; i++) waits[1 + i] = (struct pollfd){ .fd = controllers[i].file, .events = POLLIN };
    for (;;) {
        Milliseconds patience = runAir() - now();
        if (poll(waits, 1 + (nfds_t)count, patience > 0 ? (int)patience : 0) < 0 && errno != EINTR) fail("radio: poll");
        for (int i = 0; i < count; i++) if (waits[1 + i].revents) receive(&controllers[i]);
        if (waits[0].revents) obeyFIFO(fifo);
    }
}
