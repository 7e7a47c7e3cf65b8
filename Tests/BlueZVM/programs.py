"""Programs that a scenario drives by lines on their standard input, and watches by what they say."""

import atexit
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

running = []


class Unmet(Exception):
    """Something that should have happened has not."""


def check(row, what, is_met, found=""):
    """A line for a row of the contract, or the end of the scenario."""
    if not is_met:
        raise Unmet(f"{row} {what}: {found}")
    print(f"ok   {row} {what}", flush=True)


def perform(scenario, *arguments):
    """Runs a scenario; if something does not happen, all that its programs have said is told, and the exit status is 1."""
    try:
        scenario(*arguments)
    except Unmet as unmet:
        for program in running:
            print(f"--- {program.name}", *program.text.splitlines()[-60:], sep="\n")
        sys.exit(f"FAILED {unmet}")


@atexit.register
def end_all():
    for program in running:
        program.process.kill()


class Program:
    """Output is searched from a cursor on, which moves past what is found: so what is awaited in turn has to come in this order."""

    def __init__(self, name, *command):
        self.name, self.text, self.cursor = name, "", 0
        self._changed = threading.Condition()
        self._has_ended = False
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        threading.Thread(target=self._read, daemon=True).start()
        running.append(self)

    def _read(self):
        while piece := self.process.stdout.read(65536):
            with self._changed:
                self.text += piece.decode(errors="replace")
                self._changed.notify_all()
        with self._changed:
            self._has_ended = True
            self._changed.notify_all()

    def say(self, *lines):
        try:
            self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        except OSError as error:
            raise Unmet(f"{self.name} does not listen to {lines}: {error}") from None

    def await_(self, pattern, limit=60):
        """The next match, of whole lines if the pattern says so with ^ and $."""
        with self._changed:
            found = None

            def is_there():
                nonlocal found
                found = re.compile(pattern, re.MULTILINE).search(self.text, self.cursor)
                return found or self._has_ended

            self._changed.wait_for(is_there, limit)
            if not found:
                raise Unmet(f"{self.name} {'has ended without' if self._has_ended else f'has not said within {limit} s'}: {pattern}")
            self.cursor = found.end()
            return found

    def await_lines(self, *lines, limit=60):
        for line in lines:
            self.await_(f"^{line}$", limit)

    def count(self, pattern, start=0):
        return len(re.findall(f"^{pattern}$", self.text[start:], re.MULTILINE))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self, last_words, limit=10):
        """Its exit status."""
        self.say(last_words)
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            raise Unmet(f"{self.name} has not ended within {limit} s after {last_words}") from None


class Central(Program):
    """central.py."""

    def __init__(self, name):
        super().__init__(name, str(Path(__file__).resolve().parent / "central.py"))

    def get_ready(self):
        ready = json.loads(self.await_(r'^\{"event": "ready".*\}$').group())
        self.address, self.number = ready["address"], ready["number"]

    def begin(self, line):
        self.say(line)
        self._begun = line

    def result(self, limit=60):
        """What has become of the command that was begun."""
        name = self._begun.split()[0]
        return json.loads(self.await_(rf'^\{{"command": "{name}".*\}}$', limit).group())

    def ask(self, line):
        self.begin(line)
        return self.result()

    def do(self, line):
        """For what has to succeed."""
        result = self.ask(line)
        if "error" in result:
            raise Unmet(f"{self.name}: {line}: {result['error']}")
        return result

    def code(self, line):
        """The number of the error that a command ends with; None if it succeeds."""
        return self.ask(line).get("code")

    def values(self, uuid, start=0):
        """What has come of a characteristic, from a place in the output on."""
        lines = [line for line in self.text[start:].splitlines() if f'"uuid": "{uuid}"' in line and line.endswith("}")]
        return [bytes.fromhex(event["value"]) for event in map(json.loads, lines) if event.get("event") in ("notification", "indication")]
