# SPDX-License-Identifier: Apache-2.0
"""A search by meaning in a handful of sentences: words are counted, similarities are products of unit vectors by
Einsum, Sort ranks them, and Nonzero gives the pairs that are close, whose number is known only after the run. By
the module acl and ctypes; words and sentences are this program's, all numbers the operators'.
"""
import array
import ctypes
import math
import sys

import acl

FLOAT, INT64, BOOL = 0, 9, 12  # aclDataType
CODES, SIZES = {FLOAT: "f", INT64: "q", BOOL: "B"}, {FLOAT: 4, INT64: 8, BOOL: 1}
HOST_TO_DEVICE, DEVICE_TO_HOST, FORMAT_ND = 1, 2, 2

opapi = ctypes.CDLL("libopapi.so")
for create in (opapi.aclCreateTensor, opapi.aclCreateTensorList, opapi.aclCreateScalar):
    create.restype = ctypes.c_void_p
opapi.aclCreateIntArray.restype = ctypes.c_void_p
opapi.aclGetRecentErrMsg.restype = ctypes.c_char_p


def done(status, *values):
    """The values, or the end of the program with the library's own words."""
    if status:
        sys.exit(f"status {status}: {(opapi.aclGetRecentErrMsg() or b'').decode()}")
    return values[0] if values else None


def last_first(call):
    """Of a function of acl, which gives its values first and its status last."""
    *values, status = call
    return done(status, *values)


done(acl.init())
done(acl.rt.set_device(0))
stream = last_first(acl.rt.create_stream())


class Tensor(ctypes.c_void_p):
    """Contiguous, on the device."""

    def __init__(self, shape, dtype=FLOAT, values=None):
        self.dtype, count = dtype, math.prod(shape)
        data = array.array(CODES[dtype], values or [0] * count).tobytes()
        self.memory = last_first(acl.rt.malloc(max(len(data), 1), 0))
        done(acl.rt.memcpy(self.memory, len(data), acl.util.bytes_to_ptr(data), len(data), HOST_TO_DEVICE))
        sizes, rank = (ctypes.c_int64 * len(shape))(*shape), ctypes.c_uint64(len(shape))
        address, offset = ctypes.c_void_p(self.memory), ctypes.c_int64(0)
        super().__init__(
            opapi.aclCreateTensor(sizes, rank, dtype, None, offset, FORMAT_ND, sizes, rank, address)
        )

    @property
    def shape(self):
        """As it is now: a run that finds the size of its result writes it here."""
        sizes, rank = ctypes.POINTER(ctypes.c_int64)(), ctypes.c_uint64()
        done(opapi.aclGetViewShape(self, ctypes.byref(sizes), ctypes.byref(rank)))
        return sizes[: rank.value]

    def rows(self):
        """Its rows, as lists."""
        count, width = math.prod(self.shape), self.shape[-1]
        data = bytes(count * SIZES[self.dtype])
        done(acl.rt.memcpy(acl.util.bytes_to_ptr(data), len(data), self.memory, len(data), DEVICE_TO_HOST))
        values = list(array.array(CODES[self.dtype], data))
        return [values[k : k + width] for k in range(0, count, width)]


def run(name, *arguments):
    """Both phases of an operator, and its end."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    plan, execute = getattr(opapi, f"aclnn{name}GetWorkspaceSize"), getattr(opapi, f"aclnn{name}")
    done(plan(*arguments, ctypes.byref(size), ctypes.byref(executor)))
    workspace = last_first(acl.rt.malloc(max(size.value, 1), 0))
    done(execute(ctypes.c_void_p(workspace), size, executor, ctypes.c_void_p(stream)))
    done(acl.rt.synchronize_stream(stream))
    done(acl.rt.free(workspace))


def scalar(value):
    return ctypes.c_void_p(opapi.aclCreateScalar(ctypes.byref(ctypes.c_float(value)), FLOAT))


SENTENCES = [
    "the cat sat on the mat",
    "a dog chased the cat",
    "gradients flow backward through the graph",
    "the graph of a network has gradients",
    "the dog sat on a mat",
]
WORDS = sorted({word for sentence in SENTENCES for word in sentence.split()} - {"the", "a", "on", "of"})


def unit_vectors(sentences):
    """A row of length 1 for each: how often it has each word."""
    counts = [float(sentence.split().count(word)) for sentence in sentences for word in WORDS]
    rows = Tensor([len(sentences), len(WORDS)], values=counts)
    last = ctypes.c_void_p(opapi.aclCreateIntArray((ctypes.c_int64 * 1)(-1), ctypes.c_uint64(1)))
    lengths = Tensor([len(sentences), 1])
    run("LinalgVectorNorm", rows, scalar(2), last, ctypes.c_bool(True), FLOAT, lengths)
    run("InplaceDiv", rows, lengths)
    return rows


def similarities(some, others):
    """Of each row of one to each of the other."""
    result = Tensor([some.shape[0], others.shape[0]])
    pair = opapi.aclCreateTensorList((ctypes.c_void_p * 2)(some, others), ctypes.c_uint64(2))
    run("Einsum", ctypes.c_void_p(pair), b"qw, sw -> qs", result)
    return result


def main():
    known = unit_vectors(SENTENCES)
    asked = ["where sat the cat", "graph gradients"]
    close = similarities(unit_vectors(asked), known)
    values, order = Tensor(close.shape), Tensor(close.shape, INT64)
    run("Sort", close, ctypes.c_bool(True), ctypes.c_int64(-1), ctypes.c_bool(True), values, order)
    for question, found, places in zip(asked, values.rows(), order.rows()):
        print(question)
        for value, place in list(zip(found, places))[:2]:
            print(f"  {value:.3f}  {SENTENCES[place]}")

    alike = similarities(known, known)
    count = len(SENTENCES) ** 2
    is_close, pairs = Tensor(alike.shape, BOOL), Tensor([count, 2], INT64)
    run("GtScalar", alike, scalar(0.3), is_close)
    run("Nonzero", is_close, pairs)  # into room for all pairs
    print(f"{pairs.shape[0]} of {count} pairs are alike; of different sentences")
    for one, other in pairs.rows():
        if one < other:
            print(f"  {SENTENCES[one]} / {SENTENCES[other]}")

    acl.rt.destroy_stream(stream)
    acl.rt.reset_device(0)
    acl.finalize()


if __name__ == "__main__":
    main()
