# SPDX-License-Identifier: Apache-2.0
"""Runtime, memory, events, callbacks and addresses, called as programs call the vendor's module."""
import ctypes
import struct
import threading
import time

import pytest
from conftest import run

import acl

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
WRONG_ARGUMENT, NULL_OR_UNKNOWN = 100000, 107000


def test_init_may_be_repeated_and_is_counted():
    # In a process of its own: what finalize takes away, other tests use.
    program = """
import acl
print(acl.init(), acl.init(""), acl.init(None), acl.finalize(), acl.finalize())
print(acl.init("/no/such/file.json"))
"""
    done = run("-c", program, **here())
    assert done.stdout.split() == ["0", "100002", "100002", "0", "100037", "100003"], done


def test_a_configuration_is_given_by_path(tmp_path):
    (tmp_path / "acl.json").write_text('{"dump": {"dump_scene": "lite_exception"}}')
    program = "import acl, pathlib, sys; print(acl.init(sys.argv[1]), acl.init(pathlib.Path(sys.argv[1])))"
    done = run("-c", program, tmp_path / "acl.json", **here())
    assert done.stdout.split() == ["0", "100002"], done


def here():
    from conftest import LIBRARIES, MODULE

    return {"LD_LIBRARY_PATH": LIBRARIES, "PYTHONPATH": MODULE.parent}


def test_the_chip_is_said_as_text():
    assert acl.get_soc_name().startswith("Ascend910B")


def test_questions_have_the_answer_first_and_the_status_last(device):
    count, ret = acl.rt.get_device_count()
    assert ret == 0 and count >= 1
    assert acl.rt.get_run_mode() == (1, 0)  # the program runs on a host, not on the device
    free, total, ret = acl.rt.get_mem_info(0)
    assert ret == 0 and 0 < free <= total
    context, ret = acl.rt.create_context(device)
    assert ret == 0 and type(context) is int
    assert acl.rt.get_context() == (context, 0)
    assert acl.rt.set_context(context) == 0
    assert acl.rt.synchronize_device() == 0
    assert acl.rt.destroy_context(context) == 0
    can, ret = acl.rt.device_can_access_peer(device, device + 99)
    assert ret != 0 and can == 0


def test_a_failure_has_a_status_and_no_result(device):
    assert acl.rt.malloc(0, 0) == (0, WRONG_ARGUMENT)
    assert acl.rt.create_stream_with_config(0, 12345)[1] != 0
    assert acl.rt.free(0) == acl.rt.free(None) != 0
    assert acl.rt.set_device(-7) != 0
    assert acl.rt.query_event(0)[1] != 0


def test_a_wrong_number_of_arguments_is_a_mistake_of_the_program():
    for arguments in ((), (4,), (4, 0, 0)):
        with pytest.raises(TypeError):
            acl.rt.malloc(*arguments)
    with pytest.raises(TypeError, match="^acl.rt.malloc: size must be a whole number, not str$"):
        acl.rt.malloc("four", 0)
    with pytest.raises(TypeError, match="^acl.rt.memcpy: src must be an address .*, not tuple$"):
        acl.rt.memcpy(0, 4, (1, 2), 4, 1)
    with pytest.raises(TypeError, match="^acl.rt.event_elapsed_time: end_event must be"):
        acl.rt.event_elapsed_time(0, 1.5)


