"""`record --push`: the recording goes to a server, and is never lost."""

import http.server
import json
import signal
import socket
import threading

import pytest

import flametap
import ftap
from target import wait_until


class Receiver(http.server.ThreadingHTTPServer):
    """Takes profiles as a flametap server does, and remembers what came."""

    def __init__(self, status=201, answer=None, silent=False):
        super().__init__(("127.0.0.1", 0), Handler)
        self.status = status
        self.may_answer = threading.Event()
        if not silent:
            self.may_answer.set()
        self.answer = answer or {"id": "a" * 16, "url": self.url + "/p/" + "a" * 16}
        self.came = []

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.path, dict(self.headers), body))
        self.server.may_answer.wait()
        answer = json.dumps(self.server.answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args):
        pass


@pytest.fixture
def receive():
    servers = []

    def begin(**options):
        servers.append(Receiver(**options))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1]

    yield begin
    for server in servers:
        server.may_answer.set()
        server.shutdown()
        server.server_close()


def start_record(python, folder, *options, env=None):
    """Records a program, which ends once there is something of it in the recording."""
    program = folder / "shop.py"
    program.write_text("import glob, os\ndef work():\n    return sum(range(1000))\n"
                       "while not any(os.path.getsize(name) > 100 for name in glob.glob('*.ftap')): work()\n")
    return flametap.start("record", *options, "--", *python.command, program, cwd=folder, env=python.environment(env))


def record(python, folder, *options, env=None):
    return flametap.finish(start_record(python, folder, *options, env=env))


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "shop.py")


def test_the_server_gets_the_recording_and_no_file_stays(usual_python, receive, tmp_path):
    server = receive()
    done = record(usual_python, tmp_path, "--push", server.url + "/")
    assert done.code == flametap.DONE, done
    assert "pushed to %s/p/aaaaaaaaaaaaaaaa" % server.url in done.err
    ((path, headers, body),) = server.came
    assert path == "/api/profiles" and "Authorization" not in headers
    assert ftap.parse(body)["samples"]["ticks"]
    assert files(tmp_path) == []


def test_a_file_that_is_asked_for_is_written_too(usual_python, receive, tmp_path):
    done = record(usual_python, tmp_path, "--push", receive().url, "-o", "out.folded")
    assert done.code == flametap.DONE, done
    assert files(tmp_path) == ["out.folded"]


def test_the_token_is_sent(usual_python, receive, tmp_path):
    server = receive()
    secret = tmp_path / "token"
    secret.write_text("0123456789abcdef\n")
    secret.chmod(0o600)
    assert record(usual_python, tmp_path, "--push", server.url, "--token-file", secret).code == flametap.DONE
    assert record(usual_python, tmp_path, "--push", server.url, env={"FLAMETAP_TOKEN": "other"}).code == flametap.DONE
    assert [headers["Authorization"] for _, headers, _ in server.came] == ["Bearer 0123456789abcdef", "Bearer other"]


@pytest.mark.parametrize("status, answer, reason", [
    (401, {"error": "a token is needed"}, "--token-file"),
    (413, {"error": "too large", "remedy": "record less"}, "record less"),
    (200, ["?"], "status 200"),
    (201, {"id": "x"}, "does not answer as a flametap server"),
])
def test_a_server_that_refuses_loses_nothing(usual_python, receive, tmp_path, status, answer, reason):
    done = record(usual_python, tmp_path, "--push", receive(status=status, answer=answer).url)
    assert done.code == flametap.FAILED, done
    assert reason in done.err
    (name,) = files(tmp_path)
    assert name.endswith(".html") and "written to " + name in done.err


def test_a_server_that_is_not_there_loses_nothing(usual_python, tmp_path):
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))  # so that nobody else listens there meanwhile
        done = record(usual_python, tmp_path, "--push", "http://127.0.0.1:%d" % unheard.getsockname()[1])
    assert done.code == flametap.FAILED, done
    assert "Connection refused" in done.err
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_will_not_wait_for_a_silent_server_has_a_file(usual_python, receive, tmp_path, number):
    server = receive(silent=True)
    recording = start_record(usual_python, tmp_path, "--push", server.url)
    wait_until(lambda: server.came, "the server has the recording")
    done = flametap.interrupt(recording, number)
    assert done.code == flametap.FAILED, done
    (name,) = files(tmp_path)
    assert "interrupted" in done.err and name.endswith(".html") and "written to " + name in done.err


def test_the_signal_that_ends_the_recording_does_not_end_the_push(usual_python, receive, tmp_path, start):
    target = start(usual_python, "tangle.py")
    target.says()
    server = receive(silent=True)
    recording = flametap.start("record", "-p", target.pid, "--push", server.url, cwd=tmp_path)
    flametap.wait_until_it_holds(recording, tmp_path, lambda found: found["samples"]["ticks"], "a sample")
    recording.send_signal(signal.SIGINT)
    wait_until(lambda: server.came, "the server has the recording")
    server.may_answer.set()
    done = flametap.finish(recording)
    assert done.code == flametap.DONE and "pushed to" in done.err, done
    assert files(tmp_path) == []


@pytest.mark.parametrize("words, reason", [
    (["--push", "https://example.org"], "by http only"),
    (["--push", "example.org:80"], "no address"),
    (["--push", "http://a:b"], "no address"),
    (["--push", "http://a", "-f", "svg"], "-f is for the file of -o"),
    (["--token-file", "x"], "goes with --push"),
])
def test_wrong_words(usual_python, tmp_path, words, reason):
    done = record(usual_python, tmp_path, *words)
    assert done.code == flametap.USAGE, done
    assert reason in done.err
