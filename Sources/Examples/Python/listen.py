#!/usr/bin/env python3
"""Shows presses of buttons: listen.py [SOCKET]. Needs a running daemon ('flic run') and nothing but Python."""
import json
import os
import socket
import sys


def find():
    """Where the daemon's socket is."""
    user = os.environ.get("XDG_RUNTIME_DIR", "")
    places = [user + "/flickit.sock", user + "/flickit/flickit.sock", "/run/flickit/flickit.sock"]
    return next((place for place in places if os.path.exists(place)), places[-1])


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else find()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(path)
        lines = connection.makefile("rw", encoding="utf-8")
        request = {"id": 1, "request": "subscribe", "events": ["click", "doubleClick", "tripleClick", "hold"]}
        print(json.dumps(request), file=lines, flush=True)
        for line in lines:
            message = json.loads(line)
            if "error" in message:
                sys.exit(message["error"]["message"])
            if "button" in message:
                late = " (%d s late)" % message["age"] if message.get("queued") else ""
                print(message.get("name", message["button"]), message["event"] + late, flush=True)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit("The daemon cannot be reached: %s" % error)
