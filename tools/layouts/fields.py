"""What the layout table holds, and how CPython spells it in each version: the one place that knows.

A spelling holds from the version named until the next entry of its history; None: from there on there is no such
thing. Adding a Python version means adding entries here where CPython moved something, then running `generate`.
"""

SELF_DESCRIBED = (3, 13)  # from here on _PyRuntime begins with a _Py_DebugOffsets
TRACED_DEBUG_BEFORE = (3, 8)  # before this every debug build has Py_TRACE_REFS too

# Version-dependent behaviour that no header states as a number: the enumerators of src/cpython/layout.h.
TRAITS = {
    "frame_link": ("FrameLink", {"2.7": "frame_object", "3.11": "cframe", "3.13": "interpreter_frame"}),
    "instruction_kind": ("InstructionKind", {"2.7": "byte_index", "3.10": "unit_index", "3.11": "unit_pointer"}),
    "line_table_kind": (
        "LineTableKind",
        {"2.7": "lnotab_unsigned", "3.6": "lnotab_signed", "3.10": "ranges", "3.11": "locations"},
    ),
    "text_kind": ("TextKind", {"2.7": "bytes", "3.6": "unicode"}),
    "gil_kind": (
        "GilKind",
        {"2.7": "current_thread_variable", "3.7": "current_thread_field", "3.12": "per_interpreter"},
    ),
    "dict_kind": ("DictKind", {"2.7": "open_table", "3.6": "sized_keys", "3.11": "log_sized_keys"}),
    "attributes_kind": (
        "AttributesKind",
        {"2.7": "dict_pointer", "3.11": "two_pointers", "3.12": "tagged_pointer", "3.13": "inline_values"},
    ),
    "integer_kind": ("IntegerKind", {"2.7": "machine_word", "3.6": "sized_digits", "3.12": "tagged_digits"}),
    "evaluator": ("Evaluator", {"2.7": "eval_frame_ex", "3.6": "eval_frame_default"}),
}

# Numbers of the whole layout, as C expressions; left out of a row where None, so that layout.h's own default holds.
CONSTANTS = {
    "code_tag_mask": {"2.7": None, "3.14": "Py_TAG_BITS"},
    "first_shim_owner": {"2.7": None, "3.12": "FRAME_OWNED_BY_CSTACK", "3.14": "FRAME_OWNED_BY_INTERPRETER"},
}

