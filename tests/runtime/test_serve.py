"""`flametap serve`: every route, every format in and out, what is promised on a crash, and many clients at once."""

import errno
import filecmp
import gzip
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import time

import pytest

import flametap
from server import FOLDED, Server, load_seconds, profiles
from target import PATIENCE_S, wait_until

GOLDEN = flametap.REPOSITORY / "tests" / "golden"
FORMATS = ("html", "svg", "folded", "speedscope", "pprof", "chrome", "cpuprofile", "json", "ftap")


@pytest.fixture
def server(tmp_path):
    with Server(tmp_path / "data") as running:
        yield running


def convert(path, format):
    done = flametap.run("report", path, "-f", format, "-o", "-")
    assert done.code == flametap.DONE, done
    return done.out


def test_no_answer_waits_for_the_client(server):
    """On a connection that is kept, the second part of an answer would wait for the client's word about the first."""
    with socket.create_connection((server.address, server.port), timeout=PATIENCE_S) as connection:
        connection.sendall(b"GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1)
        with server.socket_of(connection) as theirs:
            assert theirs.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1


def test_the_page_is_there_for_every_path_of_people(server):
    for path in ("/", "/p/abcdefghijklmnop", "/diff/abcdefghijklmnop/ponmlkjihgfedcba", "/upload"):
        reply = server.get(path)
        assert reply.status == 200 and reply.headers["Content-Type"].startswith("text/html"), reply
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]


def test_every_response_has_the_headers_of_caution(server):
    for path in ("/", "/api/status", "/api/none", "/svg"):
        headers = server.get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["Content-Security-Policy"]
        assert headers["Cache-Control"]
        assert "Access-Control-Allow-Origin" not in headers


def test_status(server):
    status = server.get("/api/status").json()
    assert status.pop("version")
    assert status == {"allow_record": False, "auth": False}


def test_what_is_uploaded_is_described_and_given_back(server):
    recording = convert(GOLDEN / "profile.json", "ftap")
    before_ns = time.time_ns()
    reply = server.ask("POST", "/api/profiles?name=Gr%C3%BC%C3%9Fe&tags=a,b%20c,a&host=web1", recording)
    assert reply.status == 201, reply
    id = reply.json()["id"]
    assert reply.json()["url"] == server.url + "p/" + id == reply.headers["Location"]

    [about] = profiles(server)
    assert about == server.get("/api/profiles/" + id).json()
    golden = json.loads((GOLDEN / "profile.json").read_text())
    assert about["name"] == "Grüße" and about["tags"] == ["a", "b c"] and about["host"] == "web1"
    assert about["command"] == golden["processes"][0]["command"]
    assert about["python"] == golden["processes"][0]["python"]
    assert about["bytes"] == len(recording) and about["live"] is False
    assert about["samples"] == sum(golden["samples"]["ticks"])
    assert before_ns <= int(about["uploaded_unix_ns"]) <= time.time_ns()
    assert server.get("/api/profiles/%s/ftap" % id).body == recording


