"""`flametap serve --allow-record`: recordings that the server makes: live, ended, orphaned, refused."""

import fcntl
import http.client
import json
import os
import re
import signal
import time
from pathlib import Path

import pytest

import flametap
from server import Server, profiles
from target import PATIENCE_S, LineReader, wait_until


def test_recording_is_refused_unless_allowed(tmp_path):
    with Server(tmp_path / "data") as server:
        assert server.get("/api/processes").status == 403
        assert server.ask("POST", "/api/record", '{"pid": 1}').status == 403


def test_a_process_is_recorded_live_and_kept(tmp_path, start, usual_python):
    target = start(usual_python, "tangle.py")
    target.says()
    with Server(tmp_path / "data", "--allow-record") as server:
        assert server.get("/api/status").json()["allow_record"]
        assert target.pid in [each["pid"] for each in server.get("/api/processes").json()["processes"]]
        request = json.dumps({"pid": target.pid, "seconds": 3600, "rate_hz": 200})
        reply = server.ask("POST", "/api/record", request)
        assert reply.status == 201, reply
        path = "/api/profiles/" + reply.json()["id"]
        assert server.get(path).json()["live"] and profiles(server)[0]["live"]
        have, live = b"", True
        while live:
            part = server.get("%s/ftap?from=%d" % (path, len(have)))
            have += part.body
            live = part.headers["Flametap-Live"] == "yes"
            if len(have) > 1000:
                target.end()
        about = server.get(path).json()
        assert have == server.get(path + "/ftap").body and about["bytes"] == len(have)
        assert about["samples"] > 0 and "tangle.py" in about["command"] and about["host"]
        assert [each["id"] for each in profiles(server)] == [about["id"]]


class Page:
    """What a page asks the server of `record --serve` for; `path` is where it keeps its recording."""

    def __init__(self, url):
        found = re.match(r"http://(?P<address>[^/]*)/p/(?P<id>[^#]*)#.*token=(?P<token>.*)$", url)
        self.address, self.token = found["address"], found["token"]
        self.path = "/api/profiles/" + found["id"]
        self.have = b""

    def get(self, path):
        client = http.client.HTTPConnection(self.address, timeout=PATIENCE_S)
        client.request("GET", path, headers={"Authorization": "Bearer " + self.token})
        answer = client.getresponse()
        return answer.headers, answer.read()

    def fetch_new(self):
        """Whether there may be more."""
        headers, body = self.get("%s/ftap?from=%d" % (self.path, len(self.have)))
        self.have += body
        return headers["Flametap-Live"] == "yes"


@pytest.fixture
def served(usual_python, start, tmp_path):
    """A recording that is served, its page, and the lines that it says."""
    target = start(usual_python, "tangle.py")
    target.says()
    process = flametap.start("record", "-p", target.pid, "--mode", "wall", "--serve", "-o", tmp_path / "out.ftap")
    lines = LineReader(process.stderr.fileno())

    def wait_for(words):
        line = lines.line()
        while words not in line:
            line = lines.line()
        return line

    yield process, Page(wait_for("watch it at").rpartition(" ")[2]), wait_for
    process.kill()
    process.communicate()


def test_nobody_waits_for_a_page_that_was_never_there(served):
    process, _, wait_for = served
    process.send_signal(signal.SIGINT)
    wait_for("written to")
    assert b"waiting until the page" not in process.stderr.read()
    assert process.wait(PATIENCE_S) == flametap.DONE


def test_a_page_gets_the_rest_of_a_recording_that_ends(served, tmp_path):
    process, page, wait_for = served
    wait_until(lambda: page.fetch_new() and page.have, "there is something")
    process.send_signal(signal.SIGINT)
    wait_for("waiting until the page has the rest")
    assert not page.fetch_new()
    assert not json.loads(page.get(page.path)[1])["live"]
    assert process.wait(PATIENCE_S) == flametap.DONE
    assert page.have == (tmp_path / "out.ftap").read_bytes()


