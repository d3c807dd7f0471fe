# SPDX-License-Identifier: Apache-2.0
"""The vendor's Python module acl over the C libraries, for programs that were written for it.

A function returns its results first and the status last (0 is success), or the status alone where it
has no results. Handles, streams, events and addresses are ints; 0 and None are the null pointer.
Submodules: acl.rt, acl.util, acl.op. What the libraries do not have is not there: hasattr(acl.rt,
"malloc") says whether a function can be called.

The libraries are those that the process has loaded, or that the loader finds by name (by
LD_LIBRARY_PATH); else those of ASCEND_TOOLKIT_HOME or ASCEND_HOME_PATH, of the installation that this
file is part of, or of the newest build of its source tree.
"""
import ctypes
import glob
import importlib.util
import itertools
import operator
import os
import re
import sys
import sysconfig
import threading
import types

_RUNTIME = "libascendcl.so"

# Name of the function: its C function, with a * behind the type of what it writes, and a ? behind that of
# what may be left out. Before the C function stands what it returns where that is no status.
_FUNCTIONS = {
    "init": "aclInit(text? config_path)",
    "finalize": "aclFinalize()",
    "get_soc_name": "text aclrtGetSocName()",
    "data_type_size": "size aclDataTypeSize(int data_type)",
    "create_data_buffer": "ptr aclCreateDataBuffer(ptr data, size size)",
    "destroy_data_buffer": "aclDestroyDataBuffer(ptr data_buffer)",
    "get_data_buffer_addr": "ptr aclGetDataBufferAddr(ptr data_buffer)",
    "get_data_buffer_size": "uint aclGetDataBufferSize(ptr data_buffer)",
    "get_data_buffer_size_v2": "size aclGetDataBufferSizeV2(ptr data_buffer)",
    "destroy_tensor_desc": "void aclDestroyTensorDesc(ptr desc)",
    "get_tensor_desc_size": "size aclGetTensorDescSize(ptr desc)",
    "set_tensor_const": "aclSetTensorConst(ptr desc, ptr data_buffer, size length)",
    "op.set_model_dir": "aclopSetModelDir(text model_dir)",
    "rt.set_device": "aclrtSetDevice(int device_id)",
    "rt.reset_device": "aclrtResetDevice(int device_id)",
    "rt.get_device_count": "aclrtGetDeviceCount(uint* count)",
    "rt.get_run_mode": "aclrtGetRunMode(int* run_mode)",
    "rt.synchronize_device": "aclrtSynchronizeDevice()",
    "rt.device_can_access_peer":
        "aclrtDeviceCanAccessPeer(int* can_access_peer, int device_id, int peer_device_id)",
    "rt.device_enable_peer_access": "aclrtDeviceEnablePeerAccess(int peer_device_id, uint flags)",
    "rt.create_context": "aclrtCreateContext(ptr* context, int device_id)",
    "rt.destroy_context": "aclrtDestroyContext(ptr context)",
    "rt.set_context": "aclrtSetCurrentContext(ptr context)",
    "rt.get_context": "aclrtGetCurrentContext(ptr* context)",
    "rt.create_stream": "aclrtCreateStream(ptr* stream)",
    "rt.create_stream_with_config":
        "aclrtCreateStreamWithConfig(ptr* stream, uint priority, uint flag)",
    "rt.destroy_stream": "aclrtDestroyStream(ptr stream)",
    "rt.synchronize_stream": "aclrtSynchronizeStream(ptr stream)",
    "rt.stream_wait_event": "aclrtStreamWaitEvent(ptr stream, ptr event)",
    "rt.create_event": "aclrtCreateEvent(ptr* event)",
    "rt.create_event_with_flag": "aclrtCreateEventWithFlag(ptr* event, uint flag)",
    "rt.create_event_ex_with_flag": "aclrtCreateEventExWithFlag(ptr* event, uint flag)",
    "rt.destroy_event": "aclrtDestroyEvent(ptr event)",
    "rt.record_event": "aclrtRecordEvent(ptr event, ptr stream)",
    "rt.synchronize_event": "aclrtSynchronizeEvent(ptr event)",
    "rt.query_event": "aclrtQueryEvent(ptr event, int* status)",
    "rt.event_elapsed_time": "aclrtEventElapsedTime(float* ms, ptr start_event, ptr end_event)",
    "rt.malloc": "aclrtMalloc(ptr* dev_ptr, size size, int policy)",
    "rt.free": "aclrtFree(ptr dev_ptr)",
    "rt.malloc_host": "aclrtMallocHost(ptr* host_ptr, size size)",
    "rt.free_host": "aclrtFreeHost(ptr host_ptr)",
    "rt.memcpy": "aclrtMemcpy(ptr dst, size dest_max, ptr src, size count, int kind)",
    "rt.memcpy_async":
        "aclrtMemcpyAsync(ptr dst, size dest_max, ptr src, size count, int kind, ptr stream)",
    "rt.memset": "aclrtMemset(ptr dev_ptr, size max_count, int value, size count)",
    "rt.memset_async":
        "aclrtMemsetAsync(ptr dev_ptr, size max_count, int value, size count, ptr stream)",
    "rt.get_mem_info": "aclrtGetMemInfo(int attr, size* free, size* total)",
    "rt.subscribe_report": "aclrtSubscribeReport(uint64 thread_id, ptr stream)",
    "rt.unsubscribe_report": "aclrtUnSubscribeReport(uint64 thread_id, ptr stream)",
    "rt.process_report": "aclrtProcessReport(int timeout)",
}

