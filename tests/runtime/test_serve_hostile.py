"""`flametap serve` against clients that mean harm: each is told no by the right status, and the server goes on."""

import gzip
import json
import random
import socket
import struct
import zlib
from pathlib import Path

import pytest

import ftap
from server import FOLDED, Server, read_all, status_of
from target import PATIENCE_S, wait_until

MEGABYTE = 1 << 20
TOKEN = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("hostile") / "data") as running:
        yield running


@pytest.fixture(autouse=True)
def still_well(server):
    """After whatever was done to it, it serves, and has not taken what it should not have."""
    before = len(server.get("/api/profiles?limit=500").json()["profiles"])
    yield
    assert server.process.poll() is None
    assert len(server.get("/api/profiles?limit=500").json()["profiles"]) == before


def head(server, first_line, *lines, host=None):
    """A request without its body."""
    words = [first_line + " HTTP/1.1", "Host: " + (host or "127.0.0.1:%d" % server.port), *lines]
    return "\r\n".join(words).encode() + b"\r\n\r\n"


def refused(server, body, status=422):
    reply = server.ask("POST", "/api/profiles", body)
    assert reply.status == status and reply.json()["error"], reply
    return reply.json()["error"]


# What is too large.


def test_a_gzip_bomb(server):
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(b"a" * MEGABYTE) for _ in range(400)) + packer.flush()
    assert len(bomb) < 3 * MEGABYTE
    assert "256 MiB" in refused(server, bomb)
    assert "twice" in refused(server, gzip.compress(gzip.compress(FOLDED)))
    assert server.memory_kb() < 1 << 20


def chunk(recording_id, sequence, plain):
    """A chunk of an .ftap file whose checksum fits, filled up as the format wants it."""
    payload = ftap_zstd(plain)
    least = len(plain) // 32 - 32
    if len(payload) < least:
        filler = max(least - len(payload) - 8, 0)
        payload += struct.pack("<II", 0x184D2A50, filler) + bytes(filler)
    rest = struct.pack("<QIIIBBBB", recording_id, sequence, len(payload), len(plain), 0, 1, 2, 1) + payload
    return ftap.MARKER + struct.pack("<I", zlib.crc32(rest)) + rest


def ftap_zstd(plain):
    """A zstd frame of runs of zeros, or of raw blocks: enough for what these tests pack."""
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(plain))
    blocks = [plain[at:at + 0x20000] for at in range(0, len(plain), 0x20000)] or [b""]
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        run = block.count(block[:1]) == len(block) > 0
        frame += struct.pack("<I", int(last) | (2 if run else 0) | len(block) << 3)[:3]
        frame += block[:1] if run else block
    return frame


def section(kind, content):
    return struct.pack("<BI", kind, len(content)) + content


def file_of(*chunks):
    start = ftap.MAGIC + struct.pack("<QBBH", 7, 2, 1, 0)
    return start + struct.pack("<I", zlib.crc32(start)) + b"".join(chunks)


def test_a_zstd_bomb_inside_an_ftap_file(server):
    plain = section(99, bytes(4 * MEGABYTE - 5))
    bomb = file_of(*(chunk(7, number, plain) for number in range(80)))
    assert len(bomb) < 11 * MEGABYTE
    assert "256 MiB" in refused(server, bomb)


def test_ids_that_the_file_does_not_have(server):
    column = struct.pack("<BQ", 1, 0) + b"\0"
    sparse = struct.pack("<II", 0x0FFFFFF0, 1) + column * 5  # a function with a number in the hundred millions
    before = server.memory_kb()
    filler = [chunk(7, number, section(99, bytes(MEGABYTE))) for number in range(200)]
    refused(server, file_of(*filler, chunk(7, 1000, section(3, sparse))))
    assert server.memory_kb() - before < 500 << 10


def test_very_deep_stacks(server):
    deep = b";".join([b"f"] * 1_000_000) + b" 1\n"
    assert "deeper" in refused(server, deep)


def test_counts_that_add_up_to_too_much(server):
    reply = server.ask("POST", "/api/profiles", b"a %d\nb %d\n" % (2**63 - 1, 2**63 - 1))
    assert reply.status == 201
    id = reply.json()["id"]
    assert server.get("/api/profiles/" + id).json()["samples"] == 2**63 - 1
    assert server.ask("DELETE", "/api/profiles/" + id).status == 204
    refused(server, b"a %d\n" % 2**64)


def test_json_that_is_deep_or_large(server):
    refused(server, b'{"a":' * 100_000)
    refused(server, b'{"a":[' + b"0," * (17 * MEGABYTE) + b"0]}")
    assert server.memory_kb() < 1 << 20


