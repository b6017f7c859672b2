"""What `flametap doctor` says of this machine and of a process is so, and is said also where little is allowed."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import flametap
from target import wait_until

UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--net"]


def doctor(*args, code=flametap.DONE, **options):
    """What it says for programs; the exit code must be that one."""
    done = flametap.run("doctor", "--json", *args, **options)
    assert done.code == code, done
    assert bool(done.err) == (code != flametap.DONE)
    return json.loads(done.out)


def abilities(said):
    return {each["name"]: each for each in said["abilities"]}


def ability(said, part):
    return next(each for name, each in abilities(said).items() if part in name)


def doctor_as_nobody(folder, *args):
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    copy = shutil.copy(flametap.binary(), folder / "flametap")
    return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, "doctor", *args],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_of_this_machine():
    said = doctor()
    machine = said["machine"]
    assert machine["kernel"].endswith(os.uname().release)
    assert machine["architecture"] == os.uname().machine
    assert machine["usable_cpus"] == sorted(os.sched_getaffinity(0))
    assert machine["uid"] == os.geteuid()
    assert said["process"] is None
    for each in said["abilities"]:
        assert each["grade"] == "works" or (each["why"] and each["try"])


def test_fewer_cpus(two_cpus):
    said = doctor(wrap=["taskset", "-c", str(two_cpus[0])])
    assert said["machine"]["usable_cpus"] == [two_cpus[0]]
    assert ability(said, "ride along")["grade"] == "partly"
    assert "taskset" in ability(said, "ride along")["try"]


def test_changes_nothing_about_us():
    """It tries other CPUs, and starts a child; all in its own process."""
    before = os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0)
    doctor()
    assert (os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0)) == before


def test_of_every_interpreter(python, start):
    """On a thread that sleeps, whose stack stays as it is."""
    target = start(python, "paces.py", "sleeps", 20)
    target.says()
    target.wait_until_main_sleeps()
    process = doctor(target.pid)["process"]
    found = process["python"]
    assert found["version"] == python.version
    assert found["debug"] == python.debug
    assert found["in_program"] == (not python.shared)
    assert found["self_described"] == (python.minor >= (3, 13))
    assert found["exact"] and not found["missing_file"]
    assert found["tells_gil_waits"] or (python.minor < (3, 7) and not found["all_symbols"])
    thread, = process["threads"]
    assert thread["id"] == target.pid
    assert re.fullmatch(r"verified, 20 frames in [0-9.]+ µs", thread["free_reading"]), thread
    assert {thread[step] for step in ("interrupt", "ride_along", "pause")} == {"not needed: it sleeps"}, thread
    assert process["error"] is None


def test_each_step_is_tried(frame_kind, start, two_cpus):
    """On a thread that runs all the time, and stays in one function."""
    # It is not moved to another CPU when we take its own.
    target = start(frame_kind, "paces.py", "works", cpus={two_cpus[1]})
    target.says()
    thread, = doctor(target.pid)["process"]["threads"]
    for step in ("interrupt", "ride_along", "pause"):
        assert re.match(r"verified, \d+ frames? in [0-9.]+ µs", thread[step]), (step, thread[step])


def test_for_people(usual_python, start):
    target = start(usual_python, "obedient.py")
    target.says()
    done = flametap.run("doctor", target.pid)
    assert done.code == flametap.DONE and not done.err
    text = done.out.decode()
    assert "\x1b" not in text, "colours only on a terminal"
    assert usual_python.version in text and "free reading" in text


def test_of_a_deleted_interpreter(system_python, start, tmp_path):
    copy = shutil.copy(system_python.command[0], tmp_path / "python3")
    target = start(system_python, "obedient.py", command=[copy], env={"PYTHONHOME": "/usr"})
    target.says()
    os.unlink(copy)
    found = doctor(target.pid)["process"]["python"]
    assert found["file"] == str(copy)
    # Root still reaches the file through the kernel's link to it.
    assert found["missing_file"] == "" or "deleted" in found["missing_file"]


def test_of_something_else():
    with subprocess.Popen(["sleep", "1000"]) as process:
        try:
            said = doctor(process.pid, code=flametap.NOT_PYTHON)["process"]
        finally:
            process.kill()
    assert said["command"] == "sleep 1000"
    assert any("sleep" in each for each in said["looked_at"])
    assert said["python"] is None and said["error"]["exit_code"] == flametap.NOT_PYTHON


def test_of_nothing():
    said = doctor(int(Path("/proc/sys/kernel/pid_max").read_text()), code=flametap.NO_SUCH_PROCESS)
    assert said["process"]["error"]["exit_code"] == flametap.NO_SUCH_PROCESS
    assert said["abilities"]


def test_as_another_user(usual_python, start, public_folder):
    target = start(usual_python, "obedient.py")
    target.says()
    done = doctor_as_nobody(public_folder, "--json", str(target.pid))
    assert done.returncode == flametap.NOT_PERMITTED, done.stderr
    said = json.loads(done.stdout)
    assert said["machine"]["uid"] == 65534
    assert not any(said["machine"]["capabilities"].values())
    others = ability(said, "other users")
    assert others["grade"] == "no"
    interrupts = ability(said, "in an interrupt")
    assert interrupts["grade"] == "partly" and "not permitted" in interrupts["why"]
    process = said["process"]
    assert "obedient.py" in process["command"] and process["uid"] == 0, "all that could be found out comes first"
    assert process["error"]["exit_code"] == flametap.NOT_PERMITTED
    assert process["error"]["try"] == others["try"], "one remedy, wherever it is told"
    assert others["try"] in done.stderr.decode()


def test_in_namespaces():
    if os.getuid() != 0 and Path("/proc/sys/kernel/unprivileged_userns_clone").exists():
        pytest.skip("only root may make namespaces here")
    said = doctor(wrap=UNSHARE)
    assert said["machine"]["own_user_namespace"] and said["machine"]["own_pid_namespace"]
    assert said["machine"]["capabilities"]["CAP_SYS_PTRACE"], "we are root inside"
    assert ability(said, "our own")["grade"] in ("works", "partly")
    for part in ("other users", "all processes", "every child"):
        assert ability(said, part)["grade"] == "partly", part
    assert "host" in ability(said, "other users")["try"]


def test_of_a_process_in_namespaces(usual_python, start):
    """From outside."""
    target = start(usual_python, "obedient.py", wrap=UNSHARE)
    target.says()
    children = Path("/proc/%d/task/%d/children" % (target.pid, target.pid))
    wait_until(lambda: children.read_text().split(), "unshare has its child")
    said = doctor(int(children.read_text().split()[0]))["process"]
    assert said["same_files"] is False and said["same_pids"] is False
    assert said["python"]["version"] == usual_python.version


def test_of_a_stopped_process(usual_python, start):
    """It is looked at and stays as it is."""
    target = start(usual_python, "obedient.py")
    target.says()
    with target.stopped():
        assert doctor(target.pid)["process"]["python"]
        assert target.state() == "T"