_TYPES = {
    "int": ctypes.c_int32,  # and enums
    "uint": ctypes.c_uint32,
    "uint64": ctypes.c_uint64,
    "size": ctypes.c_size_t,
    "float": ctypes.c_float,
    "ptr": ctypes.c_void_p,
    "text": ctypes.c_char_p,
    "void": None,
}
_BY_STATUS = ctypes.c_int32

# What a caller gives for a type of _TYPES.
_WORDS = {
    **dict.fromkeys(("int", "uint", "uint64", "size"), "a whole number"),
    "float": "a number",
    "ptr": "an address or handle (an int, or None)",
    "text": "text",
}


# ---- The libraries --------------------------------------------------------------------------------


def _folders():
    """Where the libraries may lie, in the order in which they are looked for."""
    for variable in ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH"):
        if os.environ.get(variable):
            yield os.path.join(os.environ[variable], "lib64")
    # As given and as it is, as a toolkit may have a link to this file.
    for here in dict.fromkeys(
        map(os.path.dirname, (os.path.abspath(__file__), os.path.realpath(__file__)))
    ):
        yield here
        yield os.path.join(here, "..")  # of lib/aclgrad/python
        yield os.path.join(here, "..", "..", "lib64")  # of TOOLKIT/python/site-packages
        prefix = os.path.join(here, "..", "..", "..")  # of PREFIX/lib/python3/dist-packages
        triplet = sysconfig.get_config_var("MULTIARCH") or ""
        for libraries in (os.path.join("lib", triplet), "lib64", "lib"):
            yield os.path.join(prefix, libraries, "aclgrad")
        builds = glob.glob(os.path.join(here, "..", "..", "build", "*", "lib", _RUNTIME))
        yield from map(
            os.path.dirname, sorted(builds, key=os.path.getmtime, reverse=True)
        )  # of a tree


def _load():
    """The runtime's library. A process must not have two of them, so the loader is asked first."""
    try:
        return ctypes.CDLL(_RUNTIME)
    except OSError as error:
        by_name = error
    for folder in map(os.path.normpath, _folders()):
        if not os.path.exists(os.path.join(folder, _RUNTIME)):
            continue
        library = ctypes.CDLL(os.path.join(folder, _RUNTIME))
        # So that ctypes.CDLL("libopapi.so") finds those that belong to it.
        for name in ("libnnopbase.so", "libopapi.so"):
            if os.path.exists(os.path.join(folder, name)):
                _KEPT.append(ctypes.CDLL(os.path.join(folder, name)))
        return library
    raise ImportError(
        f"acl: {_RUNTIME} is not on LD_LIBRARY_PATH ({by_name}), nor below ASCEND_TOOLKIT_HOME, nor "
        f"in the installation or source tree of {__file__}"
    )


_KEPT = []
_library = _load()


def _has(*names):
    return all(hasattr(_library, name) for name in names)


# ---- Functions of the table -----------------------------------------------------------------------