@pytest.mark.parametrize("format", ["ftap", "json", "folded", "speedscope", "pprof"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_every_format_that_report_reads_is_taken(server, format, packed, tmp_path):
    body = convert(GOLDEN / "profile.json", format)
    id = server.upload(gzip.compress(body) if packed and format != "pprof" else body)
    (tmp_path / "kept.ftap").write_bytes(server.get("/api/profiles/%s/ftap" % id).body)
    (tmp_path / "sent").write_bytes(body)
    assert convert(tmp_path / "kept.ftap", "folded") == convert(tmp_path / "sent", "folded")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_given_as_report_makes_it(server, format, tmp_path):
    (tmp_path / "recording.ftap").write_bytes(convert(GOLDEN / "profile.json", "ftap"))
    id = server.upload((tmp_path / "recording.ftap").read_bytes(), name="a/b")
    reply = server.get("/api/profiles/%s/%s" % (id, format))
    assert reply.status == 200, reply
    assert reply.body == convert(tmp_path / "recording.ftap", format)
    assert 'filename="a-b.' in reply.headers["Content-Disposition"]


def test_part_of_a_recording(server):
    recording = convert(GOLDEN / "profile.json", "ftap")
    id = server.upload(recording)
    for start in (0, 1, len(recording) - 1, len(recording), 10**18):
        reply = server.get("/api/profiles/%s/ftap?from=%d" % (id, start))
        assert reply.status == 200 and reply.body == recording[start:], reply
        assert reply.headers["Flametap-Live"] == "no"
    assert server.get("/api/profiles/%s/ftap?from=-1" % id).status == 400


def test_thumbnail(server):
    id = server.upload()
    reply = server.get("/api/profiles/%s/thumbnail.svg" % id)
    assert reply.status == 200 and reply.headers["Content-Type"] == "image/svg+xml"
    assert reply.body.startswith(b"<svg") and reply.body.count(b"<rect") == 3
    assert "sandbox" in reply.headers["Content-Security-Policy"]


def test_name_and_tags_can_be_changed(server):
    id = server.upload(name="before")
    path = "/api/profiles/" + id
    assert server.ask("PATCH", path, json.dumps({"tags": ["x"]})).json()["tags"] == ["x"]
    changed = server.ask("PATCH", path, json.dumps({"name": "after"})).json()
    assert (changed["name"], changed["tags"]) == ("after", ["x"])
    assert server.get(path).json() == changed
    for body in ("", "[]", "{", '{"bytes": 1}', '{"name": 1}', '{"name": ""}', '{"tags": "x"}', '{"name": "a\\nb"}'):
        assert server.ask("PATCH", path, body).status == 422, body
    assert server.get(path).json() == changed


def test_what_is_deleted_is_gone(server):
    id = server.upload()
    assert server.ask("DELETE", "/api/profiles/" + id).status == 204
    for path in ("", "/ftap", "/svg", "/thumbnail.svg"):
        assert server.get("/api/profiles/" + id + path).status == 404
    assert server.ask("DELETE", "/api/profiles/" + id).status == 404
    assert profiles(server) == []


def test_list_is_searched_and_given_in_pages(server):
    for number in range(5):
        server.upload(name="run %d" % number, tags="even" if number % 2 == 0 else "odd")
    assert [each["name"] for each in profiles(server)] == ["run %d" % number for number in (4, 3, 2, 1, 0)]
    assert [each["name"] for each in profiles(server, "?tag=odd")] == ["run 3", "run 1"]
    assert [each["name"] for each in profiles(server, "?search=RUN+3")] == ["run 3"]
    seen, before = [], ""
    while before is not None:
        page = server.get("/api/profiles?limit=2&before=" + before).json()
        assert len(page["profiles"]) <= 2
        seen += [each["name"] for each in page["profiles"]]
        before = page["next"]
    assert seen == ["run %d" % number for number in (4, 3, 2, 1, 0)]
    for query in ("?limit=x", "?limit=0", "?before=x"):
        assert server.get("/api/profiles" + query).status == 400


def test_upload_by_curl_answers_one_line(server, tmp_path):
    (tmp_path / "shop.txt").write_bytes(FOLDED)
    done = subprocess.run(["curl", "-sS", "-F", "file=@%s" % (tmp_path / "shop.txt"), server.url + "upload"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE_S)
    assert done.returncode == 0, done
    [about] = profiles(server)
    assert done.stdout.decode() == server.url + "p/" + about["id"] + "\n"
    assert about["name"] == "shop"


def test_large_upload_by_curl_waits_to_be_told_to_go_on(server, tmp_path):
    lines = b"".join(b"main;work_%d 1\n" % number for number in range(200_000))
    (tmp_path / "large.txt").write_bytes(lines)
    done = subprocess.run(["curl", "-sS", "-H", "Expect: 100-continue", "--data-binary", "@%s" % (tmp_path / "large.txt"),
                           server.url + "api/profiles"], stdout=subprocess.PIPE, timeout=PATIENCE_S)
    assert json.loads(done.stdout)["id"], done
    assert profiles(server)[0]["samples"] == 200_000


def test_pictures_are_listed_and_shown(server):
    first, second = server.upload(name="<one>"), server.upload(name="two")
    page = server.get("/svg").body.decode()
    assert page.index(second + ".svg") < page.index(first + ".svg") and "&lt;one&gt;" in page and "<one>" not in page
    reply = server.get("/svg/%s.svg" % first)
    assert reply.status == 200 and reply.headers["Content-Type"] == "image/svg+xml"
    assert b"work" in reply.body and "sandbox" in reply.headers["Content-Security-Policy"]
    assert server.get("/svg/none.svg").status == 404


def test_the_profiler_can_be_downloaded(server, tmp_path):
    """As pyflame-server gives it, and it is the one that runs."""
    pyflame = tmp_path / "pyflame"
    done = subprocess.run(["curl", "-sS", "-f", "-D", "-", "-o", pyflame, server.url + "pyflame"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=PATIENCE_S)
    headers = done.stdout.decode().lower()
    assert done.returncode == 0 and "content-type: application/octet-stream\r\n" in headers, done
    assert 'content-disposition: attachment; filename="pyflame"\r\n' in headers
    assert filecmp.cmp(pyflame, flametap.binary(), shallow=False)
    pyflame.chmod(0o755)
    told = subprocess.run([pyflame, "--help"], stdout=subprocess.PIPE, timeout=PATIENCE_S)
    assert told.returncode == 0 and b"pyflame [options]" in told.stdout, told
    assert int(server.ask("HEAD", "/pyflame").headers["Content-Length"]) == pyflame.stat().st_size
    assert server.memory_kb() < 200 << 10


def test_agents_of_pyroscope_are_understood(server):
    query = "?name=shop.cpu%7Bregion%3Deu%2C__session__%3D1%7D&from=1700000000&until=1700000010&sampleRate=100"
    assert server.ask("POST", "/ingest" + query + "&format=folded&units=samples", FOLDED).status == 200
    pprof = convert(GOLDEN / "profile.json", "pprof")
    form = (b'--X\r\nContent-Disposition: form-data; name="profile"; filename="profile.pprof"\r\n\r\n' + pprof +
            b"\r\n--X--\r\n")
    reply = server.ask("POST", "/ingest" + query.replace("1700000000", "1700000000000000000") + "&format=pprof", form,
                       {"Content-Type": "multipart/form-data; boundary=X"})
    assert reply.status == 200, reply
    second, first = profiles(server)
    for each in (first, second):
        assert each["name"] == "shop.cpu" and each["tags"] == ["region=eu"] and each["rate_hz"] == 100
        assert each["start_unix_ns"] == "1700000000000000000"
    assert first["duration_ns"] == "10000000000" and first["samples"] == 15
    assert server.ask("POST", "/ingest" + query + "&format=jfr", FOLDED).status == 422
    assert server.ask("POST", "/ingest", FOLDED).status == 422


@pytest.mark.parametrize("damage", ["a line that is none", "a damaged header", "a page that compares"])
def test_what_could_not_be_read_is_answered_as_report_prints_it(server, damage, tmp_path):
    file = tmp_path / "damaged"
    recording = convert(GOLDEN / "profile.json", "ftap")
    if damage == "a page that compares":
        done = flametap.run("diff", GOLDEN / "profile.json", GOLDEN / "profile.json", "-f", "html", "-o", file)
        assert done.code == flametap.DONE, done
    else:
        file.write_bytes(FOLDED + b"nonsense\n" if damage == "a line that is none" else recording[:8] + b"?" + recording[9:])
    printed = flametap.run("report", file, "-f", "folded", "-o", "-").err.splitlines()
    warnings = [line.partition("%s: " % file)[2] for line in printed if line.startswith("flametap: warning: ")]
    assert warnings
    assert server.ask("POST", "/api/profiles", file.read_bytes()).json()["warnings"] == warnings
    curl = subprocess.run(["curl", "-sS", "-F", "file=@%s" % file, server.url + "upload"], stdout=subprocess.PIPE,
                          timeout=PATIENCE_S)
    assert curl.stdout.decode().splitlines()[1:] == ["warning: " + each for each in warnings]
    if damage == "a line that is none":
        assert server.ask("POST", "/ingest?name=a", file.read_bytes()).body.decode() == "warning: %s\n" % warnings[0]
    assert "warnings" not in server.ask("POST", "/api/profiles", recording).json()


def test_what_is_no_profile_is_refused_with_the_reason(server):
    for body in (b"", b"hello", b"{}", b"<svg></svg>", b"\x1f\x8bgarbage", b"\x89FTAP\r\n\x1a", b"\0" * 1000):
        reply = server.ask("POST", "/api/profiles", body)
        assert reply.status == 422 and "cannot be read" in reply.json()["error"], (body, reply)
    assert profiles(server) == []


def test_profiles_are_for_nobody_else(tmp_path):
    """Also in a folder that was there, and open to all."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    with Server(folder) as server:
        server.upload()
        modes = {path.name: path.stat().st_mode & 0o077 for path in folder.iterdir() if path.is_file()}
    assert modes["profiles.sqlite"] == 0 and not any(modes.values()), modes


def upload_until(stop, server, acknowledged, number):
    """Uploads profiles that can be told apart until the server is gone."""
    randomness = random.Random(number)
    while not stop.is_set():
        body = b"".join(b"u%d;f%d 1\n" % (number, randomness.randrange(10**9)) for _ in range(randomness.randrange(1, 2000)))
        try:
            reply = server.ask("POST", "/api/profiles", body)
        except OSError:
            return
        except Exception as error:  # a response that was cut off
            assert type(error).__module__ == "http.client", error
            return
        if reply.status == 201:
            acknowledged.append((reply.json()["id"], sorted(body.splitlines())))


def in_parallel(count, work):
    """Runs work(number) in so many threads; gives what to wait for, and the faults."""
    faults = []

    def run(number):
        try:
            work(number)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads, faults


def test_what_was_acknowledged_survives_kill_9(tmp_path):
    acknowledged, stop = [], threading.Event()
    with Server(tmp_path / "data") as server:
        threads, faults = in_parallel(8, lambda number: upload_until(stop, server, acknowledged, number))
        wait_until(lambda: len(acknowledged) >= 40 or faults, "40 uploads are acknowledged")
        server.end(signal.SIGKILL)
        stop.set()
        for thread in threads:
            thread.join()
        assert not faults, faults
    with Server(tmp_path / "data") as server:
        for id, lines in acknowledged:
            assert sorted(server.get("/api/profiles/%s/folded" % id).body.splitlines()) == lines
        assert {each["id"] for each in profiles(server, "?limit=500")} >= {id for id, _ in acknowledged}
    check = sqlite3.connect(str(tmp_path / "data" / "profiles.sqlite")).execute("PRAGMA integrity_check")
    assert check.fetchall() == [("ok",)]


def test_64_clients_lose_nothing_and_memory_stays_bounded(tmp_path):
    deadline = time.monotonic() + load_seconds()
    recording = convert(GOLDEN / "profile.json", "ftap")
    kept = []
    with Server(tmp_path / "data") as server:
        def client(number):
            connection = server.client()
            used = time.monotonic()

            def ask(*request):
                nonlocal used
                # The server closes what is idle for ten seconds, as a thread may be that had no turn.
                if time.monotonic() - used > 5:
                    connection.close()
                connection.request(*request)
                content = connection.getresponse().read()
                used = time.monotonic()
                return content

            while time.monotonic() < deadline:
                id = json.loads(ask("POST", "/api/profiles?name=client%d" % number, recording))["id"]
                kept.append(id)
                assert ask("GET", "/api/profiles/%s/ftap" % id) == recording
                assert json.loads(ask("GET", "/api/profiles?limit=10"))["profiles"]
            connection.close()

        threads, faults = in_parallel(64, client)
        for thread in threads:
            thread.join()
        assert not faults, faults
        assert server.memory_kb() < 300 << 10
        for id in kept:
            assert server.get("/api/profiles/" + id).status == 200
        print("%d uploads, VmHWM %d KB" % (len(kept), server.memory_kb()))


def test_retention_by_size_runs_after_an_upload_and_at_the_start(tmp_path):
    with Server(tmp_path / "data") as server:
        ids = [server.upload(convert(GOLDEN / "profile.json", "ftap")) for _ in range(3)]
        size = server.get("/api/profiles/" + ids[0]).json()["bytes"]
    with Server(tmp_path / "data", "--keep-bytes", 2 * size) as server:
        assert [each["id"] for each in profiles(server)] == ids[:0:-1]
        ids.append(server.upload(convert(GOLDEN / "profile.json", "ftap")))
        assert [each["id"] for each in profiles(server)] == ids[:1:-1]


def test_retention_by_age(tmp_path):
    with Server(tmp_path / "data") as server:
        old, new = server.upload(), server.upload()
    database = sqlite3.connect(str(tmp_path / "data" / "profiles.sqlite"))
    database.execute("UPDATE profile SET uploaded_unix_ns = ? WHERE id = ?", (time.time_ns() - 3 * 86400 * 10**9, old))
    database.commit()
    database.close()
    with Server(tmp_path / "data", "--keep-days", 2) as server:
        assert [each["id"] for each in profiles(server)] == [new]


def test_a_clock_that_jumps_deletes_nothing(tmp_path):
    """For the server, the clock has jumped if it was last seen long ago. It has proved right a day later."""
    with Server(tmp_path / "data") as server:
        ids = [server.upload() for _ in range(3)]
    day, now = 86400 * 10**9, time.time_ns()
    set_times(tmp_path, "UPDATE profile SET uploaded_unix_ns = %d" % (now - 400 * day),
              "UPDATE clock SET seen = %d, trusted = %d" % (now - 399 * day, now - 399 * day))
    for _ in range(2):
        with Server(tmp_path / "data", "--keep-days", 30) as server:
            assert [each["id"] for each in profiles(server)] == ids[::-1]
            assert any("the clock is more than a day ahead" in line for line in server.messages)
            assert server.end() == 0
    set_times(tmp_path, "UPDATE clock SET doubted_since = doubted_since - %d" % day)
    with Server(tmp_path / "data", "--keep-days", 30) as server:
        assert [each["id"] for each in profiles(server)] == ids[2:]
        assert not any("the clock is" in line for line in server.messages)


def set_times(tmp_path, *statements):
    database = sqlite3.connect(str(tmp_path / "data" / "profiles.sqlite"))
    for statement in statements:
        assert database.execute(statement).rowcount > 0
    database.commit()
    database.close()


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of 64 MiB. Only root can make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk], check=True)
    try:
        yield disk
    finally:
        # Lazily: a server that outlives the test keeps it.
        subprocess.run(["umount", "--lazy", disk], check=True)


def fill(disk):
    """Leaves not a byte."""
    with open(disk / "filler", "ab", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError as error:
                assert error.errno == errno.ENOSPC, error
    left = os.statvfs(disk)
    assert left.f_bfree == 0, left


def large_profile(number):
    """A recording of some two megabytes, which do not become less when they are packed."""
    randomness = random.Random(number)
    return b"".join(b"main;%x 1\n" % randomness.getrandbits(512) for _ in range(30_000))


def fill_with_profiles(server):
    """Uploads until the disk is full, in what is stored and in what is left; gives the ids."""
    ids = []
    while True:
        reply = server.ask("POST", "/api/profiles", large_profile(len(ids)))
        if reply.status != 201:
            break
        ids.append(reply.json()["id"])
    assert reply.status == 507 and "full" in reply.json()["error"] and reply.json()["remedy"], reply
    assert len(ids) > 5
    return ids


def test_a_full_disk_can_be_made_room_on(small_disk):
    with Server(small_disk / "data") as server:
        ids = fill_with_profiles(server)
        for id in ids[:4]:
            fill(small_disk)
            assert server.ask("DELETE", "/api/profiles/" + id).status == 204
        assert [each["id"] for each in profiles(server)] == ids[:3:-1]
        kept = server.get("/api/profiles/%s/folded" % ids[4]).body
        assert sorted(kept.splitlines()) == sorted(large_profile(4).splitlines())
        (small_disk / "filler").unlink()
        assert server.upload(large_profile(0))


def test_deleting_makes_room_for_uploads(small_disk):
    with Server(small_disk / "data") as server:
        ids = fill_with_profiles(server)
        fill(small_disk)
        for id in ids[:5]:
            assert server.ask("DELETE", "/api/profiles/" + id).status == 204
        assert server.upload(large_profile(0))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_retention_works_on_a_full_disk(small_disk, number):
    """At the start, where SQLite needs room even to read, and when there is an upload for which there is none."""
    with Server(small_disk / "data") as server:
        ids = fill_with_profiles(server)
        size = server.get("/api/profiles/" + ids[0]).json()["bytes"]
        server.end(number)
    fill(small_disk)
    with Server(small_disk / "data", "--keep-bytes", 3 * size + size // 2) as server:
        assert [each["id"] for each in profiles(server)] == ids[:-4:-1]
        (small_disk / "filler").unlink()
        backdate(server, ids[-3:-1])
        assert server.end(number) in (0, -number)
    fill(small_disk)
    with Server(small_disk / "data", "--keep-days", 2) as server:
        assert [each["id"] for each in profiles(server)] == ids[-1:]


def test_an_upload_on_a_full_disk_makes_those_go_that_are_too_old(small_disk):
    with Server(small_disk / "data", "--keep-days", 2) as server:
        ids = fill_with_profiles(server)
        backdate(server, ids[:-1])
        id = server.upload(large_profile(0))
        assert [each["id"] for each in profiles(server)] == [id, ids[-1]]


def backdate(server, ids):
    """Makes profiles three days old."""
    database = sqlite3.connect(str(server.folder / "profiles.sqlite"), timeout=PATIENCE_S)
    for id in ids:
        database.execute("UPDATE profile SET uploaded_unix_ns = ? WHERE id = ?", (time.time_ns() - 3 * 86400 * 10**9, id))
    database.commit()
    database.close()


def test_one_folder_is_for_one_server(server, tmp_path):
    done = flametap.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data")
    assert done.code == flametap.FAILED and "another flametap serve" in done.err, done
    assert server.upload()


def test_a_port_that_is_taken(server, tmp_path):
    done = flametap.run("serve", "--listen", "127.0.0.1:%d" % server.port, "--data", tmp_path / "other")
    assert done.code == flametap.FAILED and "in use" in done.err and "--listen" in done.err, done


def test_an_address_of_another_machine(tmp_path):
    done = flametap.run("serve", "--listen", "192.0.2.1:0", "--no-auth", "--data", tmp_path / "data")
    assert done.code == flametap.FAILED and "192.0.2.1" in done.err, done


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    done = flametap.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "file")
    assert done.code == flametap.FAILED and "--data" in done.err, done


def test_a_folder_of_a_newer_version(tmp_path):
    Server(tmp_path / "data").end()
    database = sqlite3.connect(str(tmp_path / "data" / "profiles.sqlite"))
    database.execute("UPDATE schema SET version = 1000")
    database.commit()
    database.close()
    done = flametap.run("serve", "--listen", "127.0.0.1:0", "--data", tmp_path / "data")
    assert done.code == flametap.FAILED and "newer flametap" in done.err, done


def test_the_usual_folder_is_for_us_alone(tmp_path):
    shutil.rmtree(tmp_path / "share", ignore_errors=True)
    process = flametap.start("serve", "--listen", "127.0.0.1:0", env={"XDG_DATA_HOME": str(tmp_path / "share")})
    try:
        assert b"listening" in process.stderr.readline()
        assert (tmp_path / "share" / "flametap").stat().st_mode & 0o777 == 0o700
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def test_others_are_let_in_only_if_that_is_said(tmp_path):
    done = flametap.run("serve", "--listen", "0.0.0.0:0", "--data", tmp_path / "data")
    assert done.code == flametap.USAGE and "--token-file" in done.err, done
    token = tmp_path / "token"
    token.write_text("secret-secret-secret\n")
    token.chmod(0o644)
    done = flametap.run("serve", "--listen", "0.0.0.0:0", "--token-file", token, "--data", tmp_path / "data")
    assert done.code == flametap.USAGE and "chmod 600" in done.err, done
    token.chmod(0o600)
    for options, status in ((["--token-file", token], 401), (["--no-auth"], 200)):
        with Server(tmp_path / "data", *options, listen="0.0.0.0:0") as server:
            assert server.get("/").status == 200
            assert server.get("/api/profiles").status == status
    for words in (["--listen", "nowhere"], ["--listen", "127.0.0.1:99999"], ["--keep-bytes", "much"],
                  ["--keep-days", "0"], ["--max-upload", "2G"], ["--no-auth", "--token-file", token]):
        assert flametap.run("serve", *words).code == flametap.USAGE, words