def test_a_profile_that_would_explode_when_written(server):
    """A file of one chain of calls with a sample at each depth is small; with every stack in full it is not."""
    depth = 60_000
    rows = b"".join(struct.pack("<BQ", 1, base) + bytes(depth) for base in (1, 0))
    texts = struct.pack("<BQ", 1, 0) + b"\x02" + b"ab"
    count = struct.pack("<II", 0, 1)
    zero = struct.pack("<BQ", 1, 0) + b"\0"
    tables = (section(2, count + texts) + section(3, count + zero * 5) + section(4, count + zero * 2) +
              section(5, struct.pack("<II", 1, depth) + rows) +
              section(6, count + zero + zero + zero) + section(7, count + zero * 2 + zero))
    stacks = [number.to_bytes(2, "little") for number in range(1, depth + 1)]
    planes = b"".join(bytes(each[plane] for each in stacks) for plane in range(2))
    constant = [struct.pack("<BQ", 1, base) + bytes(depth) for base in (0, 0, 1, 1, 0)]
    samples = struct.pack("<QIIQQ", 0, depth, 1000, 1000, 0) + (
        constant[0] + constant[1] + struct.pack("<BQ", 2, 0) + planes + constant[2] + constant[3] + constant[4])
    small = file_of(chunk(7, 0, tables + section(8, samples)))
    reply = server.ask("POST", "/api/profiles", small)
    assert reply.status == 201, reply
    path = "/api/profiles/" + reply.json()["id"]
    assert len(small) < MEGABYTE and server.get(path).json()["samples"] == depth
    for format in ("folded", "speedscope", "pprof", "chrome"):
        reply = server.get(path + "/" + format)
        assert reply.status == 422 and "256 MiB" in reply.json()["error"], reply
    assert server.get(path + "/svg").status == 200
    assert server.ask("DELETE", path).status == 204


@pytest.mark.parametrize("route", ["/api/profiles", "/upload", "/ingest?name=a"])
def test_ten_gigabytes_announced(server, route):
    raw = server.raw(head(server, "POST " + route, "Content-Length: 10737418240") + b"x" * 1000)
    assert status_of(raw) == 413


def test_ten_gigabytes_in_chunks(server):
    with socket.create_connection((server.address, server.port), timeout=PATIENCE_S) as connection:
        connection.sendall(head(server, "POST /api/profiles", "Transfer-Encoding: chunked"))
        piece = b"100000\r\n" + b"a" * MEGABYTE + b"\r\n"
        try:
            for _ in range(10 * 1024):
                connection.sendall(piece)
            pytest.fail("the server read ten gigabytes")
        except (ConnectionResetError, BrokenPipeError):
            pass  # cut off
    assert server.memory_kb() < 1 << 20


def test_a_body_in_chunks_that_is_too_large_is_told_so(server):
    with socket.create_connection((server.address, server.port), timeout=PATIENCE_S) as connection:
        connection.sendall(head(server, "PATCH /api/profiles/aaaaaaaaaaaaaaaa", "Transfer-Encoding: chunked"))
        connection.sendall(b"20000\r\n" + b"a" * 0x20000 + b"\r\n")
        assert status_of(read_all(connection)) == 413


def test_a_body_where_none_belongs(server):
    assert status_of(server.raw(head(server, "GET /api/profiles", "Content-Length: 5") + b"hello")) == 413


def test_a_head_that_is_too_large(server):
    assert status_of(server.raw(head(server, "GET /", "X: " + "x" * 100_000))) == 431
    assert status_of(server.raw(head(server, "GET /" + "x" * 100_000))) == 431


def test_an_upload_beyond_the_limit_that_was_set(tmp_path):
    with Server(tmp_path / "data", "--max-upload", "1K") as small:
        assert small.ask("POST", "/api/profiles", FOLDED).status == 201
        assert small.ask("POST", "/api/profiles", FOLDED * 20).status == 413


# What is too slow, or too many.


def test_slow_clients_are_cut(server):
    with socket.create_connection((server.address, server.port), timeout=PATIENCE_S) as in_the_head, \
            socket.create_connection((server.address, server.port), timeout=PATIENCE_S) as in_the_body:
        in_the_head.sendall(b"GET / HTTP/1.1\r\nHos")
        in_the_body.sendall(head(server, "POST /api/profiles", "Content-Length: 1000") + b"main")
        assert read_all(in_the_head) == b""
        assert read_all(in_the_body) == b""