def _plain(value):
    """For what ctypes does not take as it is: NumPy's integers, paths."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    return os.fsencode(value) if isinstance(value, (str, os.PathLike)) else value


def _value(result):
    """A result of C as one of Python: 0 for a null pointer."""
    result = getattr(result, "value", result)
    return result.decode() if isinstance(result, bytes) else result or 0


def _bind(path, prototype):
    """A function that calls the C function of a prototype; None where the library lacks it."""
    returned, symbol, parameters = re.fullmatch(r"(?:(\w+) )?(\w+)\((.*)\)", prototype).groups()
    if not _has(symbol):
        return None
    parameters = [
        re.fullmatch(r"(\w+)([*?]?) (\w+)", each).groups()
        for each in filter(None, parameters.split(", "))
    ]
    arguments = [_TYPES[kind] for kind, _, _ in parameters]
    written = [k for k, (_, mark, _) in enumerate(parameters) if mark == "*"]
    taken = [(kind, argument) for kind, mark, argument in parameters if mark != "*"]
    for k in written:
        arguments[k] = ctypes.POINTER(arguments[k])
    flags = tuple({"*": (2,), "?": (1, None, None), "": (1,)}[mark] for _, mark, _ in parameters)
    restype = _TYPES[returned] if returned else _BY_STATUS
    c_function = ctypes.CFUNCTYPE(restype, *arguments)((symbol, _library), flags)
    if written:
        c_function.errcheck = lambda ret, _, given: (*[_value(given[k]) for k in written], ret)
    elif returned:
        c_function.errcheck = lambda result, _, given: _value(result)

    def function(*given):
        try:
            return c_function(*given)
        except ctypes.ArgumentError:
            pass
        try:
            return c_function(*map(_plain, given))
        except ctypes.ArgumentError as error:
            place = int(re.search(r"\d+", str(error))[0]) - 1  # among all parameters of C
            place -= sum(k < place for k in written)
            kind, argument = taken[place]
            text = f"acl.{path}: {argument} must be {_WORDS[kind]}, not {type(given[place]).__name__}"
        raise TypeError(text)

    given = ", ".join(argument for _, argument in taken)
    results = [parameters[k][2] for k in written]
    if not returned:
        results.append("ret")
    elif returned != "void":
        results.append({"ptr": "address"}.get(returned, returned))
    result = ", ".join(results) or "None"
    result = f"({result})" if len(results) > 1 else result
    function.__doc__ = f"{path}({given}) -> {result}, by {symbol}."
    return function


def _submodule(name):
    module = types.ModuleType(f"{__name__}.{name}", f"The functions of {__name__}.{name}.")
    sys.modules[module.__name__] = module
    return module


rt, util, op = _submodule("rt"), _submodule("util"), _submodule("op")


def _add(where, function, name=None):
    function.__name__ = function.__qualname__ = name or function.__name__.lstrip("_")
    function.__module__ = where.__name__
    setattr(where, function.__name__, function)


def _add_functions():
    for path, prototype in _FUNCTIONS.items():
        module, _, name = path.rpartition(".")
        function = _bind(path, prototype)
        if function is not None:
            _add({"rt": rt, "op": op, "": sys.modules[__name__]}[module], function, name)


_add_functions()


def _part_of(where, *symbols):
    """Adds a function, without the underscore, to a module, if the library has what it calls."""

    def decorate(function):
        if _has(*symbols):
            _add(where, function)
        return function

    return decorate


# ---- Chip, log, tensor descriptions ---------------------------------------------------------------


@_part_of(sys.modules[__name__], "aclCreateTensorDesc")
def _create_tensor_desc(data_type, dims, data_format):
    """A description of host data: dtype, sizes, format."""
    sizes = (ctypes.c_int64 * len(dims))(*map(operator.index, dims))
    create = _library.aclCreateTensorDesc
    create.restype = ctypes.c_void_p
    desc = create(
        ctypes.c_int(data_type), ctypes.c_int(len(dims)), sizes, ctypes.c_int(data_format)
    )
    return desc or 0


@_part_of(sys.modules[__name__], "aclAppLog")
def _app_log(level, message):
    """A line of the log: 0 debug, 1 info, 2 warning, 3 error."""
    caller = sys._getframe(1)
    place = os.fsencode(caller.f_code.co_name), os.fsencode(caller.f_code.co_filename)
    line = ctypes.c_uint32(caller.f_lineno)
    _library.aclAppLog(ctypes.c_int(level), *place, line, b"%s", str(message).encode())
    return 0


# ---- Events ---------------------------------------------------------------------------------------

_ALL_ABILITIES = 0x1 | 0x8  # ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE
_extended_events = set()  # made by create_event_ex_with_flag, which aclrtQueryEvent refuses


def _with_abilities(create):
    """Clients ask by flag 0 for an event without, by 1 for one with a time. C refuses the first, and
    the second has no time; here both can do everything.
    """

    def function(flag):
        return create(_ALL_ABILITIES if flag in (0, 1) else flag)

    function.__name__, function.__doc__ = create.__name__, create.__doc__
    return function


if hasattr(rt, "create_event_with_flag"):
    _add(rt, _with_abilities(rt.create_event_with_flag))

if hasattr(rt, "create_event_ex_with_flag") and _has("aclrtQueryEventStatus"):
    _create_ex, _destroy = _with_abilities(rt.create_event_ex_with_flag), rt.destroy_event
    _query = rt.query_event
    _query_status = _bind("rt.query_event", "aclrtQueryEventStatus(ptr event, int* status)")

    @_part_of(rt)
    def _create_event_ex_with_flag(flag):
        """An event that may be recorded again without a reset: (event, ret)."""
        event, ret = _create_ex(flag)
        if event:
            _extended_events.add(event)
        return event, ret

    @_part_of(rt)
    def _destroy_event(event):
        """Never waits."""
        _extended_events.discard(event)
        return _destroy(event)

    @_part_of(rt)
    def _query_event(event):
        """(0, ret) where all that was recorded is done, else (1, ret)."""
        if event not in _extended_events:
            return _query(event)
        done, ret = _query_status(event)
        return (0 if done or ret else 1), ret


# ---- Threads and callbacks ------------------------------------------------------------------------

_threads = {}
_callbacks = {}  # what has been launched and not been called: number, function, its argument
_callback_numbers = itertools.count(1)


@_part_of(util)
def _start_thread(function, arguments):
    """A thread that calls function(arguments): (its id, ret)."""
    thread = threading.Thread(target=function, args=(arguments,), daemon=True)
    thread.start()
    _threads[thread.ident] = thread
    return thread.ident, 0


@_part_of(util)
def _stop_thread(thread_id):
    """Waits for the end of a thread of start_thread, which its function must come to by itself."""
    thread = _threads.pop(thread_id, None)
    if thread is None:
        return 100000
    thread.join()
    return 0


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _call_back(number):
    function, argument = _callbacks.pop(number)
    function(argument)


@_part_of(rt, "aclrtLaunchCallback")
def _launch_callback(function, argument, block_type, stream):
    """Has the thread that processes the stream's reports call function(argument)."""
    number = next(_callback_numbers)
    _callbacks[number] = function, argument
    ret = _library.aclrtLaunchCallback(
        _call_back, ctypes.c_void_p(number), ctypes.c_int(block_type), ctypes.c_void_p(stream)
    )
    if ret:
        _callbacks.pop(number, None)
    return ret


