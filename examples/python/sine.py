# SPDX-License-Identifier: Apache-2.0
"""A small network learns a sine, by the C interface alone: the module acl for the runtime, ctypes for the
operators, and no other package. Forward, backward and gradient descent are operators, one line each in
step(). It uses nothing but the vendor's interface.
"""
import array
import ctypes
import math
import random
import sys

import acl

ACL_FLOAT, ACL_FORMAT_ND = 0, 2
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
MEAN = 1  # the reduction of a loss
KEEP_DTYPE = ctypes.c_int8(0)  # cubeMathType of a product

opapi = ctypes.CDLL("libopapi.so")  # knows the functions of libnnopbase.so, too
for create in (opapi.aclCreateTensor, opapi.aclCreateScalar, opapi.aclCreateIntArray):
    create.restype = ctypes.c_void_p
opapi.aclGetRecentErrMsg.restype = ctypes.c_char_p


def check(status, call):
    """Ends the program, with the library's own words, where a call has failed."""
    if status:
        sys.exit(f"{call} returned {status}\n{(opapi.aclGetRecentErrMsg() or b'').decode()}")


def integers(values):
    return (ctypes.c_int64 * len(values))(*values)


class Tensor(ctypes.c_void_p):
    """A tensor of floats on the device, dense or a view of another one's memory."""

    def __init__(self, shape, values=None, of=None, strides=None):
        self.shape, count = shape, math.prod(shape)
        self.memory = of.memory if of else self._allocate(count, values)
        strides = strides or [math.prod(shape[k + 1 :]) for k in range(len(shape))]
        sizes, storage, rank = integers(shape), integers([count]), ctypes.c_uint64(len(shape))
        super().__init__(
            opapi.aclCreateTensor(
                sizes, rank, ACL_FLOAT, integers(strides), ctypes.c_int64(0), ACL_FORMAT_ND,
                storage, ctypes.c_uint64(1), ctypes.c_void_p(self.memory),
            )
        )  # fmt: skip

    @staticmethod
    def _allocate(count, values):
        memory, status = acl.rt.malloc(4 * count, 0)
        check(status, "acl.rt.malloc")
        data = array.array("f", values or [0.0] * count).tobytes()
        address = acl.util.bytes_to_ptr(data)
        status = acl.rt.memcpy(memory, len(data), address, len(data), HOST_TO_DEVICE)
        check(status, "acl.rt.memcpy")
        return memory

    @property
    def T(self):
        rows, columns = self.shape
        return Tensor([columns, rows], of=self, strides=[1, columns])

    def read(self):
        """Its elements, as a list."""
        data = bytes(4 * math.prod(self.shape))
        address = acl.util.bytes_to_ptr(data)
        status = acl.rt.memcpy(address, len(data), self.memory, len(data), DEVICE_TO_HOST)
        check(status, "acl.rt.memcpy")
        return list(array.array("f", data))


def scalar(value):
    return ctypes.c_void_p(opapi.aclCreateScalar(ctypes.byref(ctypes.c_float(value)), ACL_FLOAT))


def run(name, *arguments):
    """Both phases of an operator, on the stream."""
    size, executor = ctypes.c_uint64(), ctypes.c_void_p()
    plan = getattr(opapi, f"aclnn{name}GetWorkspaceSize")
    check(
        plan(*arguments, ctypes.byref(size), ctypes.byref(executor)), f"aclnn{name}GetWorkspaceSize"
    )
    workspace = 0
    if size.value:
        workspace, status = acl.rt.malloc(size.value, 0)
        check(status, "acl.rt.malloc")
    check(
        getattr(opapi, f"aclnn{name}")(ctypes.c_void_p(workspace), size, executor, stream),
        f"aclnn{name}",
    )
    if workspace:
        check(acl.rt.synchronize_stream(stream.value), "acl.rt.synchronize_stream")
        acl.rt.free(workspace)


check(acl.init(), "acl.init")
check(acl.rt.set_device(0), "acl.rt.set_device")
stream, status = acl.rt.create_stream()
check(status, "acl.rt.create_stream")
stream = ctypes.c_void_p(stream)

# A hidden layer of SELU. Weights begin with a standard deviation of 1 / sqrt(inputs), as SELU wants it.
random.seed(1)
EXAMPLES, HIDDEN = 64, 32
angles = [math.pi * (2 * k / (EXAMPLES - 1) - 1) for k in range(EXAMPLES)]
x = Tensor([EXAMPLES, 1], [a / math.pi for a in angles])
target = Tensor([EXAMPLES, 1], [math.sin(a) for a in angles])
w1 = Tensor([1, HIDDEN], [random.gauss(0, 1) for _ in range(HIDDEN)])
w2 = Tensor([HIDDEN, 1], [random.gauss(0, HIDDEN**-0.5) for _ in range(HIDDEN)])
b1, b2 = Tensor([HIDDEN]), Tensor([1])

sums, hidden = Tensor([EXAMPLES, HIDDEN]), Tensor([EXAMPLES, HIDDEN])
y, loss, seed = Tensor([EXAMPLES, 1]), Tensor([]), Tensor([], [1.0])
dy, dhidden, dsums = Tensor(y.shape), Tensor(hidden.shape), Tensor(sums.shape)
dw1, db1, dw2, db2 = (Tensor(p.shape) for p in (w1, b1, w2, b2))
one, rate = scalar(1.0), scalar(0.05)
rows = ctypes.c_void_p(opapi.aclCreateIntArray(integers([0]), ctypes.c_uint64(1)))
x_T, hidden_T, w2_T = x.T, hidden.T, w2.T  # views: nothing is copied


def step():
    # Forward
    run("Addmm", b1, x, w1, one, one, sums, KEEP_DTYPE)  # sums = x w1 + b1
    run("Selu", sums, hidden)
    run("Addmm", b2, hidden, w2, one, one, y, KEEP_DTYPE)  # y = hidden w2 + b2
    run("MseLoss", y, target, ctypes.c_int64(MEAN), loss)
    # Backward, from the last to the first
    run("MseLossBackward", seed, y, target, ctypes.c_int64(MEAN), dy)
    run("Mm", hidden_T, dy, dw2, KEEP_DTYPE)
    run("ReduceSum", dy, rows, ctypes.c_bool(False), ACL_FLOAT, db2)
    run("Mm", dy, w2_T, dhidden, KEEP_DTYPE)
    run("SeluBackward", dhidden, hidden, dsums)  # takes SELU's result, not its argument
    run("Mm", x_T, dsums, dw1, KEEP_DTYPE)
    run("ReduceSum", dsums, rows, ctypes.c_bool(False), ACL_FLOAT, db1)
    # Gradient descent: parameter -= rate * gradient
    for parameter, gradient in ((w1, dw1), (b1, db1), (w2, dw2), (b2, db2)):
        run("InplaceSub", parameter, gradient, rate)
    check(acl.rt.synchronize_stream(stream.value), "acl.rt.synchronize_stream")


def main():
    for number in range(4001):
        step()
        if number % 1000 == 0:
            print(f"step {number:4}  loss {loss.read()[0]:.4f}")
    predicted = y.read()
    for k in range(0, EXAMPLES, 9):
        print(f"sin({angles[k]:7.4f}) = {math.sin(angles[k]):7.4f}, predicted {predicted[k]:7.4f}")
    acl.rt.destroy_stream(stream.value)
    acl.rt.reset_device(0)
    acl.finalize()


if __name__ == "__main__":
    main()
