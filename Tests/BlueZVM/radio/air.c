#include "radio.h"

#include <string.h>

Link links[MaxLinks];

static bool isInUse(const Link *link) { return link->ends[Central]; }
static bool belongs(const Link *link, const Controller *controller) {
    return link->ends[Central] == controller || link->ends[Peripheral] == controller;
}

// MARK: Links

uint16_t handle(const Link *link) { return (uint16_t)(link - links + 1); }

Link *linkWithHandle(const Controller *controller, uint16_t handle) {
    int index = (handle & 0x0fff) - 1;
    return index >= 0 && index < MaxLinks && belongs(&links[index], controller) ? &links[index] : NULL;
}

Controller *peer(const Link *link, const Controller *controller) {
    return link->ends[link->ends[Central] == controller ? Peripheral : Central];
}

static void connectControllers(Controller *central, Controller *peripheral) {
    Link *link = links;
    while (link < links + MaxLinks && isInUse(link)) link++;
    if (link == links + MaxLinks) return;
    *link = (Link){ .ends = { central, peripheral }, .interval = central->initiating.interval,
                    .latency = central->initiating.latency, .timeout = central->initiating.timeout };
    central->initiating.isOn = false;
    peripheral->advertising.isOn = false;
    reportConnection(central, Success, link, Central, ownAddress(peripheral, peripheral->advertising.ownAddress));
    reportConnection(peripheral, Success, link, Peripheral, ownAddress(central, central->initiating.ownAddress));
}

static void deliverWaiting(Link *link) {
    for (int i = 0; i < link->waitingCount; i++) {
        Packet *packet = &link->waiting[i];
        deliver(peer(link, packet->sender), packet);
        reportDelivered(packet->sender, link);
    }
    link->waitingCount = 0;
}

void sendOverLink(Link *link, Controller *sender, const uint8_t *packet, size_t size) {
    if (size > PacketSize || link->waitingCount == 2 * PacketCount) return;
    Packet *copy = &link->waiting[link->waitingCount++];
    copy->sender = sender;
    copy->size = size;
    memcpy(copy->bytes, packet, size);
    if (!link->deadline) deliverWaiting(link);
}

void endLink(Link *link, Controller *by, uint8_t reason) {
    // Out of range the other end hears nothing of it.
    reportDisconnection(peer(link, by), link, link->deadline ? ConnectionTimeout : reason);
    reportDisconnection(by, link, EndedByThisHost);
    *link = (Link){ 0 };
}

void loseLink(Link *link, uint8_t reason) {
    reportDisconnection(link->ends[Central], link, reason);
    reportDisconnection(link->ends[Peripheral], link, reason);
    *link = (Link){ 0 };
}

void loseLinks(const Controller *controller) {
    for (Link *link = links; link < links + MaxLinks; link++) if (belongs(link, controller)) loseLink(link, ConnectionTimeout);
}

void setAway(Controller *controller, bool isAway) {
    controller->isAway = isAway;
    for (Link *link = links; link < links + MaxLinks; link++) {
        if (!belongs(link, controller)) continue;
        if (isAway || peer(link, controller)->isAway) {
            if (!link->deadline) link->deadline = now() + link->timeout * 10;
        } else {
            link->deadline = 0;
            deliverWaiting(link);
        }
    }
}

// MARK: Advertising

void forgetReports(const Controller *advertiser) {
    for (int i = 0; i < controllerCount; i++) controllers[i].scanning.reported &= ~(1ULL << advertiser->number);
}

void startAdvertising(Controller *controller) {
    forgetReports(controller);
    controller->advertising.isOn = true;
    controller->advertising.next = now() + 5 + randomBelow(15);
}

static void reportTo(Controller *scanner, const Controller *advertiser, Address address) {
    uint64_t bit = 1ULL << advertiser->number;
    if (scanner->scanning.filtersDuplicates && scanner->scanning.reported & bit) return;
    scanner->scanning.reported |= bit;
    uint8_t kind = advertiser->advertising.kind;
    reportAdvertisement(scanner, kind, address, &advertiser->advertising.data);
    bool isAsked = scanner->scanning.isActive && (kind == Connectable || kind == Scannable);
    if (isAsked) reportAdvertisement(scanner, ScanResponse, address, &advertiser->advertising.scanResponse);
}

static void advertise(Controller *advertiser, Milliseconds time) {
    // The random delay is the specification's, so that two advertisers do not collide for ever.
    advertiser->advertising.next = time + advertiser->advertising.interval + randomBelow(10);
    if (advertiser->isAway) return;
    Address address = ownAddress(advertiser, advertiser->advertising.ownAddress);
    for (int i = 0; i < controllerCount && advertiser->advertising.isOn; i++) {
        Controller *other = &controllers[i];
        if (other == advertiser || other->isAway) continue;
        bool isScanning = other->scanning.isOn && time >= other->scanning.start;
        if (isScanning && (!other->scanning.acceptedOnly || accepts(other, address))) reportTo(other, advertiser, address);
        bool isWanted = other->initiating.acceptedOnly ? accepts(other, address) : areEqual(other->initiating.peer, address);
        if (other->initiating.isOn && isWanted && advertiser->advertising.kind == Connectable) connectControllers(other, advertiser);
    }
}

Milliseconds runAir(void) {
    Milliseconds time = now(), next = time + 1000;
    for (int i = 0; i < controllerCount; i++) {
        Controller *controller = &controllers[i];
        if (controller->advertising.isOn && controller->advertising.next <= time) advertise(controller, time);
        if (controller->advertising.isOn && controller->advertising.next < next) next = controller->advertising.next;
    }
    for (Link *link = links; link < links + MaxLinks; link++) {
        if (link->deadline && link->deadline <= time) loseLink(link, ConnectionTimeout);
        if (link->deadline && link->deadline < next) next = link->deadline;
    }
    return next;
}