# ---- Addresses of host data -----------------------------------------------------------------------


@_part_of(util)
def _bytes_to_ptr(data):
    """The address of a bytes object's own memory, which the caller keeps alive."""
    if not isinstance(data, bytes):
        raise TypeError(f"bytes_to_ptr takes bytes, not {type(data).__name__}")
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value


@_part_of(util)
def _ptr_to_bytes(address, size):
    """A copy of memory of the host."""
    return ctypes.string_at(address, operator.index(size))


@_part_of(util)
def _numpy_to_ptr(array):
    """The address of an array's data, which the caller keeps alive."""
    return array.ctypes.data


if importlib.util.find_spec("numpy"):
    # By the number that each has in NumPy's C interface.
    _NUMPY_TYPES = {**dict(enumerate("?bBhHiIlLqQfd")), 23: "e"}

    @_part_of(util)
    def _ptr_to_numpy(address, shape, numpy_type):
        """An array that shares memory of the host, which the caller keeps alive."""
        import numpy

        if numpy_type not in _NUMPY_TYPES:
            raise KeyError(f"ptr_to_numpy: {numpy_type!r} is not the number of a type (numpy.dtype(...).num)")
        dtype = numpy.dtype(_NUMPY_TYPES[numpy_type])
        count = dtype.itemsize
        for size in shape:
            count *= operator.index(size)
        return numpy.ndarray(shape, dtype, (ctypes.c_char * count).from_address(address))

    @_part_of(util)
    def _numpy_contiguous_to_ptr(array):
        """The address of the elements in their order, and the array that holds them: this or a copy."""
        import numpy

        array = numpy.ascontiguousarray(array)
        return array.ctypes.data, array
