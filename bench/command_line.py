"""bench/run: its options, and the order of things."""
import argparse
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import documents
import machine
import plan
import results
import setup
from peers.austin import Austin
from peers.cprofile import CProfile
from peers.flametap import Flametap, FlametapNoPause
from peers.peer import Unavailable
from peers.perf import Bpftrace, Perf
from peers.py_spy import PySpy, PySpyNonblocking
from peers.tachyon import Tachyon, TachyonBlocking
from runner import Runner

import pythons

ROOT = Path(__file__).resolve().parent.parent
KINDS = (Flametap, PySpy, PySpyNonblocking, Austin, Tachyon, TachyonBlocking, Perf, Bpftrace, CProfile)
MORE_KINDS = (FlametapNoPause,)  # only if named


def words(text):
    return tuple(text.split(","))


def parse(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="two interpreters, few targets, one turn")
    size.add_argument("--everywhere", action="store_true",
                      help="flametap alone: every target on every interpreter at every rate")
    parser.add_argument("--profilers", type=words, help=", ".join(kind.name for kind in KINDS + MORE_KINDS))
    parser.add_argument("--targets", type=words, help="of bench/targets/catalogue.py")
    parser.add_argument("--rates", type=words, help="samples per second, and max")
    parser.add_argument("--pythons", type=words, help="3.8,3.13")
    parser.add_argument("--seconds", type=float, help="of each turn [2; quick: 1; everywhere: 0.5]")
    parser.add_argument("--turns", type=int, help="of each measurement [2 to 5; quick, everywhere: 1]")
    parser.add_argument("--pin", action="store_true", help="the target on CPU 1, the profilers on CPU 0")
    parser.add_argument("--crowd", type=int, default=0, metavar="N", help="N other processes compute all the while")
    parser.add_argument("--output", type=Path, default=ROOT / "build/bench/report", metavar="DIR")
    parser.add_argument("--from", dest="sources", type=Path, nargs="+", metavar="FILE",
                        help="measure nothing, take these results, of one or several runs")
    parser.add_argument("--docs", action="store_true", help="write the tables into README.md and docs/accuracy.md")
    arguments = parser.parse_args()
    arguments.seconds = arguments.seconds or (0.5 if arguments.everywhere else 1 if arguments.quick else 2)
    return arguments


def kinds_of(arguments):
    if not arguments.profilers:
        return (Flametap,) if arguments.everywhere else KINDS
    unknown = set(arguments.profilers) - {kind.name for kind in KINDS + MORE_KINDS}
    if unknown:
        raise SystemExit(f"bench/run: no profiler {', '.join(sorted(unknown))}")
    return [kind for kind in KINDS + MORE_KINDS if kind.name in arguments.profilers]


def measure_all(arguments):
    """The results as they are written, also of a run that is interrupted."""
    kit = setup.Kit(pythons.find())
    peers, missing = setup.gather(kinds_of(arguments), kit)
    runner = Runner(peers, arguments.seconds, arguments.pin)
    data = {"everywhere": arguments.everywhere, "date": time.strftime("%Y-%m-%d"), "machine": machine.facts(),
            "seconds": [arguments.seconds], "pin": arguments.pin, "crowd": arguments.crowd, "missing": missing,
            "profilers": {peer.name: {"version": peer.version, "how": peer.how} for peer in peers},
            "interpreters": {}, "targets": {}, "not_measured": [], "rows": runner.rows, "startups": []}
    crowd = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.crowd)]
    try:
        for step, minor, interpreter, reason, variant in plan.units(plan.chosen(arguments), kit.interpreters):
            data["targets"][variant.name] = variant.note
            if interpreter is None:
                data["not_measured"].append({"python": minor, "target": variant.name, "reason": reason})
                continue
            data["interpreters"].setdefault(minor, interpreter.version)
            runner.run(interpreter, variant, step)
    except KeyboardInterrupt:
        print("bench/run: interrupted; the report has what there is", file=sys.stderr)
    finally:
        for each in crowd:
            each.kill()
            each.wait()
        runner.close()
    data["startups"] = [{"profiler": name, "python": python, **figures}
                        for (name, python), figures in runner.startups.items()]
    return data


def draw(data, folder):
    try:
        setup.run([str(ROOT / "tools/install-packages"), "python3-matplotlib"], "install-packages")
        import plots
    except (ImportError, Unavailable) as missing:
        print(f"bench/run: no plots: {missing}", file=sys.stderr)
        return []
    return plots.draw_all(data, folder)


def main(description):
    arguments = parse(description)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does: with a report
    if arguments.sources:
        data = results.merge([results.read(source) for source in arguments.sources])
    else:
        data = measure_all(arguments)
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "results.json").write_text(json.dumps(data, indent=1))
    report = arguments.output / "report.md"
    report.write_text(documents.whole(data, [] if data.get("everywhere") else draw(data, arguments.output)))
    print(report)
    if arguments.docs:
        documents.update(ROOT, data)
    return 0