# Group -> field -> history of C expressions. "Type.member" stands for offsetof(Type, member).
FIELDS = {
    "runtime": {
        "interpreters_head": {"2.7": "0", "3.7": "_PyRuntimeState.interpreters.head"},
        "current_thread": {"2.7": None, "3.7": "_PyRuntimeState.gilstate.tstate_current", "3.12": None},
        "gc": {"2.7": None, "3.7": "_PyRuntimeState.gc", "3.9": None},
        "gil": {"2.7": None, "3.7": "_PyRuntimeState.ceval.gil", "3.12": None},
    },
    "interpreter": {
        "next": {"2.7": "PyInterpreterState.next"},
        "id": {"2.7": None, "3.7": "PyInterpreterState.id"},
        "threads_head": {"2.7": "PyInterpreterState.tstate_head", "3.11": "PyInterpreterState.threads.head"},
        "modules": {"2.7": "PyInterpreterState.modules", "3.12": "PyInterpreterState.imports.modules"},
        "gil": {"2.7": None, "3.12": "PyInterpreterState.ceval.gil"},
        "gc": {"2.7": None, "3.9": "PyInterpreterState.gc"},
    },
    "gil": {
        "holder": {"2.7": None, "3.12": "struct _gil_runtime_state.last_holder"},
        "locked": {"2.7": None, "3.12": "struct _gil_runtime_state.locked"},
        "size": {"2.7": None, "3.7": "sizeof(struct _gil_runtime_state)"},
    },
    "gc": {
        "collecting": {"2.7": None, "3.7": "struct _gc_runtime_state.collecting"},
    },
    "thread": {
        "next": {"2.7": "PyThreadState.next"},
        "interpreter": {"2.7": "PyThreadState.interp"},
        "frame": {"2.7": "PyThreadState.frame", "3.11": "PyThreadState.cframe", "3.13": "PyThreadState.current_frame"},
        "cframe": {"2.7": None, "3.10": "PyThreadState.cframe", "3.13": None},
        "thread_id": {"2.7": "PyThreadState.thread_id"},
        "native_thread_id": {"2.7": None, "3.11": "PyThreadState.native_thread_id"},
        "stack_chunk": {"2.7": None, "3.11": "PyThreadState.datastack_chunk"},
        "stack_top": {"2.7": None, "3.11": "PyThreadState.datastack_top"},
    },
    "cframe": {
        "current_frame": {"2.7": None, "3.11": "_PyCFrame.current_frame", "3.13": None},
        "previous": {"2.7": None, "3.10": "CFrame.previous", "3.11": "_PyCFrame.previous", "3.13": None},
    },
    "stack_chunk": {
        "previous": {"2.7": None, "3.11": "_PyStackChunk.previous"},
        "size": {"2.7": None, "3.11": "_PyStackChunk.size"},
        "top": {"2.7": None, "3.11": "_PyStackChunk.top"},
        "data": {"2.7": None, "3.11": "_PyStackChunk.data"},
    },
    "frame": {
        "previous": {"2.7": "PyFrameObject.f_back", "3.11": "_PyInterpreterFrame.previous"},
        "code": {
            "2.7": "PyFrameObject.f_code",
            "3.11": "_PyInterpreterFrame.f_code",
            "3.13": "_PyInterpreterFrame.f_executable",
        },
        "instruction": {
            "2.7": "PyFrameObject.f_lasti",
            "3.11": "_PyInterpreterFrame.prev_instr",
            "3.13": "_PyInterpreterFrame.instr_ptr",
        },
        "owner": {"2.7": None, "3.11": "_PyInterpreterFrame.owner"},
        "is_entry": {"2.7": None, "3.11": "_PyInterpreterFrame.is_entry", "3.12": None},
        "state": {"2.7": None, "3.10": "PyFrameObject.f_state", "3.11": None},
    },
    "code": {
        "name": {"2.7": "PyCodeObject.co_name"},
        "qualname": {"2.7": None, "3.11": "PyCodeObject.co_qualname"},
        "filename": {"2.7": "PyCodeObject.co_filename"},
        "first_line": {"2.7": "PyCodeObject.co_firstlineno"},
        "flags": {"2.7": "PyCodeObject.co_flags"},
        "line_table": {"2.7": "PyCodeObject.co_lnotab", "3.10": "PyCodeObject.co_linetable"},
        "instructions": {"2.7": None, "3.11": "PyCodeObject.co_code_adaptive"},
        "unit_count": {"2.7": None, "3.11": "PyVarObject.ob_size"},
        "unique_version": {"2.7": None, "3.12": "PyCodeObject.co_version"},
    },
    "object": {"type": {"2.7": "PyObject.ob_type"}},
    "type": {
        "name": {"2.7": "PyTypeObject.tp_name"},
        "flags": {"2.7": "PyTypeObject.tp_flags"},
        "basic_size": {"2.7": "PyTypeObject.tp_basicsize"},
        "dict_offset": {"2.7": "PyTypeObject.tp_dictoffset"},
        "dict": {"2.7": "PyTypeObject.tp_dict"},
        "shared_keys": {"2.7": None, "3.11": "PyHeapTypeObject.ht_cached_keys"},
    },
    "type_flag": {
        "integer": {"2.7": "Py_TPFLAGS_INT_SUBCLASS", "3.6": "Py_TPFLAGS_LONG_SUBCLASS"},
        "text": {"2.7": "Py_TPFLAGS_STRING_SUBCLASS", "3.6": "Py_TPFLAGS_UNICODE_SUBCLASS"},
        "dict": {"2.7": "Py_TPFLAGS_DICT_SUBCLASS"},
        "tuple": {"2.7": "Py_TPFLAGS_TUPLE_SUBCLASS"},
        "list": {"2.7": "Py_TPFLAGS_LIST_SUBCLASS"},
        "bytes": {"2.7": None, "3.6": "Py_TPFLAGS_BYTES_SUBCLASS"},
        "allocated": {"2.7": "Py_TPFLAGS_HEAPTYPE"},
        "managed_dict": {"2.7": None, "3.11": "Py_TPFLAGS_MANAGED_DICT"},
        "inline_values": {"2.7": None, "3.13": "Py_TPFLAGS_INLINE_VALUES"},
    },
    "dict": {
        "keys": {"2.7": "PyDictObject.ma_table", "3.6": "PyDictObject.ma_keys"},
        "mask": {"2.7": "PyDictObject.ma_mask", "3.6": None},
        "values": {"2.7": None, "3.6": "PyDictObject.ma_values"},
    },
    # Up to 3.10 no header that is installed says this: struct _dictkeysobject stands in Objects/dict-common.h.
    "dict_keys": {
        "size": {"2.7": None, "3.6": "8", "3.11": "struct _dictkeysobject.dk_log2_size"},
        "index_bytes": {"2.7": None, "3.11": "struct _dictkeysobject.dk_log2_index_bytes"},
        "kind": {"2.7": None, "3.11": "struct _dictkeysobject.dk_kind"},
        "entry_count": {"2.7": None, "3.6": "32", "3.11": "struct _dictkeysobject.dk_nentries"},
        "indices": {"2.7": None, "3.6": "40", "3.11": "struct _dictkeysobject.dk_indices"},
    },
    "dict_values": {
        "capacity": {"2.7": None, "3.13": "struct _dictvalues.capacity"},
        "valid": {"2.7": None, "3.13": "struct _dictvalues.valid"},
        "first": {"2.7": None, "3.6": "0", "3.11": "struct _dictvalues.values"},
    },
    # Distances backwards from an object: what the interpreter keeps in front of it.
    "before_object": {
        "dict": {
            "2.7": None,
            "3.11": "-MANAGED_DICT_OFFSET",
            "3.12": "3 * sizeof(PyObject*)",
            "3.13": "-MANAGED_DICT_OFFSET",
        },
        "values": {"2.7": None, "3.11": "4 * sizeof(PyObject*)", "3.12": None},
    },
    "integer": {
        "size": {"2.7": None, "3.6": "PyVarObject.ob_size", "3.12": "PyLongObject.long_value.lv_tag"},
        "digits": {
            "2.7": "PyIntObject.ob_ival",
            "3.6": "struct _longobject.ob_digit",
            "3.12": "PyLongObject.long_value.ob_digit",
        },
    },
    "floating": {"value": {"2.7": "PyFloatObject.ob_fval"}},
    "tuple": {
        "length": {"2.7": "PyVarObject.ob_size"},
        "items": {"2.7": "PyTupleObject.ob_item"},
    },
    "list": {
        "length": {"2.7": "PyVarObject.ob_size"},
        "items": {"2.7": "PyListObject.ob_item"},
    },
    "bytes": {
        "length": {"2.7": "PyVarObject.ob_size"},
        "data": {"2.7": "PyBytesObject.ob_sval"},
    },
    "text": {
        "length": {"2.7": None, "3.6": "PyASCIIObject.length"},
        "state": {"2.7": None, "3.6": "PyASCIIObject.state"},
        "kind_shift": {"2.7": None, "3.6": "kind_shift()"},
        "ascii_data": {"2.7": None, "3.6": "sizeof(PyASCIIObject)"},
        "compact_data": {"2.7": None, "3.6": "sizeof(PyCompactUnicodeObject)"},
        "separate_data": {"2.7": None, "3.6": "PyUnicodeObject.data"},
    },
}

