#include "radio.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Bluetooth Core specification, volume 4, part E.
enum { CommandPacket = 1, DataPacket = 2, EventPacket = 4 };
enum { DisconnectionComplete = 0x05, EncryptionChange = 0x08, VersionComplete = 0x0c, CommandComplete = 0x0e, CommandStatus = 0x0f,
       PacketsCompleted = 0x13, KeyRefresh = 0x30, LowEnergy = 0x3e };
enum { ConnectionComplete = 1, AdvertisingReport = 2, UpdateComplete = 3, FeaturesComplete = 4, KeyRequest = 5 };
enum {
    Disconnect = 0x0406, ReadRemoteVersion = 0x041d,
    SetEventMask = 0x0c01, Reset = 0x0c03,
    ReadVersion = 0x1001, ReadCommands = 0x1002, ReadFeatures = 0x1003, ReadBufferSize = 0x1005, ReadAddress = 0x1009,
    ReadSignalStrength = 0x1405,
    SetLEEventMask = 0x2001, ReadLEBufferSize, ReadLEFeatures,
    SetRandomAddress = 0x2005, SetAdvertising, ReadAdvertisingPower, SetAdvertisingData, SetScanResponse, EnableAdvertising,
    SetScanning, EnableScanning, Connect, CancelConnect, ReadAcceptListSize, ClearAcceptList, AddToAcceptList, RemoveFromAcceptList,
    UpdateConnection,
    ReadRemoteFeatures = 0x2016, Random = 0x2018, StartEncryption, ReplyKey, RefuseKey, ReadStates,
};

// What the commands above are in the bit map that ReadCommands returns.
static const uint8_t supportedCommands[64] = {
    [0] = 0x20, [2] = 0x80, [5] = 0xc0, [14] = 0xb8, [15] = 0x22, [25] = 0xf7, [26] = 0xff, [27] = 0xa7, [28] = 0x0f,
};
static const uint8_t lowEnergyFeatures = 0x01;  // encryption
static const uint8_t version42 = 8, unassignedCompany[2] = { 0xff, 0xff };

static const uint8_t signalStrength = (uint8_t)-50;  // dBm

#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define LOW_HIGH(value) (uint8_t)(value), (uint8_t)((value) >> 8)