def test_more_connections_than_there_is_room_for(tmp_path):
    with Server(tmp_path / "data") as full:
        for _ in range(8):  # in each round, some forty are turned away: they must not be counted for good
            connections = []
            try:
                statuses = []
                for _ in range(300):
                    connections.append(socket.create_connection((full.address, full.port), timeout=PATIENCE_S))
                    connections[-1].sendall(head(full, "POST /api/profiles", "Content-Length: 1000", "Expect: 100-continue"))
                    statuses.append(status_of(connections[-1].recv(1 << 16)))
                assert statuses[0] == 100 and statuses[-1] == 503 and set(statuses) == {100, 503}, statuses
            finally:
                for connection in connections:
                    connection.close()
            # Those that are gone make room; the server notices one after the other.
            wait_until(lambda: status_is(full.get("/api/status"), 200, 503), "there is room again")


def open_from(server, address):
    return socket.create_connection((server.address, server.port), timeout=PATIENCE_S, source_address=(address, 0))


@pytest.mark.parametrize("peers", [1, 11])
def test_connections_that_say_nothing_keep_nobody_out(tmp_path, peers):
    """None of them needs a token. A request that is being sent goes on meanwhile."""
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    entitled = "Authorization: Bearer " + TOKEN
    with Server(tmp_path / "data", "--token-file", token) as silenced, \
            socket.create_connection((silenced.address, silenced.port), timeout=PATIENCE_S) as uploading:
        uploading.sendall(head(silenced, "POST /api/profiles", entitled, "Connection: close", "Expect: 100-continue",
                               "Content-Length: %d" % len(FOLDED)))
        assert status_of(uploading.recv(1 << 16)) == 100
        silent = []
        try:
            for number in range(330):
                silent.append(open_from(silenced, "127.0.0.%d" % (number % peers + 1)))
                silent[-1].sendall(b"GET / HTTP/1.1\r\nHos")
            assert silenced.get("/api/status", Authorization="Bearer " + TOKEN).status == 200
            assert read_all(silent[0]) == b""
            silent[-1].sendall(b"t: localhost\r\nConnection: close\r\n\r\n")
            assert status_of(read_all(silent[-1])) == 200
            uploading.sendall(FOLDED)
            assert status_of(read_all(uploading)) == 201
        finally:
            for connection in silent:
                connection.close()


def test_a_proxy_keeps_its_connections(server):
    """All that come through it come from its address, and it keeps many for what comes next."""
    kept = []
    try:
        for _ in range(100):
            kept.append(server.client())
            kept[-1].request("HEAD", "/")
            assert kept[-1].getresponse().read() == b""
        for connection in kept:
            connection.sock.sendall(head(server, "HEAD /"))
            assert status_of(connection.sock.recv(1 << 16)) == 200
    finally:
        for connection in kept:
            connection.close()


def status_is(reply, wanted, *others):
    assert reply.status in (wanted, *others), reply
    return reply.status == wanted


def test_more_uploads_than_there_is_memory_for(tmp_path):
    """All bodies together may have eight times what one may have. Those that are cut off or refused give it back."""
    whole = FOLDED * (1024 // len(FOLDED))
    with Server(tmp_path / "data", "--max-upload", "1K") as small:
        begun = head(small, "POST /api/profiles", "Content-Length: %d" % len(whole)) + whole[:-1]

        def upload():
            return small.ask("POST", "/api/profiles", whole)

        for _ in range(10):
            unfinished = []

            def is_full():
                unfinished.append(socket.create_connection((small.address, small.port), timeout=PATIENCE_S))
                unfinished[-1].sendall(begun)
                return status_is(upload(), 503, 201)

            try:
                wait_until(is_full, "there is no memory left")
                for _ in range(10):
                    status_is(upload(), 503, 201)
            finally:
                for connection in unfinished:
                    connection.close()
            wait_until(lambda: status_is(upload(), 201, 503), "there is memory again")


# Who may ask.


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8040", "localhost.evil.example", "127.0.0.1.evil.example",
                                  "10.0.0.1", "localhost:80:80", "localhost:x", "[::1", "@localhost", "a b"])
def test_a_name_that_is_not_ours(server, host):
    assert status_of(server.raw(head(server, "GET /api/profiles", "Connection: close", host=host))) == 421


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8040"])
def test_names_that_are_ours(server, host):
    assert status_of(server.raw(head(server, "GET /api/profiles", "Connection: close", host=host))) == 200


