"""`flametap dump` gives the very frames that the process itself sees, for every thread, whatever is on its stacks."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import flametap
from target import TARGETS, wait_until


def by_ident(dumped):
    threads = {str(thread["ident"]): thread for thread in dumped["threads"] if thread["frames"]}
    assert len(threads) == sum(1 for thread in dumped["threads"] if thread["frames"]), "an ident occurs twice"
    return threads


def dump_at_rest(target):
    target.wait_until_still()
    return flametap.dump(target.pid)


def assert_same_frames(expected, dumped):
    """Names the first frame that differs, because a stack here is some hundred frames long."""
    for depth, (wanted, got) in enumerate(zip(expected, dumped)):
        assert got == wanted, "frame %d from the innermost" % depth
    assert len(dumped) == len(expected)


def assert_true(truth, dumped):
    threads = by_ident(dumped)
    assert set(threads) == set(truth["stacks"])
    for ident, expected in truth["stacks"].items():
        assert_same_frames(expected, threads[ident]["frames"])
        assert threads[ident]["outcome"] == "complete"
        # Everybody is blocked, so nobody is on a CPU or has the GIL, and nothing has to be stopped to be read.
        assert not threads[ident]["on_cpu"] and not threads[ident]["holds_gil"]
        assert threads[ident]["step"] == "free_running"
    assert dumped["python"] == truth["python"]


@pytest.fixture
def tangle(start, tmp_path):
    """Starts tangle.py and waits until it stands still; gives the process and its own truth."""

    def start_tangle(interpreter, **options):
        env = {"TMPDIR": str(tmp_path), **options.pop("env", {})}
        target = start(interpreter, options.pop("script", "tangle.py"), env=env, **options)
        return target, target.says()

    return start_tangle


def test_every_thread_shows_its_own_frames(python, tangle):
    target, truth = tangle(python)
    dumped = dump_at_rest(target)
    assert_true(truth, dumped)
    assert dumped["pid"] == target.pid
    assert "tangle.py" in dumped["command"]
    assert {str(thread["ident"]): thread["id"] for thread in dumped["threads"]} == truth["kernel_ids"]
    assert all(thread["interpreter"] == 0 for thread in dumped["threads"])


def test_text_for_people_shows_the_innermost_function_of_every_thread(usual_python, tangle):
    target, truth = tangle(usual_python)
    target.wait_until_still()
    done = flametap.run("dump", "-p", target.pid)
    assert done.code == flametap.DONE, done
    text = done.out.decode()
    for frames in truth["stacks"].values():
        assert frames[0]["name"] in text
        assert "%s:%d" % (frames[0]["file"], frames[0]["line"]) in text


def test_dumping_again_and_again_changes_nothing(usual_python, tangle):
    target, _ = tangle(usual_python)
    first = dump_at_rest(target)
    assert all(flametap.dump(target.pid)["threads"] == first["threads"] for _ in range(20))


def test_subinterpreters(python3, start):
    target = start(python3, "subinterpreters.py")
    truth = target.says()
    dumped = dump_at_rest(target)
    main = {str(t["ident"]): t["frames"] for t in dumped["threads"] if t["interpreter"] == 0 and t["frames"]}
    assert main == truth["stacks"]
    inside = [t["frames"] for t in dumped["threads"] if t["interpreter"] != 0 and t["frames"]]
    assert sorted(inside, key=len) == truth["inside"]
    assert len({t["interpreter"] for t in dumped["threads"]}) == 3


def test_only_one_interpreter_of_a_thread_is_on_cpu(python3, start):
    target = start(python3, "subinterpreters.py", "spin")
    target.says()
    target.wait_until_it_computes()
    threads = flametap.dump(target.pid)["threads"]
    assert {thread["id"] for thread in threads} == {target.pid}
    assert [(thread["interpreter"] != 0, thread["on_cpu"], thread["holds_gil"]) for thread in threads] == [
        (True, True, True), (False, False, False)
    ]


def test_running_thread_is_on_cpu_and_holds_the_gil(python, start, counters):
    target = start(python, "alternate.py", counters.path, "20")
    target.says()
    counters.wait_for_progress()
    thread, = flametap.dump(target.pid)["threads"]
    assert thread["holds_gil"]
    assert thread["outcome"] == "complete"
    assert thread["frames"][-1]["name"] == "<module>"


def test_very_deep_recursion(frame_kind, start):
    """It is whole or says that it is not; what is there is true either way."""
    target = start(frame_kind, "abyss.py")
    truth = target.says()["frames"]
    thread = max(dump_at_rest(target)["threads"], key=lambda each: len(each["frames"]))
    assert len(thread["frames"]) >= 1000
    assert thread["outcome"] == ("complete" if len(thread["frames"]) == len(truth) else "truncated")
    assert_same_frames(truth[: len(thread["frames"])], thread["frames"])


def test_text_says_at_the_outermost_end_that_frames_are_missing(usual_python, start):
    target = start(usual_python, "abyss.py")
    target.says()
    target.wait_until_still()
    thread = max(flametap.dump(target.pid)["threads"], key=lambda each: len(each["frames"]))
    done = flametap.run("dump", "-p", target.pid)
    assert done.code == flametap.DONE, done
    lines = done.out.decode().splitlines()
    deep = lines[next(i for i, line in enumerate(lines) if line.startswith("Thread %d " % thread["id"])) + 1 :]
    if "" in deep:
        deep = deep[: deep.index("")]
    assert deep[0].startswith("    down (")
    assert [i for i, line in enumerate(deep) if line == "    (truncated)"] == (
        [len(deep) - 1] if thread["outcome"] == "truncated" else []
    )


def test_main_thread_comes_first(usual_python, tangle):
    target, truth = tangle(usual_python)
    dumped = dump_at_rest(target)
    assert len(truth["stacks"]) > 1
    assert dumped["threads"][0]["id"] == target.pid


def states_in_text(pid):
    """What stands in parentheses behind the name of each thread."""
    done = flametap.run("dump", "-p", pid)
    assert done.code == flametap.DONE, done
    return [line[line.rindex("(") + 1 : -1] for line in done.out.decode().splitlines() if line.startswith("Thread ")]


def test_stopped_process_is_called_stopped(usual_python, tangle):
    target, truth = tangle(usual_python)
    target.wait_until_still()
    assert {(thread["stopped"], thread["traced"]) for thread in flametap.dump(target.pid)["threads"]} == {(False, False)}
    with target.stopped():
        dumped = flametap.dump(target.pid)
        assert set(states_in_text(target.pid)) == {"stopped"}
    assert_true(truth, dumped)
    assert {(thread["stopped"], thread["traced"]) for thread in dumped["threads"]} == {(True, False)}


TRACER = """
import ctypes, os, sys
PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
ptrace = ctypes.CDLL(None).ptrace
assert ptrace(PTRACE_SEIZE, int(sys.argv[1]), None, None) == 0
assert ptrace(PTRACE_INTERRUPT, int(sys.argv[1]), None, None) == 0
os.waitpid(int(sys.argv[1]), WALL)
print("held", flush=True)
sys.stdin.read()
"""


def test_thread_that_a_tracer_holds_is_called_traced(usual_python, tangle):
    target, _ = tangle(usual_python)
    target.wait_until_still()
    tracer = subprocess.Popen([sys.executable, "-c", TRACER, str(target.pid)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
    try:
        assert tracer.stdout.readline() == b"held\n"
        first, *others = flametap.dump(target.pid)["threads"]
        assert states_in_text(target.pid)[0] == "traced"
    finally:
        tracer.communicate()
    assert first["id"] == target.pid and first["traced"] and not first["stopped"]
    assert others and not any(thread["traced"] or thread["stopped"] for thread in others)


def test_text_says_the_interpreter_of_each_thread_where_there_are_several(usual_python, start):
    target = start(usual_python, "subinterpreters.py")
    target.says()
    target.wait_until_still()
    threads = flametap.dump(target.pid)["threads"]
    states = states_in_text(target.pid)
    assert len({thread["interpreter"] for thread in threads}) == 3
    assert states == ["idle, interpreter %d" % thread["interpreter"] for thread in threads]


def test_venv(usual_python, tangle, tmp_path):
    subprocess.run([*usual_python.command, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True,
                   env=usual_python.environment())
    target, truth = tangle(usual_python, command=[tmp_path / "venv" / "bin" / "python"])
    assert_true(truth, dump_at_rest(target))


def test_embedded_in_another_program(shared_python, tangle, tmp_path):
    library = Path(shared_python.libpython)
    program = tmp_path / "not_a_snake"
    subprocess.run(
        ["cc", "-o", program, TARGETS / "embed.c", "-I", shared_python.include, library,
         "-Wl,-rpath," + str(library.parent)],
        check=True,
    )
    home = shared_python.ask("import sys; print(getattr(sys, 'base_exec_prefix', sys.exec_prefix))")
    target, truth = tangle(shared_python, command=[program], env={"PYTHONHOME": home, "PYTHONPATH": str(TARGETS)})
    assert_true(truth, dump_at_rest(target))


@pytest.fixture
def own_libpython(tmp_path):
    """Makes a copy of an interpreter's libpython; gives it and the environment in which that one is loaded."""

    def copy(interpreter):
        folder = tmp_path / "lib"
        folder.mkdir()
        library = Path(shutil.copy(os.path.realpath(interpreter.libpython), folder / Path(interpreter.libpython).name))
        return library, {"LD_LIBRARY_PATH": str(folder)}

    return copy


