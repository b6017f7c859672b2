"""The profilers that are measured: one small class each, one file per profiler."""
