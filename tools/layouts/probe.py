"""Asks the headers of one CPython for every number of fields.py, by compiling and running probe.c with the questions."""

import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from fields import CONSTANTS, DESCRIBED, FIELDS, SELF_DESCRIBED, spelling

# A build flavour changes structs by preprocessor conditions alone, so the headers of a release build tell them all.
FLAVOURS = {"release": [], "trace_refs": ["-DPy_TRACE_REFS=1"], "free_threaded": ["-DPy_GIL_DISABLED=1"]}


class Headers(NamedTuple):
    """The folder with Python.h of one build, and what that build is."""

    include: Path
    version: tuple  # (major, minor)
    debug: bool
    trace_refs: bool


class ProbeError(Exception):
    """The headers do not compile, or lack what fields.py expects of that version."""


def ask(include, questions, flags):
    """The answers to {name: C expression} from the headers in `include`."""
    lines = [f'  say("{name}", (unsigned long long)({expression}));' for name, expression in questions.items()]
    source = Path(__file__).with_name("probe.c").read_text() + "\nint main(void) {\n" + "\n".join(lines) + "\n}\n"
    # Debian's pyconfig.h includes <ARCH/python3.N/pyconfig.h>, which stands beside the include folder.
    folders = [include, include / "internal", include / "internal/mimalloc", include.parent]
    with tempfile.TemporaryDirectory() as work:
        program = Path(work) / "probe"
        # Inline functions of the headers call into libpython. Nothing here runs them, so nothing need be linked.
        # -idirafter: the folder beside may hold a C library of its own, which must not hide the compiler's.
        command = ["cc", "-std=gnu17", "-w", "-O1", "-x", "c", "-", "-o", str(program), *flags]
        command += ["-Wl,--unresolved-symbols=ignore-all"]
        command += [f"-I{folder}" for folder in folders[:-1]] + ["-idirafter", str(folders[-1])]
        compiled = subprocess.run(command, input=source, capture_output=True, text=True)
        if compiled.returncode != 0:
            raise ProbeError(f"{include}: {compiled.stderr.strip()}")
        output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {name: int(value) for name, value in (line.split() for line in output.splitlines())}


def identify(include):
    """The Headers of an include folder, as its own macros tell."""
    questions = {
        "major": "PY_MAJOR_VERSION",
        "minor": "PY_MINOR_VERSION",
        "debug": "\n#ifdef Py_DEBUG\n1\n#else\n0\n#endif\n",
        "trace_refs": "\n#ifdef Py_TRACE_REFS\n1\n#else\n0\n#endif\n",
    }
    answers = ask(include, questions, [])
    version = answers["major"], answers["minor"]
    return Headers(include, version, bool(answers["debug"]), bool(answers["trace_refs"]))


def flavours_of(headers):
    """The flavours whose layout these headers can tell.

    A debug build traces references up to 3.7. Later ones must agree with the release build, or describe themselves.
    """
    if headers.version >= SELF_DESCRIBED:
        return [] if headers.debug else ["release", "free_threaded"]
    if headers.trace_refs:
        return ["trace_refs"]
    return ["release"] if headers.debug else ["release", "trace_refs"]


def as_expression(spelled):
    """"Type.member" is an offset; anything else is C already."""
    type_name, dot, member = spelled.partition(".")
    return f"offsetof({type_name}, {member})" if dot else spelled


def layout_questions(version):
    questions = {name: spelling(history, version) for name, history in CONSTANTS.items()}
    for group, fields in FIELDS.items():
        for field, history in fields.items():
            questions[f"{group}.{field}"] = spelling(history, version)
    return {name: as_expression(spelled) for name, spelled in questions.items() if spelled is not None}


def probe_layout(headers, flavour):
    """{field: number} of one build flavour; what the version lacks is missing."""
    flags = [] if headers.debug or headers.trace_refs else FLAVOURS[flavour]
    return ask(headers.include, layout_questions(headers.version), flags)


def probe_shape(headers):
    """The size of _Py_DebugOffsets, and {field: what DESCRIBED says of it, with positions in place of members}."""
    members = {word for description in DESCRIBED.values() for word in description if isinstance(word, str)}
    questions = {member: f"offsetof(_Py_DebugOffsets, {member})" for member in members}
    answers = ask(headers.include, questions | {"size": "sizeof(_Py_DebugOffsets)"}, [])
    fields = {
        name: tuple(answers.get(word, word) for word in description) for name, description in DESCRIBED.items()
    }
    return answers["size"], fields
