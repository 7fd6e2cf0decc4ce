"""A browser as a child process, driven over two pipes by the DevTools protocol: JSON messages, each terminated by a zero byte."""

import fcntl
import json
import os
import select
import time

PROGRAM = "/usr/lib/chromium/chromium-headless-shell"

# The browser only ever shows one page, so site isolation would only cost memory. Its own sandbox needs
# namespaces, which ours takes away. Without a JIT compiler, no page can have code written and executed.
FLAGS = [
    "--no-sandbox",
    "--no-zygote",
    "--in-process-gpu",
    "--disable-gpu",
    "--disable-software-rasterizer",
    "--disable-3d-apis",
    "--disable-dev-shm-usage",
    "--enable-features=NetworkServiceInProcess2",
    "--disable-features=IsolateOrigins,site-per-process",
    "--disable-site-isolation-trials",
    # Makes a loop check for termination more often: the default is every 12,000 iterations, each of which may show a dialog.
    "--js-flags=--jitless --invocation-count-for-turbofan=30",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=0.0.0.0:1",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-notifications",
    "--disable-speech-api",
    "--disable-databases",
    "--disable-file-system",
    "--deny-permission-prompts",
    "--no-first-run",
    "--mute-audio",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--lang=en-US",
    "--user-data-dir=/tmp/browser",
    "--remote-debugging-pipe",
]
CHUNK = 1 << 20
# In seconds.
INTERRUPT_AGAIN = 0.1


class Lost(Exception):
    """The browser or its page has died, which says nothing about the file."""


class Refused(Exception):
    """The browser answered a command with an error."""


class Browser:
    """`on_event` handles each event of the page as it arrives."""

    def __init__(self, on_event):
        # Away from 3 and 4, where the browser expects its ends.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 16) for end in os.pipe() + os.pipe()]
        theirs_in, self._out, self._in, theirs_out = ends
        moves = [(os.POSIX_SPAWN_DUP2, theirs_in, 3), (os.POSIX_SPAWN_DUP2, theirs_out, 4)]
        # Its standard output must not be mistaken for our answers.
        moves.append((os.POSIX_SPAWN_DUP2, 2, 1))
        os.posix_spawn(PROGRAM, [PROGRAM, *FLAGS, "about:blank"], os.environ, file_actions=moves)
        os.close(theirs_in)
        os.close(theirs_out)
        self._on_event = on_event
        self._rest = bytearray()
        self._ready = []
        self._last = 0
        self._session = None
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in pages if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]

    def send(self, method, **params):
        """Sends a command without waiting for its answer."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        bytes_left = memoryview(json.dumps(message).encode() + b"\0")
        while bytes_left:
            bytes_left = bytes_left[os.write(self._out, bytes_left) :]
        return self._last

    def call(self, method, **params):
        """Sends a command and returns its result, handling events meanwhile."""
        number = self.send(method, **params)
        while True:
            message = self._next()
            if message.get("id") == number:
                return self._result_of(message)
            self._handle(message)

    def insist(self, interruption, since, method, **params):
        """Like `call`, but from `since` on (monotonic clock, seconds) sends `interruption` repeatedly until the answer arrives."""
        number = self.send(method, **params)
        while True:
            if time.monotonic() >= since or not self._is_readable(since):
                self.send(interruption)
                since = time.monotonic() + INTERRUPT_AGAIN
                continue
            message = self._next()
            if message.get("id") == number:
                return self._result_of(message)
            self._handle(message)

    def wait(self, is_over, until=None):
        """Handles events until `is_over()`, or until `until` (monotonic clock, seconds). Returns whether it is over."""
        while not is_over():
            if until is not None and not self._is_readable(until):
                return False
            self._handle(self._next())
        return True

    def _result_of(self, message):
        if "error" in message:
            raise Refused(str(message["error"].get("message", "")))
        return message["result"]

    def _handle(self, message):
        if "method" not in message:
            return
        if message["method"] in ("Inspector.targetCrashed", "Target.detachedFromTarget"):
            raise Lost()
        self._on_event(message["method"], message.get("params", {}))

    def _is_readable(self, until):
        return bool(self._ready) or bool(select.select([self._in], [], [], max(0, until - time.monotonic()))[0])

    def _next(self):
        while not self._ready:
            part = os.read(self._in, CHUNK)
            if not part:
                raise Lost()
            if b"\0" not in part:
                self._rest += part
                continue
            first, *others = part.split(b"\0")
            self._ready = [bytes(self._rest) + first, *others[:-1]]
            self._rest = bytearray(others[-1])
            self._ready.reverse()
        return json.loads(self._ready.pop())