def is_mapped(pid, path):
    return str(path) in Path("/proc/%d/maps" % pid).read_text()


def test_libpython_was_deleted(shared_python, tangle, own_libpython):
    library, env = own_libpython(shared_python)
    target, truth = tangle(shared_python, env=env)
    assert is_mapped(target.pid, library)
    library.unlink()
    assert_true(truth, dump_at_rest(target))


def test_libpython_was_replaced(shared_python, tangle, own_libpython):
    library, env = own_libpython(shared_python)
    target, truth = tangle(shared_python, env=env)
    assert is_mapped(target.pid, library)
    # As a package manager does it: another file takes the name. Its contents must not be believed.
    other = library.with_suffix(".new")
    shutil.copy("/proc/self/exe", other)
    other.rename(library)
    assert_true(truth, dump_at_rest(target))


def test_libpython_is_stripped(shared_python, tangle, own_libpython):
    library, env = own_libpython(shared_python)
    subprocess.run(["strip", library], check=True)
    target, truth = tangle(shared_python, env=env)
    assert is_mapped(target.pid, library)
    assert_true(truth, dump_at_rest(target))


def inner_ids(pid):
    """{id inside its own pid namespace: id as seen from here} of the threads of a process."""
    ids = {}
    for task in os.listdir("/proc/%d/task" % pid):
        for line in Path("/proc/%d/task/%s/status" % (pid, task)).read_text().splitlines():
            if line.startswith("NSpid:"):
                ids[int(line.split()[-1])] = int(task)
    return ids


UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]


def test_other_namespaces(frame_kind, tangle, tmp_path):
    possible = subprocess.run([*UNSHARE, "true"], stderr=subprocess.PIPE)
    if possible.returncode != 0:
        pytest.skip("no namespaces here: " + possible.stderr.decode())
    # Hides the script and, with it, every path that its maps name from what we see at the same place.
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    inside = 'mount --bind "$0" "$1" && shift && exec "$@"'
    wrap = [*UNSHARE, "sh", "-c", inside, TARGETS, hidden]
    target, truth = tangle(frame_kind, wrap=wrap, script=hidden / "tangle.py")
    children = Path("/proc/%d/task/%d/children" % (target.pid, target.pid))
    wait_until(lambda: children.read_text().split(), "unshare has its child")
    target.pid = int(children.read_text().split()[0])
    dumped = dump_at_rest(target)
    assert_true(truth, dumped)
    ids = inner_ids(target.pid)
    assert {str(thread["ident"]): thread["id"] for thread in dumped["threads"]} == {
        ident: ids[inner] for ident, inner in truth["kernel_ids"].items()
    }


def test_json_is_all_there_is_on_stdout(usual_python, tangle):
    target, _ = tangle(usual_python)
    done = flametap.run("dump", "-p", target.pid, "--json")
    assert set(json.loads(done.out)) >= {"pid", "command", "python", "threads"}


@pytest.mark.parametrize("words", [["dump"], ["dump", "--json"], ["doctor"]], ids=" ".join)
def test_that_nobody_reads_on_is_no_failure(usual_python, tangle, words):
    target, _ = tangle(usual_python)
    target.wait_until_still()
    read_end, write_end = os.pipe()
    os.close(read_end)
    try:
        done = flametap.run(*words, target.pid, stdout=write_end)
    finally:
        os.close(write_end)
    assert (done.code, done.err) == (flametap.DONE, "")
