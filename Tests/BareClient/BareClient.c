// The least that a program can do to hear a button over D-Bus: it prints, for each notification, when it was there, in nanoseconds of CLOCK_MONOTONIC.
// Usage: BareClient system|ADDRESS
#include <dbus/dbus.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static DBusConnection *connect_to(const char *bus, DBusError *error) {
    if (strcmp(bus, "system") == 0) return dbus_bus_get_private(DBUS_BUS_SYSTEM, error);
    DBusConnection *connection = dbus_connection_open_private(bus, error);
    if (connection && !dbus_bus_register(connection, error)) return NULL;
    return connection;
}

// Whether the message has a value in it, which is looked up as a client would.
static dbus_bool_t has_value(DBusMessage *message) {
    DBusMessageIter arguments, properties;
    if (!dbus_message_has_signature(message, "sa{sv}as") || !dbus_message_iter_init(message, &arguments)) return FALSE;
    dbus_message_iter_next(&arguments);
    dbus_message_iter_recurse(&arguments, &properties);
    for (; dbus_message_iter_get_arg_type(&properties) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&properties)) {
        DBusMessageIter entry, variant, bytes;
        const char *name;
        const unsigned char *value;
        int length;
        dbus_message_iter_recurse(&properties, &entry);
        dbus_message_iter_get_basic(&entry, &name);
        if (strcmp(name, "Value") != 0) continue;
        dbus_message_iter_next(&entry);
        dbus_message_iter_recurse(&entry, &variant);
        if (dbus_message_iter_get_arg_type(&variant) != DBUS_TYPE_ARRAY || dbus_message_iter_get_element_type(&variant) != DBUS_TYPE_BYTE) continue;
        dbus_message_iter_recurse(&variant, &bytes);
        dbus_message_iter_get_fixed_array(&bytes, &value, &length);
        return length > 0;
    }
    return FALSE;
}

int main(int count, char **arguments) {
    DBusError error;
    DBusMessage *message;
    if (count != 2) return 2;
    dbus_error_init(&error);
    DBusConnection *connection = connect_to(arguments[1], &error);
    if (connection) {
        dbus_bus_add_match(
            connection,
            "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',arg0='org.bluez.GattCharacteristic1'",
            &error
        );
    }
    if (dbus_error_is_set(&error)) {
        fprintf(stderr, "BareClient: %s\n", error.message);
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    puts("listens");
    while (dbus_connection_read_write(connection, -1)) {
        while ((message = dbus_connection_pop_message(connection))) {
            if (has_value(message)) {
                struct timespec now;
                clock_gettime(CLOCK_MONOTONIC, &now);
                printf("%lld\n", now.tv_sec * 1000000000LL + now.tv_nsec);
            }
            dbus_message_unref(message);
        }
    }
    return 0;
}
