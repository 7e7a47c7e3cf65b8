#if __has_include(<mosquitto.h>)
#include <mosquitto.h>
#include <mqtt_protocol.h>
#else
#error "The package trait MQTT needs libmosquitto. On Debian and Ubuntu: apt-get install libmosquitto-dev"
#endif
