# SPDX-License-Identifier: Apache-2.0
"""Cases of numbers.json for reductions, order, algebra and tensors made from nothing (write_numbers.py)."""
import torch
import torch.nn.functional as F


def reductions(case, results_only, draw):
    torch.manual_seed(7)
    zeros = torch.tensor([[2.0, 0.0, 5.0], [0.0, 3.0, 0.0], [1.5, -2.0, 4.0]], dtype=torch.float64)
    ties = torch.tensor([[2.0, 2.0, 1.0], [0.0, 2.0, 0.0]], dtype=torch.float64)
    holes = torch.tensor([[2.0, float("nan"), 1.0], [0.5, -3.0, float("nan")]], dtype=torch.float64)
    # NaN is no JSON: holes are where 9 stands.
    nine = torch.nan_to_num(holes, nan=9.0)
    for name, function, inputs in (
            ("prod", lambda x: x.prod(), [draw(2, 3)]),
            ("prod dim", lambda x: x.prod(1), [draw(3, 4)]),
            ("prod keepdim", lambda x: x.prod(0, keepdim=True), [draw(3, 4)]),
            ("prod of one zero", lambda x: x.prod(), [zeros[0].clone()]),
            ("prod of zeros", lambda x: x.prod(1), [zeros.clone()]),
            ("max of all", lambda x: x.max(), [ties.clone()]),
            ("min of all", lambda x: x.min(), [ties.clone()]),
            ("min dim", lambda x: x.min(1).values, [draw(3, 4)]),
            ("aminmax", lambda x: (x.amin(1), x.amax(1)), [draw(3, 4)]),
            ("cummax", lambda x: x.cummax(1).values, [draw(3, 5)]),
            ("cummin", lambda x: x.cummin(0).values, [draw(4, 3)]),
            ("cummax of equal", lambda x: x.cummax(1).values, [ties.clone()]),
            ("nansum", lambda x: torch.where(x == 9, holes, x).nansum(1), [nine.clone()]),
            ("var_mean", lambda x: torch.var_mean(x, 1), [draw(3, 4)]),
            ("std_mean biased", lambda x: torch.std_mean(x, 0, unbiased=False, keepdim=True), [draw(3, 4)])):
        case(name, function, inputs)
    few = draw(3, 4).round()
    results_only("truth", lambda x: (x.all(1).long(), x.any(1).long(), torch.count_nonzero(x, 1),
                                     x.argmin(1), x.cummax(1).indices, x.cummin(1).indices), [few])


def order(case, results_only, draw):
    torch.manual_seed(8)
    ties = torch.tensor([[2.0, 1.0, 2.0, 0.5], [3.0, 0.5, 1.0, 1.0]], dtype=torch.float64)
    for name, function, inputs in (
            ("median", lambda x: x.median(), [draw(3, 4)]),
            ("median of equal", lambda x: x.median(), [torch.tensor([2.0, 1.0, 1.0, 5.0], dtype=torch.float64)]),
            ("median dim", lambda x: x.median(1).values, [draw(3, 4)]),
            ("nanmedian dim", lambda x: torch.where(x > 0.5, torch.full_like(x, float("nan")), x).nanmedian(0).values,
             [draw(4, 3)]),
            ("kthvalue", lambda x: x.kthvalue(2, 1, keepdim=True).values,
             [(torch.randperm(12).double().reshape(3, 4) - 5) / 4]),
            ("sort stable", lambda x: x.sort(stable=True, dim=1, descending=True).values, [ties.clone()])):
        case(name, function, inputs)
    results_only("argsort", lambda x: (x.sort(stable=True, dim=1, descending=True).indices,
                                       x.sort(stable=True, dim=1).indices), [ties.clone()])
    sequence = torch.tensor([-1.0, 0.0, 0.5, 0.5, 2.0], dtype=torch.float64)
    numbers = torch.tensor([[0.5, -2.0, 2.0], [3.0, 0.25, 0.0]], dtype=torch.float64)
    rows = torch.stack((sequence, sequence + 0.5))
    turned = torch.tensor([[4, 3, 2, 1, 0], [0, 4, 1, 3, 2]])
    unsorted = torch.zeros_like(rows).scatter(1, turned, rows)
    results_only("searchsorted", lambda s, x, r, u, t: (
        torch.searchsorted(s, x), torch.searchsorted(s, x, right=True), torch.searchsorted(r, x),
        torch.searchsorted(u, x, sorter=t), torch.bucketize(x, s), torch.bucketize(x, s, right=True)),
                 [sequence, numbers, rows, unsorted, turned])
    counted = torch.tensor([3, 1, 1, 0, 3, 3])
    results_only("bincount", lambda x, w: (x.bincount(minlength=6), x.bincount(w, minlength=6)),
                 [counted, draw(6)])
    results_only("histc", lambda x: (x.histc(4, -1, 1), x.histc(5)), [draw(20)])
    results_only("unique", lambda x: (torch.unique(x, return_inverse=True, return_counts=True)
                                      + (x.nonzero(), x[x > 0])), [draw(3, 4).round()])


