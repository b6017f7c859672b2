"""How the running version makes sub-interpreters."""


def way_to_run():
    """A function that runs a source in a new interpreter on the calling thread, or the reason why there is none."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            module = __import__(name)
        except ImportError:
            continue
        return lambda source: module.run_string(module.create(), source)
    try:
        from _testcapi import run_in_subinterp
    except ImportError:
        return "there is neither _interpreters nor _xxsubinterpreters nor _testcapi.run_in_subinterp"
    return run_in_subinterp
