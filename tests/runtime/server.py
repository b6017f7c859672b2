"""A running `flametap serve`, and clients of it."""

import ctypes
import http.client
import json
import os
import re
import signal
import socket
import urllib.parse
from pathlib import Path

import flametap
from target import PATIENCE_S, LineReader

LISTENING = re.compile(r"flametap: listening on http://(?P<host>[^/]*):(?P<port>\d+)/, profiles in (?P<folder>.*)$")
PIDFD_GETFD = 438  # a system call
FOLDED = b"main (a.py:1);work (a.py:2) 10\nmain (a.py:1);rest (a.py:3) 5\n"


class Reply:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return "%d %s %r" % (self.status, dict(self.headers), self.body[:500])


class Server:
    """A server of its own on a free port; `folder` may be one of a server before."""

    def __init__(self, folder, *options, listen="127.0.0.1:0"):
        self.folder = folder
        self.process = flametap.start("serve", "--listen", listen, "--data", folder, *options)
        lines = LineReader(self.process.stderr.fileno())
        self.messages = []
        while True:
            self.messages.append(lines.line())
            found = LISTENING.match(self.messages[-1])
            if found:
                break
        self.port = int(found["port"])
        self.address = found["host"].strip("[]")
        self.url = "http://%s:%d/" % (found["host"], self.port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, number=signal.SIGTERM):
        """The exit code of a server that is told to end, or already has."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    def client(self):
        return http.client.HTTPConnection(self.address, self.port, timeout=PATIENCE_S)

    def ask(self, method, path, body=None, headers=None):
        client = self.client()
        try:
            client.request(method, path, body, headers or {})
            answer = client.getresponse()
            return Reply(answer.status, answer.headers, answer.read())
        finally:
            client.close()

    def get(self, path, **headers):
        return self.ask("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def upload(self, body=FOLDED, **parameters):
        """The id of a profile that must be taken."""
        reply = self.ask("POST", "/api/profiles?" + urllib.parse.urlencode(parameters), body)
        assert reply.status == 201, reply
        return reply.json()["id"]

    def raw(self, data):
        """Whatever comes back for these bytes, until the server closes the connection."""
        with socket.create_connection((self.address, self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(data)
            return read_all(connection)

    def socket_of(self, connection):
        """The server's end of a connection, as a socket of our own."""
        ports = ":%04X 0100007F:%04X" % (self.port, connection.getsockname()[1])
        rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines() if ports in row]
        (inode,) = [row[9] for row in rows]
        (descriptor,) = [int(path.name) for path in Path("/proc/%d/fd" % self.process.pid).iterdir()
                         if os.readlink(path) == "socket:[%s]" % inode]
        pidfd = os.pidfd_open(self.process.pid)
        try:
            return socket.socket(fileno=ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, pidfd, descriptor, 0))
        finally:
            os.close(pidfd)

    def memory_kb(self, name="VmHWM"):
        with open("/proc/%d/status" % self.process.pid) as status:
            return int(re.search(name + r":\s+(\d+) kB", status.read())[1])


def profiles(server, query=""):
    """What the server has in its list."""
    reply = server.get("/api/profiles" + query)
    assert reply.status == 200, reply
    return reply.json()["profiles"]


def read_all(connection):
    parts = []
    try:
        while True:
            part = connection.recv(1 << 16)
            if not part:
                break
            parts.append(part)
    except ConnectionResetError:
        pass  # the server has closed it while we were still sending
    return b"".join(parts)


def status_of(raw):
    found = re.match(rb"HTTP/1\.1 (\d+) ", raw)
    assert found, "no HTTP response: %r" % raw[:200]
    return int(found[1])


def load_seconds():
    """How long the load tests go on; longer by hand: FLAMETAP_LOAD_SECONDS=60."""
    return float(os.environ.get("FLAMETAP_LOAD_SECONDS", "3"))