def algebra(case, results_only, draw):
    torch.manual_seed(9)

    def apart(*shape):
        """Matrices that are far from singular."""
        return draw(*shape) + 3 * torch.eye(shape[-1], dtype=torch.float64)

    for name, function, inputs in (
            ("dot", torch.dot, [draw(5), draw(5)]),
            ("mv", torch.mv, [draw(3, 4), draw(4)]),
            ("outer", torch.outer, [draw(3), draw(4)]),
            ("addmv", lambda c, m, v: torch.addmv(c, m, v, beta=0.5, alpha=-2), [draw(3), draw(3, 4), draw(4)]),
            ("addr", lambda c, a, b: torch.addr(c, a, b, beta=-0.5, alpha=3), [draw(3, 4), draw(3), draw(4)]),
            ("addbmm", lambda c, a, b: torch.addbmm(c, a, b, beta=0.5, alpha=2),
             [draw(3, 4), draw(2, 3, 2), draw(2, 2, 4)]),
            ("kron", torch.kron, [draw(2, 3), draw(2, 2)]),
            ("kron of ranks", torch.kron, [draw(3), draw(2, 1, 2)]),
            ("tensordot", lambda a, b: torch.tensordot(a, b, 2), [draw(2, 3, 4), draw(3, 4, 2)]),
            ("tensordot dims", lambda a, b: torch.tensordot(a, b, ([0, 2], [2, 0])), [draw(2, 3, 4), draw(4, 2, 2)]),
            ("cross", lambda a, b: torch.linalg.cross(a, b), [draw(2, 3), draw(2, 3)]),
            ("cross dim", lambda a, b: torch.linalg.cross(a, b, dim=0), [draw(3, 2), draw(3, 1)]),
            ("trace", lambda x: x.trace(), [draw(3, 4)]),
            ("diag of a vector", lambda x: torch.diag(x, -1), [draw(3)]),
            ("diag of a matrix", lambda x: torch.diag(x, 2), [draw(3, 5)]),
            ("diag below", lambda x: torch.diag(x, -1), [draw(4, 2)]),
            ("diagonal", lambda x: torch.diagonal(x, 1, 0, 2), [draw(3, 2, 4)]),
            ("diagonal below", lambda x: torch.diagonal(x, -2), [draw(4, 3)]),
            ("diag_embed", torch.diag_embed, [draw(2, 3)]),
            ("diag_embed above", lambda x: torch.diag_embed(x, 2), [draw(2, 3)]),
            ("diag_embed below", lambda x: torch.diag_embed(x, -1), [draw(2, 2)]),
            ("inverse", torch.inverse, [apart(2, 3, 3)]),
            ("slogdet", lambda x: torch.linalg.slogdet(x)[1], [apart(2, 3, 3)]),
            ("det", torch.det, [apart(2, 3, 3)]),
            ("solve lower", lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), [apart(3, 3), draw(3, 2)]),
            ("solve upper", lambda a, b: torch.linalg.solve_triangular(a, b, upper=True, unitriangular=True),
             [apart(3, 3), draw(2, 3, 2)]),
            ("solve transposed", lambda a, b: torch.linalg.solve_triangular(a.mT, b, upper=True),
             [apart(2, 3, 3), draw(3, 1)]),
            ("qr", torch.linalg.qr, [apart(3, 3)]),
            ("qr tall", torch.linalg.qr, [draw(2, 4, 3)])):
        case(name, function, inputs)
    results_only("qr wide", torch.linalg.qr, [draw(2, 4)])
    results_only("slogdet signs", torch.linalg.slogdet, [draw(4, 3, 3)])
    for equation, shapes in EQUATIONS:
        case(f"einsum {equation}", lambda *x: torch.einsum(equation, *x), [draw(*shape) for shape in shapes])


EQUATIONS = (
    ("ij,jk->ik", ((2, 3), (3, 4))), ("bhqd,bhkd->bhqk", ((2, 2, 3, 4), (2, 2, 2, 4))),
    ("a,b->ab", ((3,), (4,))), ("ii->i", ((3, 3),)), ("ii", ((3, 3),)), ("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)),
    ("ij,jk", ((2, 3), (3, 4))), ("ba,ca->cb", ((2, 3), (4, 3))), ("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))),
    ("...ij,...jk->...ik", ((2, 1, 2, 3), (3, 3, 2))), ("i...,i...->...", ((3, 2), (3, 2))), ("b...", ((2, 3),)),
    ("ij,ij->i", ((2, 3), (2, 3))), ("i,i", ((3,), (3,))), ("ij,jk,kl->il", ((2, 3), (3, 2), (2, 4))),
    ("bn,anm,bm->ba", ((2, 3), (4, 3, 2), (2, 2))), ("ijk,k->i j", ((2, 3, 2), (2,))),
    ("iij,jk->ik", ((2, 2, 3), (3, 2))), ("aBc,cB->Ba", ((2, 3, 2), (2, 3))), ("ij,kj->ik", ((2, 1), (3, 4))))


def making(results_only):
    one = torch.zeros(())
    results_only("making", lambda x: (
        torch.ones_like(x) + x, torch.eye(2, 3), torch.linspace(-1, 2, 5), torch.linspace(3, -1, 4, dtype=torch.int64),
        torch.logspace(-1, 2, 4, dtype=torch.float64), torch.logspace(0, 3, 3, base=2, dtype=torch.float64),
        F.one_hot(torch.tensor([[2, 0], [1, 2]]), 4), torch.tril_indices(3, 4, -1), torch.triu_indices(3, 4, 1)),
                 [one])
