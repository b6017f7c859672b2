"""What the machine is, as far as figures depend on it."""
import os
import platform
import re
from pathlib import Path


def facts():
    cpu_info = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*: (.*)$", cpu_info, re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    system = dict(re.findall(r'^(\w+)="?(.*?)"?$', Path("/etc/os-release").read_text(), re.MULTILINE))
    return {"cpu": model[1] if model else platform.machine(), "cpus": len(os.sched_getaffinity(0)),
            "memory_gb": int(memory[1]) / 2 ** 20, "system": system.get("PRETTY_NAME", "?"),
            "kernel": platform.release(), "virtual": " hypervisor" in cpu_info, "load": os.getloadavg()[0]}