def test_names_that_were_given(tmp_path):
    with Server(tmp_path / "data", "--host", "Profiles.example", "--host", "second.example") as named:
        for name in ("profiles.example", "second.example", "localhost"):
            assert named.get("/", Host=name).status == 200
        assert named.get("/", Host="other.example").status == 421


def test_no_host_or_two(server):
    assert status_of(server.raw(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")) == 400
    assert status_of(server.raw(head(server, "GET /", "Host: localhost", "Connection: close"))) == 400


def test_requests_that_another_site_makes_a_browser_send(server):
    own = "http://127.0.0.1:%d" % server.port
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Origin": own + "0"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site", "Origin": own}):
        for method, path in (("POST", "/api/profiles"), ("POST", "/upload"), ("POST", "/ingest?name=a"),
                             ("DELETE", "/api/profiles/aaaaaaaaaaaaaaaa"), ("PATCH", "/api/profiles/aaaaaaaaaaaaaaaa"),
                             ("POST", "/api/record")):
            assert server.ask(method, path, FOLDED, headers).status == 403, (method, path, headers)
    reply = server.ask("POST", "/api/profiles", FOLDED, {"Origin": own, "Sec-Fetch-Site": "same-origin"})
    assert reply.status == 201
    assert server.ask("DELETE", "/api/profiles/" + reply.json()["id"]).status == 204


def test_without_the_token_nothing_is_told(tmp_path):
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    with Server(tmp_path / "data", "--token-file", token) as closed:
        assert closed.get("/").status == 200 and closed.get("/p/aaaaaaaaaaaaaaaa").status == 200
        for method, path in (("GET", "/api/status"), ("GET", "/api/profiles"), ("POST", "/api/profiles"),
                             ("GET", "/api/profiles/aaaaaaaaaaaaaaaa/ftap"), ("POST", "/upload"), ("GET", "/svg"), ("GET", "/pyflame"),
                             ("POST", "/ingest?name=a"), ("POST", "/api/record"), ("GET", "/api/processes")):
            for given in (None, "Bearer", "Bearer ", "Bearer wrong", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x",
                          "Basic " + TOKEN, TOKEN):
                reply = closed.ask(method, path, FOLDED if method == "POST" else None,
                                   {"Authorization": given} if given else {})
                assert reply.status == 401 and reply.headers["WWW-Authenticate"] == "Bearer", (path, given, reply)
                assert TOKEN not in repr(reply)
        assert closed.get("/api/status", Authorization="Bearer " + TOKEN).json()["auth"]
        assert closed.ask("POST", "/api/profiles", FOLDED, {"Authorization": "bearer " + TOKEN}).status == 201


# What is not well-formed.


@pytest.mark.parametrize("path", ["/../etc/passwd", "/svg/../../etc/passwd", "/svg/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
                                  "/svg/%2e%2e", "/svg/a%00.svg", "/svg/%zz", "/svg/%", "//api/profiles", "/api//profiles",
                                  "/api/profiles/../profiles", "http://evil.example/", "*", "/a/b/c/d/e/f/g/h/i/j"])
def test_paths_that_are_tricks(server, path):
    raw = server.raw(head(server, "GET " + path, "Connection: close"))
    assert status_of(raw) in (400, 404) and b"root:" not in raw


@pytest.mark.parametrize("path", ["/api", "/api/profiles/x", "/api/profiles/AAAAAAAAAAAAAAAA",
                                  "/api/profiles/aaaaaaaaaaaaaaaa", "/api/profiles/aaaaaaaaaaaaaaaa/ftap/x", "/svg/x",
                                  "/api/profiles/aaaaaaaaaaaaaaaa/exe"])
def test_what_is_not_there(server, path):
    assert server.get(path).status == 404


def test_methods_that_do_not_fit(server):
    reply = server.ask("DELETE", "/api/profiles")
    assert reply.status == 405 and set(reply.headers["Allow"].split(", ")) == {"GET", "HEAD", "POST"}
    for method in ("PUT", "OPTIONS", "TRACE", "CONNECT", "FLY"):
        raw = server.raw(head(server, method + " /api/profiles", "Connection: close"))
        assert status_of(raw) in (400, 405), method


@pytest.mark.parametrize("raw", [b"\r\n\r\n", b"\0" * 1000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\0\x01",
                                 b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                                 b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                                 b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
                                 b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n",
                                 b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
                                 b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
                                 b"Transfer-Encoding: identity\r\n\r\n",
                                 b"GET / HTTP/1.1\r\n folded: x\r\n\r\n"])
def test_what_is_no_request(server, raw):
    answer = server.raw(raw + b"\r\n" * 10)
    assert answer == b"" or status_of(answer) == 400


