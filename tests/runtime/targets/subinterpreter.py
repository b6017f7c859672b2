"""How the running version makes sub-interpreters; Python 2 has no way."""


def way_to_run():
    """A function that runs a source in a new interpreter on the calling thread."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        return lambda source: module.run_string(module.create(), source)
    from _testcapi import run_in_subinterp

    return run_in_subinterp
