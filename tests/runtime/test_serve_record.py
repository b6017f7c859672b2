"""`flametap serve --allow-record`: recordings that the server makes: live, ended, orphaned, refused."""

import fcntl
import json
import os
import signal
from pathlib import Path

import pytest

from server import Server, profiles
from target import wait_until


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
