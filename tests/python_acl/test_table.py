# SPDX-License-Identifier: Apache-2.0
"""The table of functions beside the C headers, and the names that programs ask for."""
import ctypes
import importlib
import re

import pytest
from conftest import TREE

import acl

HEADERS = "\n".join(
    path.read_text() for path in sorted((TREE / "ops" / "include" / "acl").glob("*.h"))
)
ENUMS = set(re.findall(r"^typedef enum (\w+)", HEADERS, re.M)) | set(
    re.findall(r"^\} (\w+);", HEADERS, re.M)
)
KINDS = {
    "int32_t": "int",
    "uint32_t": "uint",
    "uint64_t": "uint64",
    "size_t": "size",
    "float": "float",
    "aclError": "",
    "void": "void",
}
PROTOTYPES = sorted(acl._FUNCTIONS.values())


def kind(declared):
    """Of a C parameter or result: as the table says it."""
    words = [word for word in re.findall(r"\w+|\*", declared) if word != "const"]
    base, stars = words[0], words.count("*")
    if stars == 0 and base in ENUMS:
        return "int"
    if base == "char" and stars == 1:
        return "text"
    if base in ("aclrtStream", "aclrtContext", "aclrtEvent"):
        return "ptr" + "*" * stars
    if base == "void" or base.startswith("acl") and base not in ENUMS and base not in KINDS:
        return "void" if not stars else "ptr" + "*" * (stars - 1)
    return ("int" if base in ENUMS else KINDS[base]) + "*" * stars


def declaration(symbol):
    found = re.search(r"ACL_FUNC_VISIBILITY\s+([^;(]*?)\b%s\(([^;]*)\)\s*;" % symbol, HEADERS)
    return found and (found[1], [] if found[2] == "void" else found[2].split(","))


@pytest.mark.parametrize("prototype", PROTOTYPES)
def test_a_function_is_called_as_its_header_declares_it(prototype):
    returned, symbol, parameters = re.fullmatch(r"(?:(\w+) )?(\w+)\((.*)\)", prototype).groups()
    declared = declaration(symbol)
    if declared is None:  # a function of the vendor's that these libraries do not have
        assert not acl._has(symbol)
        pytest.skip(f"{symbol} is not declared")
    assert kind(declared[0]) == (returned or "")
    wanted = re.findall(r"(\w+\*?)\??( \w+)", parameters)
    assert [kind(parameter) for parameter in declared[1]] == [one for one, _ in wanted]
    names = [re.sub("[A-Z]", lambda c: "_" + c[0].lower(), one.split()[-1]) for one in declared[1]]
    assert [" " + name.lstrip("*") for name in names] == [name for _, name in wanted]


def test_the_comparison_with_headers_sees_a_wrong_type():
    assert kind("aclrtMemMallocPolicy policy") == "int"
    assert kind("size_t* free") == "size*" != kind("uint64_t* free")
    assert kind("void** devPtr") == "ptr*" and kind("const void* src") == "ptr"
    assert kind("const char*") == "text" and kind("aclrtStream") == "ptr"
    assert len([p for p in PROTOTYPES if declaration(re.search(r"(\w+)\(", p)[1])]) > 40


def test_there_are_the_names_that_programs_call():
    rt = """set_device reset_device get_device_count get_mem_info create_context set_context destroy_context
    create_stream create_stream_with_config destroy_stream synchronize_stream synchronize_device
    stream_wait_event create_event create_event_with_flag create_event_ex_with_flag destroy_event
    record_event synchronize_event query_event event_elapsed_time malloc malloc_host free free_host memcpy
    memcpy_async get_run_mode get_context memset memset_async subscribe_report unsubscribe_report
    process_report launch_callback device_can_access_peer device_enable_peer_access"""
    assert [name for name in rt.split() if not callable(getattr(acl.rt, name, None))] == []
    util = "bytes_to_ptr ptr_to_bytes numpy_to_ptr start_thread stop_thread"
    assert [name for name in util.split() if name not in dir(acl.util)] == []
    top = """init finalize get_soc_name create_data_buffer get_data_buffer_addr get_data_buffer_size
    get_data_buffer_size_v2 destroy_data_buffer app_log data_type_size"""
    assert [name for name in top.split() if not callable(getattr(acl, name, None))] == []


@pytest.mark.parametrize(
    "symbol, path",
    [("aclopSetModelDir", "op.set_model_dir"), ("aclCreateTensorDesc", "create_tensor_desc")]
    + [("aclGetTensorDescSize", "get_tensor_desc_size"), ("aclSetTensorConst", "set_tensor_const")],
)
def test_a_function_is_there_exactly_where_its_c_function_is(symbol, path):
    where = acl
    for name in path.split("."):
        where = getattr(where, name, None)
    assert callable(where) == hasattr(ctypes.CDLL("libascendcl.so"), symbol)


def test_what_is_not_carried_out_is_absent():
    assert not any(hasattr(acl, name) for name in ("mdl", "media", "query_event", "bytes_to_ptr"))
    assert not hasattr(acl.rt, "no_such_function") and not hasattr(acl.op, "create_attr")
    public = [name for name in dir(acl.rt) + dir(acl.op) + dir(acl.util) if name[0] != "_"]
    assert len(public) == len(set(public)) > 40
    for name in public:
        where = next(m for m in (acl.rt, acl.op, acl.util) if hasattr(m, name))
        function = getattr(where, name)
        assert (function.__module__, function.__name__) == (where.__name__, name)
        assert function.__doc__, name


def test_help_says_what_a_function_takes_and_gives():
    assert acl.rt.malloc.__doc__ == "rt.malloc(size, policy) -> (dev_ptr, ret), by aclrtMalloc."
    assert acl.rt.free.__doc__ == "rt.free(dev_ptr) -> ret, by aclrtFree."
    assert acl.get_soc_name.__doc__ == "get_soc_name() -> text, by aclrtGetSocName."


def test_submodules_can_be_imported():
    assert importlib.import_module("acl.rt") is acl.rt
    assert importlib.import_module("acl.util") is acl.util
    assert importlib.import_module("acl.op") is acl.op
    with pytest.raises(ImportError):
        importlib.import_module("acl.mdl")