def test_names_and_tags_that_are_none(server):
    for parameters in ("name=a%0Ab", "name=%00", "name=%ff", "name=%1b%5b31m", "name=" + "x" * 201, "tags=a%0A",
                       "tags=" + ",".join(map(str, range(40))), "name=%C2%85", "name=%E2%80%AEx", "host=%00"):
        assert server.ask("POST", "/api/profiles?" + parameters, FOLDED).status == 422, parameters
    assert server.ask("POST", "/api/profiles?name=%GG", FOLDED).status == 400


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "a\\..\\b", "$(touch x)", "`id`;|&", "x" * 1000, "-rf", ".."])
def test_file_names_never_matter(server, name, tmp_path):
    form = ('--X\r\nContent-Disposition: form-data; name="file"; filename="%s"\r\n\r\n' % name.replace("\\", "\\\\")).encode()
    reply = server.ask("POST", "/upload", form + FOLDED + b"\r\n--X--\r\n", {"Content-Type": "multipart/form-data; boundary=X"})
    assert reply.status == 200, reply
    id = reply.body.decode().strip().rpartition("/")[2]
    assert reply.body.decode() == server.url + "p/" + id + "\n"
    assert "/" not in server.get("/api/profiles/" + id).json()["name"]
    assert sorted(each.name for each in server.folder.iterdir() if not each.name.startswith("profiles.sqlite")) == ["live", "lock"]
    assert server.ask("DELETE", "/api/profiles/" + id).status == 204


@pytest.mark.parametrize("type, body", [
    ("text/plain", b"x"), ("multipart/form-data", b"x"), ("multipart/form-data; boundary=", b"--\r\n"),
    ("multipart/form-data; boundary=X", b""), ("multipart/form-data; boundary=X", b"--X"),
    ("multipart/form-data; boundary=X", b"--X\r\n\r\n" + FOLDED + b"\r\n--X--"),
    ("multipart/form-data; boundary=X", b'--X\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + FOLDED),
    ("multipart/form-data; boundary=X", b'--X\r\nContent-Disposition: form-data; name="other"\r\n\r\n' + FOLDED + b"\r\n--X--"),
    ("multipart/form-data; boundary=X", b'--X\r\nContent-Disposition: form-data; name="file\r\n\r\nx\r\n--X--'),
    ("multipart/form-data; boundary=X", b'--X\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 30 + b"--X--"),
    ("multipart/form-data; boundary=" + "X" * 71, b"--" + b"X" * 71 + b"--"),
])
def test_forms_that_are_broken(server, type, body):
    reply = server.ask("POST", "/upload", body, {"Content-Type": type})
    assert reply.status == 400 and "curl" in reply.json()["remedy"], reply


def test_bytes_at_random(server):
    randomness = random.Random(8040)
    for _ in range(100):
        body = bytes(randomness.randrange(256) for _ in range(randomness.randrange(1, 400)))
        assert server.ask("POST", "/api/profiles", body).status == 422


def test_files_that_are_no_profiles(server):
    """Here and there, a line of such a file ends with a blank and a number, as a line of stacks does."""
    binary = Path("/bin/ls").read_bytes()
    assert "NUL" in refused(server, binary)
    randomness = random.Random(8040)
    noise = bytes(randomness.randrange(1, 256) for _ in range(MEGABYTE)) + b"\na 1\nb 2\n"
    assert "no folded stacks" in refused(server, noise)
    source = Path(__file__).read_bytes() + b"a 1\nb 2\n"
    for route, type, body in (("/upload", "multipart/form-data; boundary=XYZ",
                               b'--XYZ\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' + source +
                               b"\r\n--XYZ--\r\n"),
                              ("/ingest?name=a", "text/plain", source), ("/api/profiles", "text/plain", source)):
        reply = server.ask("POST", route, body, {"Content-Type": type})
        assert reply.status == 422 and "no folded stacks" in reply.json()["error"], reply
        assert "pprof" in reply.json()["remedy"], reply


def test_two_requests_at_once_are_answered_in_order(server):
    raw = server.raw(head(server, "GET /api/none") + head(server, "GET /api/status", "Connection: close"))
    assert status_of(raw) == 404 and raw.count(b"HTTP/1.1 ") == 2 and json.loads(raw.rpartition(b"\r\n\r\n")[2])["version"]


def test_head_alone(server):
    raw = server.raw(head(server, "HEAD /api/status", "Connection: close"))
    assert status_of(raw) == 200 and raw.endswith(b"\r\n\r\n") and b"Content-Length: " in raw