@pytest.mark.parametrize("count", [1, 7, 4096, 1_000_003])
def test_bytes_go_to_the_device_and_back(stream, count):
    data = bytes(k * 31 % 251 for k in range(count))
    first, ret = acl.rt.malloc(count, 0)
    assert ret == 0
    second, ret = acl.rt.malloc(count, 2)
    assert ret == 0 and first and second and first != second
    host, ret = acl.rt.malloc_host(count)
    assert ret == 0
    assert acl.rt.memcpy(first, count, acl.util.bytes_to_ptr(data), count, HOST_TO_DEVICE) == 0
    assert acl.rt.memcpy_async(second, count, first, count, DEVICE_TO_DEVICE, stream) == 0
    assert acl.rt.memcpy_async(host, count, second, count, DEVICE_TO_HOST, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    assert acl.util.ptr_to_bytes(host, count) == data
    # Memory that a copy writes to, as a bytes object: it reads what has been copied.
    target = bytes(count) if count > 1 else bytes(bytearray(2))
    size = len(target[:count])
    assert acl.rt.memcpy(acl.util.bytes_to_ptr(target), size, second, size, DEVICE_TO_HOST) == 0
    assert target[:count] == data
    assert acl.rt.memcpy(first, count - 1, second, count, DEVICE_TO_DEVICE) != 0  # no room
    assert acl.rt.memset(first, count, 7, count) == 0
    assert acl.rt.memset_async(second, count, 9, count, stream) == 0
    assert acl.rt.synchronize_stream(stream) == 0
    for memory, value in ((first, 7), (second, 9)):
        assert acl.rt.memcpy(host, count, memory, count, DEVICE_TO_HOST) == 0
        assert acl.util.ptr_to_bytes(host, count) == bytes([value]) * count
        assert acl.rt.free(memory) == 0
    assert acl.rt.free_host(host) == 0


def test_bytes_to_ptr_takes_bytes_alone():
    for data in (bytearray(4), "text", 4, None):
        with pytest.raises(TypeError):
            acl.util.bytes_to_ptr(data)
    assert ctypes.string_at(acl.util.bytes_to_ptr(b"a\0b"), 4) == b"a\0b\0"


def test_a_data_buffer_holds_address_and_size():
    memory = ctypes.create_string_buffer(16)
    address = ctypes.addressof(memory)
    buffer = acl.create_data_buffer(address, 16)
    assert type(buffer) is int and buffer
    assert acl.get_data_buffer_addr(buffer) == address
    assert acl.get_data_buffer_size(buffer) == acl.get_data_buffer_size_v2(buffer) == 16
    assert acl.destroy_data_buffer(buffer) == 0
    null = acl.create_data_buffer(None, 0)
    assert acl.get_data_buffer_addr(null) == 0
    assert acl.destroy_data_buffer(null) == 0
    assert acl.destroy_data_buffer(None) == WRONG_ARGUMENT


def test_a_description_of_a_tensor_has_its_size():
    if not hasattr(acl, "create_tensor_desc"):
        pytest.skip("the libraries have no descriptions of tensors")
    for dtype, dims, size in ((0, [3, 4], 48), (1, (5,), 10), (9, [], 8)):
        desc = acl.create_tensor_desc(dtype, dims, 2)
        assert type(desc) is int and desc
        assert acl.get_tensor_desc_size(desc) == size
        memory = ctypes.create_string_buffer(size)
        assert acl.set_tensor_const(desc, ctypes.addressof(memory), size) == 0
        assert acl.destroy_tensor_desc(desc) == 0
    assert acl.get_tensor_desc_size(None) == 0


def test_a_folder_of_models_is_accepted(tmp_path):
    if not hasattr(acl.op, "set_model_dir"):
        pytest.skip("the libraries have no aclopSetModelDir")
    assert acl.op.set_model_dir(str(tmp_path)) == 0


def test_sizes_of_dtypes():
    assert [acl.data_type_size(k) for k in (0, 1, 2, 3, 9, 11, 12, 27)] == [4, 2, 1, 4, 8, 8, 1, 2]


def test_the_log_takes_a_line_as_it_is():
    program = "import acl\ndef place():\n    return acl.app_log(3, 'half of it: 50 %s %n')\nprint(place())"
    done = run("-c", program, **here())
    assert done.stdout == "0\n" and "half of it: 50 %s %n" in done.stderr, done
    assert "place" in done.stderr


CREATORS = ["create_event", "create_event_with_flag", "create_event_ex_with_flag"]


@pytest.mark.parametrize("creator", CREATORS)
@pytest.mark.parametrize("flag", [0, 1, 9])
def test_events_of_clients_can_do_everything(stream, creator, flag):
    create = getattr(acl.rt, creator)
    arguments = () if creator == "create_event" else (flag,)
    (start, ret), (end, other) = create(*arguments), create(*arguments)
    assert ret == other == 0
    assert acl.rt.query_event(start) == (0, 0)  # never recorded
    memory, _ = acl.rt.malloc(1 << 22, 0)
    assert acl.rt.record_event(start, stream) == 0
    assert acl.rt.memset_async(memory, 1 << 22, 1, 1 << 22, stream) == 0
    assert acl.rt.record_event(end, stream) == 0
    waiting, ret = acl.rt.create_stream()
    assert ret == 0 and acl.rt.stream_wait_event(waiting, end) == 0
    assert acl.rt.synchronize_stream(waiting) == 0
    assert acl.rt.synchronize_event(end) == 0
    assert acl.rt.query_event(end) == (0, 0)
    milliseconds, ret = acl.rt.event_elapsed_time(start, end)
    assert ret == 0 and 0 < milliseconds < 60_000
    for event in (start, end):
        assert acl.rt.destroy_event(event) == 0
        assert acl.rt.query_event(event)[1] != 0
    assert acl.rt.destroy_stream(waiting) == 0 and acl.rt.free(memory) == 0


@pytest.mark.parametrize("creator", CREATORS)
def test_an_event_is_not_done_before_the_work_before_it(stream, creator):
    create = getattr(acl.rt, creator)
    event, _ = create() if creator == "create_event" else create(0)
    held = threading.Event()
    with reports(stream):
        assert acl.rt.launch_callback(lambda _: held.wait(), None, 1, stream) == 0
        assert acl.rt.record_event(event, stream) == 0
        status = acl.rt.query_event(event)
        held.set()  # before anything that may fail and would wait for ever
        assert status == (1, 0)
        assert acl.rt.synchronize_event(event) == 0
        assert acl.rt.query_event(event) == (0, 0)
    assert acl.rt.destroy_event(event) == 0


def test_other_flags_go_through(device):
    assert acl.rt.create_event_with_flag(1 << 20)[1] == NULL_OR_UNKNOWN
    event, ret = acl.rt.create_event_with_flag(8)  # a time alone: no stream can wait for it
    stream, _ = acl.rt.create_stream()
    assert ret == 0 and acl.rt.stream_wait_event(stream, event) != 0
    assert acl.rt.destroy_event(event) == acl.rt.destroy_stream(stream) == 0


class reports:
    """A thread that processes a stream's reports, as the vendor's samples have it."""

    def __init__(self, stream):
        self.stream, self.going = stream, True

    def _process(self, arguments):
        context, timeout = arguments
        assert acl.rt.set_context(context) == 0
        while self.going:
            acl.rt.process_report(timeout)

    def __enter__(self):
        context, _ = acl.rt.get_context()
        self.thread, ret = acl.util.start_thread(self._process, [context, 20])
        assert ret == 0 and type(self.thread) is int
        assert acl.rt.subscribe_report(self.thread, self.stream) == 0
        return self

    def __exit__(self, *_):
        assert acl.rt.synchronize_stream(self.stream) == 0
        assert acl.rt.unsubscribe_report(self.thread, self.stream) == 0
        self.going = False
        assert acl.util.stop_thread(self.thread) == 0
        assert acl.util.stop_thread(self.thread) == WRONG_ARGUMENT


def test_a_thread_that_was_stopped_has_ended():
    going, ended = threading.Event(), []

    def work(arguments):
        going.wait()
        time.sleep(0.05)
        ended.extend(arguments)

    thread, ret = acl.util.start_thread(work, [1, 2])
    assert ret == 0
    going.set()
    assert acl.util.stop_thread(thread) == 0 and ended == [1, 2]


def test_callbacks_run_in_order_on_the_thread_of_the_reports(stream):
    seen = []
    with reports(stream) as processing:
        for k in range(100):
            assert acl.rt.launch_callback(seen.append, {"number": k}, k % 2, stream) == 0
        where = []
        call = acl.rt.launch_callback(
            lambda _: where.append(threading.get_ident()), None, 1, stream
        )
        assert call == 0
    assert seen == [{"number": k} for k in range(100)]
    assert where == [processing.thread] != [threading.get_ident()]
    assert not acl._callbacks


def test_a_callback_that_is_refused_is_not_kept(stream):
    assert acl.rt.launch_callback(print, None, 1, stream) != 0  # nobody processes reports
    assert acl.rt.launch_callback(print, None, 77, stream) == WRONG_ARGUMENT
    assert not acl._callbacks


def test_a_callback_that_raises_ends_nothing(stream, monkeypatch):
    import sys

    raised, seen = [], []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    with reports(stream):
        assert acl.rt.launch_callback(lambda _: 1 / 0, None, 1, stream) == 0
        assert acl.rt.launch_callback(seen.append, 1, 1, stream) == 0
    assert seen == [1] and [r.exc_type for r in raised] == [ZeroDivisionError]


def test_waiting_leaves_the_interpreter_to_others(stream):
    # The callback is Python and must run while the stream is waited for.
    with reports(stream):
        assert acl.rt.launch_callback(lambda _: time.sleep(0.05), None, 1, stream) == 0
        assert acl.rt.synchronize_stream(stream) == 0


def test_arrays_of_numpy():
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    array = numpy.arange(12, dtype=numpy.float32).reshape(3, 4)
    address = acl.util.numpy_to_ptr(array)
    shared = acl.util.ptr_to_numpy(address, (3, 4), 11)
    assert (shared == array).all() and shared.dtype == array.dtype
    shared[1, 2] = -5
    assert array[1, 2] == -5
    same, kept = acl.util.numpy_contiguous_to_ptr(array)
    assert same == address and kept is array
    other, kept = acl.util.numpy_contiguous_to_ptr(array.T)
    assert other != address and acl.util.ptr_to_bytes(other, 48) == array.T.tobytes()
    assert acl.util.ptr_to_numpy(0, (0,), 11).size == 0


@pytest.mark.parametrize(
    "number, name",
    enumerate(
        "bool_ byte ubyte short ushort intc uintc int_ uint longlong ulonglong single double".split()
    ),
)
def test_numbers_of_numpys_types(number, name):
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    wanted = numpy.dtype(getattr(numpy, {"int_": "int64", "uint": "uint64"}.get(name, name)))
    assert wanted.num == number or wanted.itemsize == 8
    memory = ctypes.create_string_buffer(struct.pack("16s", bytes(range(1, 17))), 16)
    array = acl.util.ptr_to_numpy(ctypes.addressof(memory), (16 // wanted.itemsize,), number)
    assert array.dtype == wanted and array.tobytes() == memory.raw


def test_half_precision_and_unknown_types_of_numpy():
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    memory = ctypes.create_string_buffer(numpy.float16([1.5, -2]).tobytes(), 4)
    assert acl.util.ptr_to_numpy(ctypes.addressof(memory), (2,), 23).tolist() == [1.5, -2]
    with pytest.raises(KeyError, match="17 is not the number of a type"):
        acl.util.ptr_to_numpy(ctypes.addressof(memory), (2,), 17)


def test_numpys_integers_are_integers(device):
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    size = numpy.prod(numpy.array([3, 4], dtype=numpy.int64))
    memory, ret = acl.rt.malloc(size, 0)
    assert ret == 0
    assert acl.rt.memset(memory, size, 0, numpy.uint8(5)) == 0
    assert acl.rt.free(numpy.uint64(memory)) == 0


def test_objects_may_be_destroyed_in_any_order_when_the_process_ends():
    # As programs do that keep every executor they got, also those that phase two has consumed, and arrays that
    # are freed after finalize.
    program = """
import ctypes, acl
opapi = ctypes.CDLL("libopapi.so")
opapi.aclCreateTensor.restype = ctypes.c_void_p
acl.init()
acl.rt.set_device(0)
stream, ret = acl.rt.create_stream()
event, ret = acl.rt.create_event()
four, one, offset = (ctypes.c_int64 * 1)(4), (ctypes.c_int64 * 1)(1), ctypes.c_int64(0)
rank = ctypes.c_uint64(1)
memory = [acl.rt.malloc(16, 0)[0] for _ in range(2)]
tensors = [
    ctypes.c_void_p(opapi.aclCreateTensor(four, rank, 0, one, offset, 2, four, rank, ctypes.c_void_p(m))) for m in memory
]
executors, size = [], ctypes.c_uint64()
for k in range(3):
    executor = ctypes.c_void_p()
    assert opapi.aclnnSeluGetWorkspaceSize(*tensors, ctypes.byref(size), ctypes.byref(executor)) == 0
    if k < 2:
        assert opapi.aclnnSelu(None, size, executor, ctypes.c_void_p(stream)) == 0
    executors.append(executor)
assert acl.rt.synchronize_stream(stream) == 0
assert acl.finalize() == 0
left = [opapi.aclDestroyAclOpExecutor(executor) for executor in executors * 2]
assert left.count(0) == 1, left  # the one that was not consumed
assert [opapi.aclDestroyTensor(t) for t in tensors] == [0, 0]
assert opapi.aclDestroyTensor(tensors[0]) != 0
print([type(acl.rt.free(m)) is int for m in memory], acl.rt.destroy_stream(stream) != 0, acl.rt.destroy_event(event) != 0)
"""
    done = run("-c", program, **here())
    assert (done.returncode, done.stdout.split()) == (0, ["[True,", "True]", "True", "True"]), done