# Where _Py_DebugOffsets states a field: its member, the member with the size of the struct that the field is in, and
# the field's width; then, if it is stated relative to an outer struct, the member with the offset of the inner one. What
# is not listed is taken from the version's row instead.
DESCRIBED = {
    "runtime.interpreters_head": ("runtime_state.interpreters_head", "runtime_state.size", 8),
    "interpreter.next": ("interpreter_state.next", "interpreter_state.size", 8),
    "interpreter.id": ("interpreter_state.id", "interpreter_state.size", 8),
    "interpreter.threads_head": ("interpreter_state.threads_head", "interpreter_state.size", 8),
    "interpreter.modules": ("interpreter_state.imports_modules", "interpreter_state.size", 8),
    "interpreter.gil": ("interpreter_state.ceval_gil", "interpreter_state.size", 8),
    "interpreter.gc": ("interpreter_state.gc", "interpreter_state.size", 8),
    "gil.holder": (
        "interpreter_state.gil_runtime_state_holder", "interpreter_state.size", 8, "interpreter_state.gil_runtime_state"
    ),
    "gil.locked": (
        "interpreter_state.gil_runtime_state_locked", "interpreter_state.size", 4, "interpreter_state.gil_runtime_state"
    ),
    "gc.collecting": ("gc.collecting", "gc.size", 4),
    "thread.next": ("thread_state.next", "thread_state.size", 8),
    "thread.interpreter": ("thread_state.interp", "thread_state.size", 8),
    "thread.frame": ("thread_state.current_frame", "thread_state.size", 8),
    "thread.thread_id": ("thread_state.thread_id", "thread_state.size", 8),
    "thread.native_thread_id": ("thread_state.native_thread_id", "thread_state.size", 8),
    "thread.stack_chunk": ("thread_state.datastack_chunk", "thread_state.size", 8),
    "frame.previous": ("interpreter_frame.previous", "interpreter_frame.size", 8),
    "frame.code": ("interpreter_frame.executable", "interpreter_frame.size", 8),
    "frame.instruction": ("interpreter_frame.instr_ptr", "interpreter_frame.size", 8),
    "frame.owner": ("interpreter_frame.owner", "interpreter_frame.size", 1),
    "code.name": ("code_object.name", "code_object.size", 8),
    "code.qualname": ("code_object.qualname", "code_object.size", 8),
    "code.filename": ("code_object.filename", "code_object.size", 8),
    "code.first_line": ("code_object.firstlineno", "code_object.size", 4),
    "code.line_table": ("code_object.linetable", "code_object.size", 8),
    "code.instructions": ("code_object.co_code_adaptive", "code_object.size", 2),
    "object.type": ("pyobject.ob_type", "pyobject.size", 8),
    "type.name": ("type_object.tp_name", "type_object.size", 8),
    "bytes.length": ("bytes_object.ob_size", "bytes_object.size", 8),
    "bytes.data": ("bytes_object.ob_sval", "bytes_object.size", 1),
    "text.length": ("unicode_object.length", "unicode_object.asciiobject_size", 8),
    "text.state": ("unicode_object.state", "unicode_object.asciiobject_size", 4),
    "text.ascii_data": ("unicode_object.asciiobject_size", "unicode_object.size", 8),
}

# A minor version whose structs changed between micro versions: the first micro that looks like the headers at hand,
# and by how much fields of the earlier ones differ.
EARLIER_MICROS = {
    # 3.7.4 gave PyGC_Head the alignment of a long double, so that the collector's state grew inside _PyRuntime.
    (3, 7): (4, {"runtime.current_thread": -88, "runtime.gil": -88, "runtime.gc": -8, "gc.collecting": -80}),
}


def parse_version(text):
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def spelling(history, version):
    """What a history says for a version: the entry of the newest version that is not newer."""
    known = [since for since in history if parse_version(since) <= version]
    return history[max(known, key=parse_version)] if known else None