def test_a_second_signal_ends_the_wait_for_a_page(served):
    """It would go on for ten seconds."""
    process, page, wait_for = served
    wait_until(lambda: page.fetch_new() and page.have, "there is something")
    process.send_signal(signal.SIGINT)
    wait_for("waiting until the page has the rest")
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(PATIENCE_S) == flametap.DONE
    assert time.monotonic() - began < 10


def link_of(descriptor):
    """Of one that was closed since: nothing. What was inherited stays open."""
    try:
        return os.readlink(descriptor)
    except FileNotFoundError:
        return ""


def test_what_the_server_starts_has_none_of_its_connections(tmp_path, start, usual_python):
    """It may live longer, and would go on to listen."""
    target = start(usual_python, "tangle.py")
    target.says()
    with Server(tmp_path / "data", "--allow-record") as server:
        reply = server.ask("POST", "/api/record", json.dumps({"pid": target.pid, "seconds": 3600}))
        assert reply.status == 201, reply
        [child] = Path("/proc/%d/task/%d/children" % (server.process.pid, server.process.pid)).read_text().split() or [
            pid for task in Path("/proc/%d/task" % server.process.pid).iterdir() for pid in (task / "children").read_text().split()]
        links = [link_of(descriptor) for descriptor in Path("/proc/%s/fd" % child).iterdir()]
        assert not [link for link in links if link.startswith("socket:")], links


def test_a_recording_that_cannot_be_stored_stays_and_is_told(tmp_path):
    live = tmp_path / "data" / "live"
    live.mkdir(parents=True)
    for ending in ("ftap", "log"):
        (live / ("abcdefghijklmnop." + ending)).write_bytes(b"no recording")
    with Server(tmp_path / "data") as server:
        assert profiles(server) == []
        told = "\n".join(server.messages)
    assert "abcdefghijklmnop.ftap is not in the list" in told and "now kept" not in told
    assert (live / "abcdefghijklmnop.ftap").read_bytes() == b"no recording"


def test_a_recording_that_cannot_be_says_why(tmp_path, start, usual_python):
    with Server(tmp_path / "data", "--allow-record") as server:
        reply = server.ask("POST", "/api/record", '{"pid": 4194304}')
        assert reply.status == 404 and "4194304" in reply.json()["error"], reply
        reply = server.ask("POST", "/api/record", json.dumps({"pid": server.process.pid}))
        assert reply.status == 422, reply
        for body in ("", "{}", '{"pid": "1"}', '{"pid": -1}', '{"pid": 1, "seconds": 0}', '{"pid": 1, "rate_hz": 1e9}'):
            assert server.ask("POST", "/api/record", body).status == 422, body
        assert list((tmp_path / "data" / "live").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order_and_with_it_its_recordings(tmp_path, start, usual_python, number):
    target = start(usual_python, "tangle.py")
    target.says()
    with Server(tmp_path / "data", "--allow-record") as server:
        reply = server.ask("POST", "/api/record", json.dumps({"pid": target.pid, "seconds": 3600}))
        assert reply.status == 201, reply
        path = "/api/profiles/" + reply.json()["id"]
        wait_until(lambda: server.get(path).json()["bytes"] > 1000, "something is recorded")
        assert server.end(number) == 0
    with Server(tmp_path / "data") as server:
        about = server.get(path).json()
        assert about["samples"] > 0 and not about["live"]


def test_what_a_killed_server_was_recording_is_kept_by_the_next(tmp_path, start, usual_python):
    target = start(usual_python, "tangle.py")
    target.says()
    with Server(tmp_path / "data", "--allow-record") as server:
        reply = server.ask("POST", "/api/record", json.dumps({"pid": target.pid, "seconds": 3600}))
        path = "/api/profiles/" + reply.json()["id"]
        wait_until(lambda: server.get(path).json()["bytes"] > 1000, "something is recorded")
        server.end(signal.SIGKILL)
    target.end()  # and with it the recorder, which nobody watches any more
    log = tmp_path / "data" / "live" / (path.rpartition("/")[2] + ".log")
    with log.open() as held_by_the_recorder:
        fcntl.flock(held_by_the_recorder, fcntl.LOCK_EX)
    with Server(tmp_path / "data") as server:
        assert server.get(path).json()["samples"] > 0
        assert not log.exists()
