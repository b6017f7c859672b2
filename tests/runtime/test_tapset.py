"""The scripts of `flametap trace --tapset` are understood by the tracers that they are for, and do what they say."""

import os
import re
import shutil
import subprocess
import sys

import pytest

import flametap
import markers
from target import PATIENCE_S

CALLS = """
def inner(): return 1
def outer(): return inner()
import bisect, gc
outer()
gc.collect()
"""


def need(program):
    if not shutil.which(program):
        pytest.skip("%s is not installed" % program)


def scripts(what, language, folder):
    """Makes the scripts into files in the way that their own first comment says; their paths."""
    done = flametap.run("trace", "--tapset", what, "--for", language)
    assert done.code == flametap.DONE, done
    (split,) = re.findall(r"\| (awk '.*')\n", done.out.decode())
    subprocess.run(["sh", "-c", split], input=done.out, cwd=folder, check=True)
    return sorted(folder.iterdir())


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "scripts"
    made.mkdir()
    return made


def expected_names(python, ending):
    names = {".bt": ["gc-pauses.bt", "import-times.bt"], ".stp": ["python.stp"], ".d": ["gc_pauses.d"]}[ending]
    calls = {".bt": ["call-hierarchy.bt", "top.bt"],
             ".stp": ["call-hierarchy.stp", "call-hierarchy-by-tapset.stp", "top.stp"],
             ".d": ["call_stack.d"]}[ending]  # fmt: skip
    return sorted(names + (calls if "function__entry" in markers.of_file(python.command[-1]) else []))


@pytest.mark.parametrize("language, ending", [("bpftrace", ".bt"), ("systemtap", ".stp"), ("dtrace", ".d")])
def test_there_are_all_scripts_that_the_markers_allow(marked_minor_python, language, ending, folder):
    made = scripts(marked_minor_python.command[-1], language, folder)
    assert all("   Run: " in path.read_text() for path in made)
    assert [path.name for path in made] == expected_names(marked_minor_python, ending)


def stay_on_one_cpu():
    """bpftrace has a buffer for each CPU, and what it prints of two is in no order."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def bpftrace(*args):
    """Runs it with the length of texts that the scripts ask for, and room for all that happens while it gets no turn;
    gives what it prints."""
    need("bpftrace")
    if os.geteuid() != 0:
        pytest.skip("bpftrace needs root")
    done = subprocess.run(["bpftrace", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=PATIENCE_S, preexec_fn=stay_on_one_cpu,
                          env={**os.environ, "BPFTRACE_STRLEN": "150", "BPFTRACE_PERF_RB_PAGES": "1024"})
    text = done.stdout.decode(errors="replace")
    assert done.returncode == 0, text
    return text


def test_bpftrace_understands_every_script(marked_minor_python, folder):
    for path in scripts(marked_minor_python.command[-1], "bpftrace", folder):
        bpftrace("-d", path)


def run_under(script, python, tmp_path):
    program = tmp_path / "of_this_test_alone.py"
    program.write_text(CALLS)
    # Without site, which would call thousands of functions.
    return bpftrace("-c", "%s -S -E %s" % (python.command[0], program), script)


def test_bpftrace_shows_the_calls_of_a_program(system_python, folder, tmp_path):
    scripts(system_python.command[-1], "bpftrace", folder)
    text = run_under(folder / "call-hierarchy.bt", system_python, tmp_path)
    lines = [line for line in text.splitlines() if "of_this_test_alone.py" in line]
    words = [re.sub(r"^ *\d+ +\S+ +\d+ ", "", line).split(" in ")[0] for line in lines]
    assert words == ["=> <module>", "  => outer", "    => inner", "    <= inner", "  <= outer", "<= <module>"], text


def test_bpftrace_shows_the_most_called(system_python, folder, tmp_path):
    # The program is over before the first second is, so what was counted is shown at the end instead.
    scripts(system_python.command[-1], "bpftrace", folder)
    script = folder / "top.bt"
    text = script.read_text()
    assert text.count("END\n{\n  clear(@calls);\n}\n") == 1
    script.write_text(text.replace("END\n{\n  clear(@calls);\n}\n", ""))
    said = run_under(script, system_python, tmp_path)
    assert re.search(r"@calls\[\d+, \S*of_this_test_alone\.py, 2, inner\]: 1\n", said), said


def test_bpftrace_shows_collections_and_imports(system_python, folder, tmp_path):
    scripts(system_python.command[-1], "bpftrace", folder)
    text = run_under(folder / "gc-pauses.bt", system_python, tmp_path)
    assert re.search(r"generation 2: \d+ us, \d+ objects collected\n", text), text
    assert "@pauses_us[2]" in text
    text = run_under(folder / "import-times.bt", system_python, tmp_path)
    assert re.search(r" us, with all that it imports: bisect\n", text), text


@pytest.fixture(scope="session")
def no_kernel(tmp_path_factory):
    """What SystemTap wants to know of a kernel before it looks at a script, whatever kernel runs here."""
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "include/config").mkdir(parents=True)
    (folder / "include/config/kernel.release").write_text("6.1.0\n")
    options = ("TRACEPOINTS", "ARCH_SUPPORTS_UPROBES", "UPROBES", "X86_64", "PERF_EVENTS", "MODULES")
    (folder / ".config").write_text("".join("CONFIG_%s=y\n" % option for option in options))
    for name in ("System.map", "Module.symvers"):
        (folder / name).write_text("")
    return folder


def test_systemtap_understands_every_script(marked_minor_python, folder, no_kernel, tmp_path):
    need("stap")
    made = scripts(marked_minor_python.command[-1], "systemtap", folder)
    # Our tapset takes the place of SystemTap's own, as its comment says.
    tapsets = tmp_path / "tapset"
    shutil.copytree("/usr/share/systemtap/tapset", tapsets)
    shutil.copy(folder / "python.stp", tapsets / "python.stp")
    use = tmp_path / "use.stp"
    aliases = re.findall(r"^probe (python\.\S+) =", (folder / "python.stp").read_text(), re.MULTILINE)
    assert len(aliases) == len(markers.of_file(marked_minor_python.command[-1]))
    use.write_text("".join('probe %s { printf("%%s\\n", $$parms) }\n' % alias for alias in aliases))
    for path in [use] + [path for path in made if path.name != "python.stp"]:
        # As far as the second of its passes, which finds the markers and the types of everything.
        done = subprocess.run(["stap", "-r", str(no_kernel), "-p2", str(path)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "SYSTEMTAP_TAPSET": str(tapsets)},
                              timeout=PATIENCE_S)  # fmt: skip
        assert done.returncode == 0, "%s:\n%s" % (path.name, done.stdout.decode(errors="replace"))


def test_an_unknown_tracer():
    assert flametap.run("trace", "--tapset", sys.executable, "--for", "perf").code == flametap.USAGE
