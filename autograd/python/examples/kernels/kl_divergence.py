# SPDX-License-Identifier: Apache-2.0
"""KL divergence of a teacher's weights from softmax(logits), its mean over the rows. The weights
need not add up to 1."""
import numpy as np

from aclgrad import Array
from kernels import wide

INPUTS = [Array((3, 5)), Array((3, 5), 0.05, 1, gradient=False)]
SAVED = 0


def log_softmax(x):
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def forward(logits, teacher):
    logits, teacher = wide(logits), wide(teacher)
    return (teacher * (np.log(teacher) - log_softmax(logits))).sum() / logits.dtype.type(
        len(logits)
    )


def backward(d_loss, logits, teacher):
    student = np.exp(log_softmax(wide(logits)))
    teacher = wide(teacher)
    weight = teacher.sum(-1, keepdims=True)
    return wide(d_loss) * (student * weight - teacher) / student.dtype.type(len(logits))


MISTAKES = (
    ("the weights are taken to add up to 1", "student * weight - teacher", "student - teacher"),
    ("the sign", "student * weight - teacher", "teacher - student * weight"),
    ("a sum over the rows", " / student.dtype.type(len(logits))", ""),
    (
        "the logarithm of the student",
        "student = np.exp(log_softmax(wide(logits)))",
        "student = log_softmax(wide(logits))",
    ),
    (
        "the mean runs over elements",
        "student.dtype.type(len(logits))",
        "student.dtype.type(logits.size)",
    ),
)