static uint16_t read16(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

static void sendToHost(const Controller *controller, const uint8_t *packet, size_t size) {
    if (controller->file >= 0 && write(controller->file, packet, size) != (ssize_t)size) perror("radio: /dev/vhci");
}

static void sendEvent(const Controller *controller, uint8_t code, const uint8_t *parameters, size_t size) {
    uint8_t packet[3 + 255] = { EventPacket, code, (uint8_t)size };
    memcpy(packet + 3, parameters, size);
    sendToHost(controller, packet, 3 + size);
}

static void complete(const Controller *controller, uint16_t command, const uint8_t *result, size_t size) {
    uint8_t parameters[255] = { 1, LOW_HIGH(command) };
    memcpy(parameters + 3, result, size);
    sendEvent(controller, CommandComplete, parameters, 3 + size);
}

static void sendStatus(const Controller *controller, uint16_t command, uint8_t status) {
    sendEvent(controller, CommandStatus, BYTES(status, 1, LOW_HIGH(command)));
}

// MARK: What the air tells

void reportAdvertisement(Controller *controller, uint8_t kind, Address advertiser, const AdvertisingData *data) {
    uint8_t report[64] = { AdvertisingReport, 1, kind };
    memcpy(report + 3, &advertiser, sizeof advertiser);
    report[10] = data->length;
    memcpy(report + 11, data->bytes, data->length);
    report[11 + data->length] = signalStrength;
    sendEvent(controller, LowEnergy, report, 12 + data->length);
}

void reportConnection(Controller *controller, uint8_t status, const Link *link, uint8_t role, Address peer) {
    uint8_t report[19] = { ConnectionComplete, status };
    memcpy(report + 5, &peer, sizeof peer);
    if (link) {
        uint8_t parameters[6] = { LOW_HIGH(link->interval), LOW_HIGH(link->latency), LOW_HIGH(link->timeout) };
        report[2] = (uint8_t)handle(link);
        report[3] = (uint8_t)(handle(link) >> 8);
        report[4] = role;
        memcpy(report + 12, parameters, sizeof parameters);
    }
    sendEvent(controller, LowEnergy, report, sizeof report);
}

void reportParameters(Controller *controller, const Link *link) {
    sendEvent(controller, LowEnergy, BYTES(UpdateComplete, Success, LOW_HIGH(handle(link)), LOW_HIGH(link->interval),
                                           LOW_HIGH(link->latency), LOW_HIGH(link->timeout)));
}

void reportDisconnection(Controller *controller, const Link *link, uint8_t reason) {
    sendEvent(controller, DisconnectionComplete, BYTES(Success, LOW_HIGH(handle(link)), reason));
}

static void reportEncryption(const Controller *controller, const Link *link, uint8_t status) {
    bool isRefresh = link->encryption.isOn && status == Success;
    if (isRefresh) sendEvent(controller, KeyRefresh, BYTES(status, LOW_HIGH(handle(link))));
    else sendEvent(controller, EncryptionChange, BYTES(status, LOW_HIGH(handle(link)), status == Success));
}

void deliver(Controller *controller, const Packet *packet) { sendToHost(controller, packet->bytes, packet->size); }

void reportDelivered(Controller *controller, const Link *link) {
    sendEvent(controller, PacketsCompleted, BYTES(1, LOW_HIGH(handle(link)), LOW_HIGH(1)));
}

// MARK: Addresses

Address ownAddress(const Controller *controller, uint8_t kind) {
    Address address = { .isRandom = kind & 1 };
    memcpy(address.bytes, address.isRandom ? controller->randomAddress : controller->publicAddress, sizeof address.bytes);
    return address;
}

bool areEqual(Address a, Address b) { return !memcmp(&a, &b, sizeof a); }

static int acceptedIndex(const Controller *controller, Address address) {
    int i = 0;
    while (i < controller->acceptedCount && !areEqual(controller->accepted[i], address)) i++;
    return i;
}

bool accepts(const Controller *controller, Address address) { return acceptedIndex(controller, address) < controller->acceptedCount; }

static uint8_t addToAcceptList(Controller *controller, Address address) {
    if (accepts(controller, address)) return Success;
    if (controller->acceptedCount == MaxAccepted) return MemoryExceeded;
    controller->accepted[controller->acceptedCount++] = address;
    return Success;
}

static void removeFromAcceptList(Controller *controller, Address address) {
    int i = acceptedIndex(controller, address);
    if (i < controller->acceptedCount) controller->accepted[i] = controller->accepted[--controller->acceptedCount];
}

// MARK: What the host says

void resetController(Controller *controller) {
    loseLinks(controller);
    Controller fresh = { .number = controller->number, .file = controller->file, .isAway = controller->isAway };
    memcpy(fresh.publicAddress, controller->publicAddress, sizeof fresh.publicAddress);
    fresh.advertising.interval = 1280;
    *controller = fresh;
}

static AdvertisingData advertisingData(const uint8_t *parameters) {
    AdvertisingData data = { .length = parameters[0] > 31 ? 31 : parameters[0] };
    memcpy(data.bytes, parameters + 1, data.length);
    return data;
}

static Address addressIn(const uint8_t *parameters) {
    Address address;
    memcpy(&address, parameters, sizeof address);
    return address;
}

// Commands about the controller itself: an answer at once. The status is Success unless the answer is longer.
static void obey(Controller *controller, uint16_t command, const uint8_t *parameters) {
    uint8_t status = Success;
    switch (command) {
    case SetEventMask: case SetLEEventMask: break;
    case Reset: resetController(controller); break;
    case ReadVersion:
        return complete(controller, command, BYTES(Success, version42, 0, 0, version42, unassignedCompany[0], unassignedCompany[1], 0, 0));
    case ReadCommands: {
        uint8_t result[1 + sizeof supportedCommands] = { Success };
        memcpy(result + 1, supportedCommands, sizeof supportedCommands);
        return complete(controller, command, result, sizeof result);
    }
    case ReadFeatures: return complete(controller, command, BYTES(Success, 0, 0, 0, 0, 0x60, 0, 0, 0));  // LE without BR/EDR
    case ReadLEFeatures: return complete(controller, command, BYTES(Success, lowEnergyFeatures, 0, 0, 0, 0, 0, 0, 0));
    case ReadStates: return complete(controller, command, BYTES(Success, 0xff, 0xff, 0xff, 0xff, 0xff, 0x03, 0, 0));  // all combinations
    case ReadBufferSize: return complete(controller, command, BYTES(Success, 0, 0, 0, 0, 0, 0, 0));  // none but LE's
    case ReadLEBufferSize: return complete(controller, command, BYTES(Success, LOW_HIGH(PacketSize - 5), PacketCount));
    case ReadAddress: {
        const uint8_t *a = controller->publicAddress;
        return complete(controller, command, BYTES(Success, a[0], a[1], a[2], a[3], a[4], a[5]));
    }
    case ReadAdvertisingPower: return complete(controller, command, BYTES(Success, 0));
    case ReadAcceptListSize: return complete(controller, command, BYTES(Success, MaxAccepted));
    case Random: {
        uint8_t result[9] = { Success };
        for (int i = 1; i < 9; i++) result[i] = (uint8_t)randomBelow(256);
        return complete(controller, command, result, sizeof result);
    }
    case ReadSignalStrength: {
        uint8_t found = linkWithHandle(controller, read16(parameters)) ? Success : UnknownConnection;
        return complete(controller, command, BYTES(found, parameters[0], parameters[1], signalStrength));
    }

    case SetRandomAddress: memcpy(controller->randomAddress, parameters, 6); break;
    case SetAdvertising:
        if (controller->advertising.isOn) { status = CommandDisallowed; break; }
        controller->advertising.interval = read16(parameters) * 5 / 8;
        if (controller->advertising.interval < 20) controller->advertising.interval = 20;
        controller->advertising.kind = parameters[4];
        controller->advertising.ownAddress = parameters[5];
        break;
    case SetAdvertisingData: controller->advertising.data = advertisingData(parameters); forgetReports(controller); break;
    case SetScanResponse: controller->advertising.scanResponse = advertisingData(parameters); forgetReports(controller); break;
    case EnableAdvertising:
        if (!parameters[0]) controller->advertising.isOn = false;
        else if (!controller->advertising.isOn) startAdvertising(controller);
        break;

    case SetScanning:
        if (controller->scanning.isOn) { status = CommandDisallowed; break; }
        controller->scanning.isActive = parameters[0];
        controller->scanning.acceptedOnly = parameters[6] & 1;
        break;
    case EnableScanning:
        // The kernel ignores what it is told before its own discovery state is set.
        if (parameters[0] && !controller->scanning.isOn) controller->scanning.start = now() + 50, controller->scanning.reported = 0;
        controller->scanning.isOn = parameters[0];
        controller->scanning.filtersDuplicates = parameters[1];
        break;

    case ClearAcceptList: controller->acceptedCount = 0; break;
    case AddToAcceptList: status = addToAcceptList(controller, addressIn(parameters)); break;
    case RemoveFromAcceptList: removeFromAcceptList(controller, addressIn(parameters)); break;

    case CancelConnect:
        if (!controller->initiating.isOn) { status = CommandDisallowed; break; }
        controller->initiating.isOn = false;
        complete(controller, command, BYTES(Success));
        return reportConnection(controller, UnknownConnection, NULL, Central, controller->initiating.peer);
    default: status = UnknownCommand;
    }
    complete(controller, command, BYTES(status));
}

static void startConnecting(Controller *controller, const uint8_t *parameters) {
    if (controller->initiating.isOn) return sendStatus(controller, Connect, CommandDisallowed);
    controller->initiating.isOn = true;
    controller->initiating.acceptedOnly = parameters[4] & 1;
    controller->initiating.peer = addressIn(parameters + 5);
    controller->initiating.ownAddress = parameters[12];
    controller->initiating.interval = read16(parameters + 15);
    controller->initiating.latency = read16(parameters + 17);
    controller->initiating.timeout = read16(parameters + 19);
    sendStatus(controller, Connect, Success);
}

// MARK: Encryption. Both ends have to have the same key; packets stay as they are.

static void startEncryption(Link *link, const uint8_t *parameters) {
    uint8_t request[13] = { KeyRequest };
    memcpy(request + 1, parameters, 12);  // handle, and what tells keys apart
    memcpy(link->encryption.key, parameters + 12, sizeof link->encryption.key);
    link->encryption.isWaiting = true;
    sendEvent(link->ends[Peripheral], LowEnergy, request, sizeof request);
}

static void answerKeyRequest(Controller *controller, uint16_t command, const uint8_t *parameters) {
    Link *link = linkWithHandle(controller, read16(parameters));
    bool isAsked = link && link->ends[Peripheral] == controller && link->encryption.isWaiting;
    uint8_t status = isAsked ? Success : link ? CommandDisallowed : UnknownConnection;
    complete(controller, command, BYTES(status, parameters[0], parameters[1]));
    if (!isAsked) return;
    link->encryption.isWaiting = false;
    if (command == RefuseKey) return reportEncryption(link->ends[Central], link, KeyMissing);
    if (memcmp(link->encryption.key, parameters + 2, sizeof link->encryption.key)) return loseLink(link, IntegrityFailure);
    for (int end = Central; end <= Peripheral; end++) reportEncryption(link->ends[end], link, Success);
    link->encryption.isOn = true;
}

// Commands about a link: a status at once, an event when done.
static void obeyForLink(Controller *controller, uint16_t command, const uint8_t *parameters) {
    Link *link = linkWithHandle(controller, read16(parameters));
    bool isMisplaced = link && command == StartEncryption && link->ends[Central] != controller;
    sendStatus(controller, command, isMisplaced ? CommandDisallowed : link ? Success : UnknownConnection);
    if (!link || isMisplaced) return;
    switch (command) {
    case StartEncryption: startEncryption(link, parameters); break;
    case Disconnect: endLink(link, controller, parameters[2]); break;
    case UpdateConnection:
        link->interval = read16(parameters + 4);
        link->latency = read16(parameters + 6);
        link->timeout = read16(parameters + 8);
        reportParameters(link->ends[Central], link);
        reportParameters(link->ends[Peripheral], link);
        break;
    case ReadRemoteFeatures:
        sendEvent(controller, LowEnergy, BYTES(FeaturesComplete, Success, LOW_HIGH(handle(link)), lowEnergyFeatures, 0, 0, 0, 0, 0, 0, 0));
        break;
    case ReadRemoteVersion:
        sendEvent(controller, VersionComplete, BYTES(Success, LOW_HIGH(handle(link)), version42, unassignedCompany[0], unassignedCompany[1], 0, 0));
        break;
    }
}

void receiveFromHost(Controller *controller, const uint8_t *packet, size_t size) {
    if (packet[0] == CommandPacket && size >= 4) {
        uint8_t parameters[255] = { 0 };  // so that a short command reads as zeros
        memcpy(parameters, packet + 4, size - 4 > sizeof parameters ? sizeof parameters : size - 4);
        uint16_t command = read16(packet + 1);
        switch (command) {
        case Connect: startConnecting(controller, parameters); break;
        case ReplyKey: case RefuseKey: answerKeyRequest(controller, command, parameters); break;
        case Disconnect: case UpdateConnection: case ReadRemoteFeatures: case ReadRemoteVersion: case StartEncryption:
            obeyForLink(controller, command, parameters);
            break;
        default: obey(controller, command, parameters);
        }
    } else if (packet[0] == DataPacket && size >= 5 && size <= PacketSize) {
        Link *link = linkWithHandle(controller, read16(packet + 1));
        if (!link) return;
        uint8_t copy[PacketSize];
        memcpy(copy, packet, size);
        if (!(copy[2] & 0x30)) copy[2] |= 0x20;  // the first packet of several has another mark in this direction
        sendOverLink(link, controller, copy, size);
    }
}
