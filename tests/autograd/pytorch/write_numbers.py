#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what PyTorch computes, in float64, for losses and layers: numbers.json.

usage: write_numbers.py >numbers.json

A case has inputs, the parameters of a layer by their names, results, and the gradients of the results' sum,
element i of which counts 1 + (i mod 5) / 4, with respect to floating inputs and parameters. Inputs are
multiples of 1/16, so their numbers are short.
"""
import json

import torch
import torch.nn.functional as F
from torch import nn

import algebra_numbers
import elementwise_numbers

CASES = {}


def number(value):
    return value if isinstance(value, int) else float(f"{value:.15g}")


def tensor(of):
    return {"shape": list(of.shape), "values": [number(value) for value in of.detach().flatten().tolist()]}


def draw(*shape, scale=1.0):
    return (torch.randn(shape, dtype=torch.float64) * scale * 16).round() / 16


def probabilities(*shape):
    """Some of which are 0."""
    drawn = (torch.rand(shape, dtype=torch.float64) * 8 - 2).round().clamp(min=0)
    drawn[..., 0] += drawn.sum(-1) == 0
    return drawn / drawn.sum(-1, keepdim=True)


def case(name, function, inputs, parameters=None):
    """The function gives a tensor or several."""
    parameters = parameters or {}
    leaves = [leaf for leaf in [*inputs, *parameters.values()] if leaf.is_floating_point()]
    for leaf in leaves:
        leaf.requires_grad_()
    results = function(*inputs)
    if torch.is_tensor(results):
        results = [results]
    total = sum((result.flatten() * (1 + torch.arange(result.numel()) % 5 / 4)).sum() for result in results)
    for leaf in leaves:
        leaf.grad = None
    total.backward()

    def gradient(of):
        return tensor(of.grad if of.grad is not None else torch.zeros_like(of))

    CASES[name] = {"inputs": [tensor(each) | {"gradient": gradient(each)["values"]} if each.is_floating_point()
                              else tensor(each) for each in inputs],
                   "parameters": {name: tensor(each) | {"gradient": gradient(each)["values"]}
                                  for name, each in parameters.items()},
                   "results": [tensor(each) for each in results]}


def losses():
    weight = torch.tensor([0.5, 2.0, 0.0, 1.5], dtype=torch.float64)
    classes = torch.tensor([[0, 2, 1], [3, -100, 2]])
    for how in ("none", "mean", "sum"):
        for name, options in {"": {}, " weight": {"weight": weight}, " smooth": {"label_smoothing": 0.3},
                              " weight smooth": {"weight": weight, "label_smoothing": 0.3}}.items():
            case(f"cross_entropy{name} {how}",
                 lambda x: F.cross_entropy(x.movedim(-1, 1), classes, reduction=how, **options), [draw(2, 3, 4)])
            case(f"cross_entropy soft{name} {how}",
                 lambda x, t: F.cross_entropy(x.movedim(-1, 1), t.movedim(-1, 1), reduction=how, **options),
                 [draw(2, 3, 4), probabilities(2, 3, 4)])
        case(f"nll {how}", lambda x: F.nll_loss(x.movedim(-1, 1), classes, weight, reduction=how), [draw(2, 3, 4)])
        case(f"huber {how}", lambda x, t: F.huber_loss(x, t, reduction=how, delta=0.7), [draw(3, 4), draw(3, 4)])
        case(f"smooth_l1 {how}", lambda x, t: F.smooth_l1_loss(x, t, reduction=how, beta=0.3),
             [draw(3, 4), draw(3, 4)])
        case(f"kl_div {how}", lambda x: F.kl_div(x, probability, reduction=how), [draw(3, 4)])
        case(f"kl_div log {how}", lambda x, t: F.kl_div(x, t, reduction=how, log_target=True),
             [draw(3, 4), draw(3, 4)])
        case(f"cosine_embedding {how}",
             lambda a, b: F.cosine_embedding_loss(a, b, torch.tensor([1, -1, 1, -1]), margin=-0.6, reduction=how),
             [draw(4, 3), draw(4, 3)])
        for swap in (False, True):
            case(f"triplet_margin {'swap ' if swap else ''}{how}",
                 lambda a, p, n: F.triplet_margin_loss(a, p, n, margin=1.5, p=3, swap=swap, reduction=how),
                 [draw(4, 3), draw(4, 3), draw(4, 3)])


def state(module, prefix, renamed=None):
    """The module's parameters, as multiples of 1/16, by our names."""
    for parameter in module.parameters():
        parameter.data = draw(*parameter.shape, scale=0.5)
    return {f"{prefix}.{(renamed or {}).get(name, name)}": parameter for name, parameter in module.named_parameters()}


def layers():
    for name, function in {"leaky_relu": lambda x: F.leaky_relu(x, 0.3), "softplus": lambda x: F.softplus(x, 2.0),
                           "mish": F.mish}.items():
        case(name, function, [draw(3, 4, scale=2)])
    for channels in (1, 3):
        prelu = nn.PReLU(channels).double()
        case(f"prelu {channels}", prelu, [draw(2, 3, 2)], state(prelu, "layer"))
    for kind, make in {"gru": nn.GRU, "lstm": nn.LSTM}.items():
        for both in (False, True):
            layer = make(2, 3, 2, batch_first=True, bidirectional=both).double()
            states = (4 if both else 2, 2, 3)

            def run(x, *begin):
                lengths = torch.tensor([4, 2])
                packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
                begin = begin[0] if kind == "gru" else begin
                outputs, last = layer(packed, begin)
                return (nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)[0],
                        *((last,) if kind == "gru" else last))

            begin = [draw(*states) for _ in range(1 if kind == "gru" else 2)]
            case(f"{kind}{' both' if both else ''}", run, [draw(2, 4, 2), *begin], state(layer, "layer"))
        cell = (nn.GRUCell if kind == "gru" else nn.LSTMCell)(2, 3).double()
        case(f"{kind} cell", lambda x, *begin: cell(x, begin[0] if kind == "gru" else begin),
             [draw(2, 2), *(draw(2, 3) for _ in range(1 if kind == "gru" else 2))], state(cell, "layer"))

    attention = nn.MultiheadAttention(4, 2, kdim=3, vdim=5, batch_first=True).double()
    unseen = torch.tensor([[False, False, True], [False, True, True]])
    parameters = state(attention, "layer")
    query, key, value = parameters.pop("layer.in_proj_bias").chunk(3)
    ours = {"q_proj_weight": "query.weight", "k_proj_weight": "key.weight", "v_proj_weight": "value.weight",
            "out_proj.weight": "projection.weight", "out_proj.bias": "projection.bias"}
    parameters = {"layer." + ours[name[6:]]: of for name, of in parameters.items()}
    biases = {name: of.detach().clone() for name, of in zip(("query", "key", "value"), (query, key, value))}
    parameters |= {f"layer.{name}.bias": of for name, of in biases.items()}

    def attend(q, k, v):
        return F.multi_head_attention_forward(
            q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1), 4, 2, None, torch.cat(list(biases.values())),
            None, None, False, 0.0, attention.out_proj.weight, attention.out_proj.bias, key_padding_mask=unseen,
            use_separate_proj_weight=True, q_proj_weight=attention.q_proj_weight,
            k_proj_weight=attention.k_proj_weight, v_proj_weight=attention.v_proj_weight,
            need_weights=False)[0].transpose(0, 1)

    case("attention", attend, [draw(2, 4, 4), draw(2, 3, 3), draw(2, 3, 5)], parameters)
    for name, layer, x in (("conv1d", nn.Conv1d(4, 2, 3, stride=2, padding=1, groups=2), draw(2, 4, 5)),
                           ("conv3d", nn.Conv3d(1, 2, (1, 2, 2)), draw(1, 1, 2, 3, 2)),
                           ("conv_transpose1d", nn.ConvTranspose1d(2, 3, 3, stride=2, output_padding=1), draw(2, 2, 3)),
                           ("conv_transpose2d", nn.ConvTranspose2d(2, 4, (2, 3), stride=2, padding=1, groups=2),
                            draw(2, 2, 3, 2)),
                           ("conv_transpose3d", nn.ConvTranspose3d(1, 2, 2), draw(1, 1, 2, 1, 2)),
                           ("instance_norm", nn.InstanceNorm2d(2), draw(2, 2, 3, 2)),
                           ("instance_norm affine", nn.InstanceNorm1d(2, affine=True), draw(2, 2, 5)),
                           ("upsample", nn.Upsample(scale_factor=(2, 3)), draw(1, 2, 2, 2)),
                           ("upsample 1d", nn.Upsample(scale_factor=3), draw(1, 2, 2))):
        case(name, layer.double(), [x], state(layer, "layer"))


def formulas():
    for name, function in {
            "hardtanh": F.hardtanh, "hardtanh bounds": lambda x: F.hardtanh(x, -0.7, 1.5),
            "hardshrink": F.hardshrink, "hardshrink lambda": lambda x: F.hardshrink(x, 1.3),
            "softshrink": F.softshrink, "softshrink lambda": lambda x: F.softshrink(x, 1.3),
            "hardsigmoid": F.hardsigmoid, "log_sigmoid": F.logsigmoid,
            "threshold": lambda x: F.threshold(x, 0.5, 2.0), "threshold below": lambda x: F.threshold(x, -1.0, -3.0),
            "celu": F.celu, "celu alpha": lambda x: F.celu(x, 1.3),
            "glu": F.glu, "glu dim": lambda x: F.glu(x.T, 0),
            "swiglu": lambda x: F.silu(x[:, :2]) * x[:, 2:], "swiglu dim": lambda x: F.silu(x.T[:2]) * x.T[2:],
            "logit": lambda x: torch.logit(torch.sigmoid(x) * 0.5),
            "logit eps": lambda x: torch.logit(x, 0.25),
            "std": lambda x: x.std(1), "std of all": lambda x: x.std(unbiased=False),
            "logsumexp": lambda x: x.logsumexp(1), "logsumexp of all": lambda x: x.logsumexp((0, 1), keepdim=True),
            "cumprod": lambda x: x.cumprod(1), "flip": lambda x: x.flip((0, 1)) * x,
            "roll": lambda x: x.roll((1, -1), (0, 1)) * x, "roll a line": lambda x: x.roll(5) * x}.items():
        case(name, function, [draw(3, 4, scale=2)])


def losses_of_probabilities():
    target = torch.tensor([[0, 1, 0.25, 0.5], [1, 0, 0.75, 1], [0.5, 1, 1, 0]], dtype=torch.float64)
    weight = torch.tensor([0.5, 2.0, 0.0, 1.5], dtype=torch.float64)
    for how in ("none", "mean", "sum"):
        case(f"binary_cross_entropy {how}", lambda x: F.binary_cross_entropy(x, target, weight, reduction=how),
             [draw(3, 4).abs().clamp(1 / 16, 15 / 16)])
        case(f"soft_margin {how}", lambda x: F.soft_margin_loss(x, target * 2 - 1, reduction=how),
             [draw(3, 4, scale=2)])


def places():
    rows = torch.tensor([2, 0, 2, 1])
    columns = torch.tensor([[3, 0], [1, 0], [3, 3]])
    times = torch.tensor([2, 0, 3])
    for name, function, shapes in (
            ("index_add", lambda x, y: x.index_add(0, rows, y), ((3, 4), (4, 4))),
            ("index_add alpha", lambda x, y: x.index_add(1, rows, y, alpha=-1.5), ((3, 4), (3, 4))),
            ("scatter_add", lambda x, y: x.scatter_add(1, columns, y), ((3, 4), (3, 2))),
            ("scatter_add of a row", lambda x, y: x.scatter_add(0, rows.reshape(1, 4), y), ((3, 4), (1, 4))),
            ("index", lambda x: x[rows, columns[0, 0]], ((3, 4),)),
            ("index apart", lambda x: x[rows, :, rows - 3], ((3, 2, 3),)),
            ("index_put", lambda x, y: x.index_put((rows, rows), y, accumulate=True), ((3, 4), (4,))),
            ("index_put apart", lambda x, y: x.index_put((rows, torch.tensor(0), rows), y, accumulate=True),
             ((3, 2, 3), (1,))),
            ("masked_select", lambda x: x[torch.arange(12).reshape(3, 4) % 3 == 1], ((3, 4),)),
            ("repeat_interleave", lambda x: x.repeat_interleave(2), ((3, 4),)),
            ("repeat_interleave dim", lambda x: x.repeat_interleave(times, 0), ((3, 4),)),
            ("cdist", torch.cdist, ((2, 3, 4), (2, 4))),
            ("cdist 1", lambda x, y: torch.cdist(x, y, 1.0), ((3, 4), (2, 4))),
            ("cdist 3", lambda x, y: torch.cdist(x, y, 3.0), ((3, 4), (2, 4))),
            ("cdist inf", lambda x, y: torch.cdist(x, y, float("inf")), ((3, 4), (2, 4))),
            ("sort", lambda x: x.sort(1)[0], ((3, 4),)),
            ("sort descending", lambda x: x.sort(0, descending=True)[0], ((3, 4),))):
        case(name, function, [draw(*shape, scale=2) for shape in shapes])


def resampling():
    torch.manual_seed(2)
    for mode in ("reflect", "replicate", "circular"):
        case(f"pad {mode} 1d", lambda x: F.pad(x, (2, 1), mode), [draw(1, 2, 4)])
        case(f"pad {mode} 2d", lambda x: F.pad(x, (1, 0, 2, 1), mode), [draw(1, 2, 3, 2)])
        case(f"pad {mode} 3d", lambda x: F.pad(x, (1, 0, 0, 1, 1, 0), mode), [draw(1, 1, 2, 2, 2)])
        case(f"pad {mode} cut", lambda x: F.pad(x, (-1, 2), mode), [draw(1, 2, 4)])
    for name, mode, shape in (("nearest 1d", "nearest", (1, 2, 4)), ("nearest 2d", "nearest", (1, 1, 3, 4)),
                              ("nearest 3d", "nearest", (1, 1, 2, 3, 2)), ("exact 1d", "nearest-exact", (1, 2, 4)),
                              ("exact 2d", "nearest-exact", (1, 1, 3, 4)),
                              ("exact 3d", "nearest-exact", (1, 1, 2, 3, 2)), ("linear 1d", "linear", (1, 2, 4)),
                              ("linear 2d", "bilinear", (1, 1, 3, 4)), ("linear 3d", "trilinear", (1, 1, 2, 3, 2)),
                              ("cubic 2d", "bicubic", (1, 1, 3, 4))):
        case(f"interpolate {name} size", lambda x: F.interpolate(x, (5, 3, 4)[:len(shape) - 2], mode=mode), [draw(*shape)])
        case(f"interpolate {name} scale", lambda x: F.interpolate(x, scale_factor=1.7, mode=mode), [draw(*shape)])
        if "nearest" not in mode:
            case(f"interpolate {name} corners", lambda x: F.interpolate(x, 3, mode=mode, align_corners=True),
                 [draw(*shape)])
    options = {"dilation": (1, 2), "padding": (1, 0), "stride": (2, 1)}
    for mode, shape in (("bilinear", (1, 2, 3, 4)), ("nearest", (1, 2, 3, 4)), ("bicubic", (1, 2, 3, 4)),
                        ("bilinear", (1, 1, 2, 3, 2)), ("nearest", (1, 1, 2, 3, 2))):
        for padding in ("zeros", "border", "reflection"):
            for corners in (False, True):
                places = (1, 2, 3, 2) if len(shape) == 4 else (1, 1, 1, 4, 3)
                case(f"grid_sample {mode} {len(shape) - 2}d {padding}{' corners' if corners else ''}",
                     lambda x, grid: F.grid_sample(x, grid, mode, padding, corners),
                     [draw(*shape), draw(*places, scale=1.3) + 1 / 64])
    case("unfold", lambda x: F.unfold(x, 2), [draw(1, 2, 3, 3)])
    case("unfold options", lambda x: F.unfold(x, (2, 2), **options), [draw(1, 1, 3, 4)])
    case("fold", lambda x: F.fold(x, 3, 2), [draw(1, 4, 4)])
    case("fold options", lambda x: F.fold(x, (3, 4), (2, 2), **options), [draw(1, 4, 4)])


def class_losses():
    torch.manual_seed(3)
    rows = torch.tensor([[1, 2, 2], [3, 1, 0]])
    marked = torch.tensor([[3, 0, -1, 1], [1, -1, 2, 3], [2, 2, 0, -1]])

    def sequence(name, shape, *arguments, **options):
        case(f"ctc {name}", lambda x: F.ctc_loss(x.log_softmax(-1), *arguments, **options), [draw(*shape)])

    for how in ("none", "mean", "sum"):
        sequence(how, (6, 2, 4), rows, (6, 5), (3, 2), reduction=how)
        sequence(f"impossible {how}", (6, 2, 4), torch.tensor([[1, 2, 2], [1, 1, 0]]), (6, 2), (3, 2), reduction=how,
                 zero_infinity=True)
        case(f"multilabel_margin {how}", lambda x: F.multilabel_margin_loss(x, marked, reduction=how), [draw(3, 4)])
    sequence("line", (6, 2, 4), torch.tensor([0, 1, 1, 2, 0]), (6, 4), (3, 2), blank=3, reduction="sum")
    sequence("without labels", (6, 2, 4), rows, (6, 5), (0, 2))
    sequence("one", (5, 4), torch.tensor([2, 1]), torch.tensor(5), torch.tensor(2))
    case("multilabel_margin row", lambda x: F.multilabel_margin_loss(x, torch.tensor([2, 0, -1, 1])), [draw(4)])


def bags():
    torch.manual_seed(4)
    indices = torch.tensor([2, 0, 1, 1, 3, 0, 2])
    offsets = torch.tensor([0, 3, 3, 5])
    for mode in ("sum", "mean", "max"):
        case(f"embedding_bag {mode}", lambda w: F.embedding_bag(indices, w, offsets, mode=mode), [draw(4, 3)])
        case(f"embedding_bag {mode} padding",
             lambda w: F.embedding_bag(indices, w, offsets, mode=mode, padding_idx=1), [draw(4, 3)])
    case("embedding_bag weights", lambda w, share: F.embedding_bag(indices, w, offsets, mode="sum",
                                                                   per_sample_weights=share), [draw(4, 3), draw(7)])
    case("embedding_bag last", lambda w: F.embedding_bag(indices, w, torch.tensor([0, 4, 7]), include_last_offset=True),
         [draw(4, 3)])
    case("embedding_bag rows", lambda w: F.embedding_bag(indices[:6].reshape(2, 3), w), [draw(4, 3)])
    for p, dim in ((2, 0), (1, 1), (3, -1)):
        case(f"renorm {p}", lambda x: x.renorm(p, dim, 1.5), [draw(3, 4)])


def attention():
    """PyTorch 1.13 has no function of its own: what that of later ones is documented to be."""
    torch.manual_seed(4)
    def attend(q, k, v, mask=None, scale=None):
        k, v = (each.repeat_interleave(q.shape[1] // each.shape[1], 1) for each in (k, v))
        scores = q @ k.transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
        if mask is not None:
            scores = scores + mask if mask.is_floating_point() else scores.masked_fill(~mask, -torch.inf)
        return scores.softmax(-1) @ v

    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    seen = torch.tensor([[1, 0, 1], [1, 1, 1], [0, 1, 0], [0, 0, 1]], dtype=torch.bool)
    heads = [draw(2, 2, 4, 3), draw(2, 2, 4, 3), draw(2, 2, 4, 2)]
    case("tiles causal", lambda *x: attend(*x, mask=causal), heads)
    case("tiles mask", lambda *x: attend(*x, mask=seen, scale=0.3),
         [draw(1, 2, 4, 3), draw(1, 2, 3, 3), draw(1, 2, 3, 3)])
    case("tiles bias", attend, [draw(2, 4, 2, 3), draw(2, 2, 5, 3), draw(2, 2, 5, 3), draw(2, 5)])

    def turned(rot):
        return lambda x, cos, sin: x * cos + rot(x) * sin

    def interleaved(x):
        return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)

    for name, rot in (("half", lambda x: torch.cat((-x[..., 2:], x[..., :2]), -1)), ("interleave", interleaved)):
        case(f"rotary {name}", turned(rot), [draw(2, 3, 4), draw(3, 4), draw(3, 4)])


def fused_normalization():
    hidden = torch.tensor([[0, 1, 0, 0], [1, 1, 1, 1]], dtype=torch.bool)
    later = torch.ones(4, 4, dtype=torch.bool).triu(1)
    case("masked softmax", lambda x: (0.7 * x).masked_fill(hidden, -10000).softmax(-1), [draw(3, 2, 4)])
    case("masked softmax triangle", lambda x: (1.5 * x).masked_fill(later, -10000).softmax(-1), [draw(2, 4, 4)])
    for name, alpha, eps in (("", 0.3, 1e-6), (" options", -1.25, 0.5)):
        case(f"deep_norm{name}", lambda x, gx, beta, gamma: F.layer_norm(alpha * x + gx, (4,), gamma, beta, eps),
             [draw(3, 4), draw(3, 4), draw(4), draw(4)])


def pooling():
    torch.manual_seed(3)
    windows = {"kernel_size": (2, 3, 2), "stride": (1, 2, 2), "padding": (1, 1, 0), "ceil_mode": True}
    for counted in (True, False):
        case(f"avg_pool3d options{'' if counted else ' of elements'}",
             lambda x: F.avg_pool3d(x, count_include_pad=counted, **windows), [draw(1, 1, 2, 4, 3)])
    case("avg_pool3d", lambda x: F.avg_pool3d(x, 2), [draw(2, 2, 3, 4)])
    case("avg_pool3d divisor", lambda x: F.avg_pool3d(x, 2, 1, divisor_override=3), [draw(1, 2, 3, 3)])
    case("max_pool3d", lambda x: F.max_pool3d(x, 2), [draw(2, 2, 3, 4)])
    case("max_pool3d options", lambda x: F.max_pool3d(x, **windows), [draw(1, 1, 2, 4, 3)])
    case("max_pool3d dilation", lambda x: F.max_pool3d(x, 2, 1, dilation=(1, 2, 1)), [draw(1, 2, 4, 3)])
    case("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, (2, 1, 2)), [draw(1, 1, 3, 2, 4)])
    case("adaptive_max_pool2d", lambda x: F.adaptive_max_pool2d(x, (2, 3)), [draw(1, 2, 3, 5)])
    case("adaptive_max_pool2d one", lambda x: F.adaptive_max_pool2d(x, 1), [draw(2, 3, 4)])
    case("adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, (2, 1, 2)), [draw(1, 1, 3, 2, 4)])
    case("max_unpool2d", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2), [draw(1, 1, 4, 4)])
    case("max_unpool2d size", lambda x: F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2, output_size=(4, 5)),
         [draw(2, 4, 5)])


def overwriting():
    """PyTorch leaves open which of equal places counts: here they differ."""
    torch.manual_seed(5)
    rows, columns = torch.tensor([2, 0]), torch.tensor([[3, 0], [1, 2], [0, 3]])
    chosen = torch.arange(12).reshape(3, 4) % 3 == 1
    few = torch.tensor([True, False, False, True])
    for name, function, shapes in (
            ("scatter", lambda x, y: x.scatter(1, columns, y), ((3, 4), (3, 2))),
            ("scatter of a row", lambda x, y: x.scatter(0, torch.tensor([[2, 0, 2, 1]]), y), ((3, 4), (1, 4))),
            ("scatter a value", lambda x: x.scatter(1, columns, -0.5), ((3, 4),)),
            ("index_copy", lambda x, y: x.index_copy(0, rows, y), ((3, 4), (2, 4))),
            ("index_copy dim", lambda x, y: x.index_copy(-1, rows, y), ((2, 2, 3), (2, 2, 2))),
            ("index_fill", lambda x: x.index_fill(0, rows, 0.75), ((3, 4),)),
            ("index_fill dim", lambda x: x.index_fill(-1, rows, -2.0), ((2, 2, 3),)),
            ("index_put over", lambda x, y: x.index_put((rows, rows), y), ((3, 4), (2,))),
            ("index_put over apart", lambda x, y: x.index_put((rows, torch.tensor(0), rows), y), ((3, 2, 3), (1,))),
            ("masked_scatter", lambda x, y: x.masked_scatter(chosen, y), ((3, 4), (5,))),
            ("masked_scatter of rows", lambda x, y: x.masked_scatter(few, y), ((3, 4), (2, 3))),
            ("masked_select none", lambda x: x[chosen & False].sum() + x.sum(), ((3, 4),)),
            ("gather", lambda x: x.gather(1, columns), ((3, 4),)),
            ("gather of a row", lambda x: x.gather(0, torch.tensor([[2, 0, 2, 1]])), ((3, 4),)),
            ("cumprod of columns", lambda x: x.cumprod(0), ((3, 4),)),
            ("flip of rows", lambda x: x.flip(0) * x, ((3, 4),)),
            ("repeat_interleave one number", lambda x: x.repeat_interleave(torch.tensor([2]), 1), ((3, 2),)),
            ("expand", lambda x: x.expand(2, 3, 4) ** 2, ((3, 1),)),
            ("expand of a row", lambda x: x.expand(2, -1) ** 2, ((1, 4),)),
            ("flatten", lambda x: x.flatten(1) * torch.arange(6), ((2, 3, 2),)),
            ("flatten all", lambda x: x.flatten() * torch.arange(12), ((2, 3, 2),)),
            ("fast_gelu", lambda x: x * torch.sigmoid(1.702 * x), ((3, 4),)),
            ("max_pool2d", lambda x: F.max_pool2d(x, 2), ((1, 2, 4, 5),)),
            ("max_pool2d options", lambda x: F.max_pool2d(x, (2, 3), (2, 1), (1, 0), ceil_mode=True), ((1, 1, 5, 6),)),
            ("max_pool2d dilation", lambda x: F.max_pool2d(x, (2, 3), (2, 1), (1, 0), (1, 2), ceil_mode=True),
             ((1, 1, 5, 6),))):
        case(name, function, [draw(*shape, scale=2) for shape in shapes])


def results_only(name, function, inputs):
    """Of integers, or of what PyTorch does not differentiate."""
    results = function(*[each.clone() for each in inputs])
    CASES[name] = {"inputs": [tensor(each) for each in inputs], "parameters": {},
                   "results": [tensor(each) for each in (results if isinstance(results, tuple) else (results,))]}


def functions():
    """Of C functions that no node of the graph calls."""
    torch.manual_seed(6)
    case("std_mean", lambda x: torch.std_mean(x, 1), [draw(3, 4)])
    case("std_mean of all", lambda x: torch.std_mean(x, (0, 1), unbiased=False, keepdim=True), [draw(3, 4)])
    for name, labels in (("", probabilities(3, 4)), (" classes", F.one_hot(torch.tensor([2, 0, 3]), 4).double())):
        case(f"softmax_cross_entropy{name}", lambda x: -(labels * x.log_softmax(1)).sum(1), [draw(3, 4)])
        CASES[f"softmax_cross_entropy{name}"]["inputs"].append(tensor(labels))
    for name, times in (("", [2, 0, 4, 2]), (" of one", [2])):
        results_only(f"repeat_interleave_tensor{name}", torch.repeat_interleave, [torch.tensor(times)])
    case("repeat_interleave numbers", lambda x: x.repeat_interleave(torch.tensor([3, 1, 2, 2, 0, 4])), [draw(2, 3)])
    for name, most, p in (("2", 2.0, 2.0), ("1", 3.5, 1.0)):
        results_only(f"embedding_renorm {name}", lambda w, i: torch.embedding_renorm_(w, i, most, p),
                     [draw(4, 3, scale=2), torch.tensor([2, 0, 2])])
    for reduce in ("add", "multiply"):
        results_only(f"scatter {reduce}", lambda x, i, y: x.scatter(1, i, y, reduce=reduce),
                     [draw(2, 4), torch.tensor([[3, 0, 3], [1, 2, 2]]), draw(2, 3)])
    for name, shape, sizes in (("", (1, 1, 2, 2, 2), None), (" size", (2, 1, 2, 2), (2, 5, 4))):
        places = torch.tensor([0, 3, 5, 7, 16, 19, 14, 13] if sizes is None else [0, 3, 5, 12, 7, 9, 1, 18])
        case(f"max_unpool3d{name}",
             lambda x, i: F.max_unpool3d(x, i, 2, output_size=sizes or (4, 4, 4)), [draw(*shape), places.reshape(shape)])
    classes = torch.tensor([[[0, 4, 2]], [[3, 2, 1]]])
    weight = torch.tensor([0.5, 2.0, 1.0, 1.5, 0.25], dtype=torch.float64)
    for how in ("none", "mean", "sum"):
        case(f"nll_loss2d {how}", lambda x: F.nll_loss(x, classes, weight, ignore_index=2, reduction=how),
             [draw(2, 5, 1, 3)])
        CASES[f"nll_loss2d {how}"]["inputs"] += [tensor(classes), tensor(weight)]
        case(f"kl_div target {how}", lambda x, t: F.kl_div(x, t, reduction=how), [draw(3, 4), draw(3, 4).abs() + 0.25])
    for name, scale in (("", 1.0), (" half", 0.5)):
        def swished(x, gamma, beta):
            z = F.group_norm(x, 2, gamma, beta, 0.25)
            return z * torch.sigmoid(scale * z)

        case(f"group_norm_swish{name}", swished, [draw(2, 4, 3), draw(4), draw(4)])
    for name, eps, row in (("", 0.25, (4,)), (" rows", 0.125, (2, 4))):
        case(f"add_layer_norm{name}", lambda a, b, gamma, beta: F.layer_norm(a + b, row, gamma, beta, eps),
             [draw(3, 2, 4), draw(3, 2, 4), draw(*row), draw(*row)])

        def rooted(a, b, gamma):
            last = tuple(range(-len(row), 0))
            return (a + b) * torch.rsqrt(((a + b) ** 2).mean(last, keepdim=True) + eps) * gamma

        case(f"add_rms_norm{name}", rooted, [draw(3, 2, 4), draw(3, 2, 4), draw(*row)])
    for name, shape, eps in (("", (2, 3, 4), 0.25), (" of images", (2, 2, 3, 2), 0.125)):
        channels = shape[1]
        case(f"instance_norm function{name}",
             lambda x, gamma, beta: F.instance_norm(x, weight=gamma, bias=beta, eps=eps),
             [draw(*shape), draw(channels), draw(channels)])
    case("unfold_grad", lambda x: x.unfold(1, 3, 2), [draw(2, 5)])
    case("unfold_grad dim", lambda x: x.unfold(0, 2, 1), [draw(3, 2)])


def recurrent():
    for name, gates, function in (("lstm", 4, torch.lstm), ("gru", 3, torch.gru)):
        for options, biases, levels, both, batch_first in (("", True, 1, False, False),
                                                           (" two levels", False, 2, False, True),
                                                           (" both ways", True, 1, True, False)):
            directions = 2 if both else 1
            params = []
            for level in range(levels):
                for _ in range(directions):
                    params += [draw(gates * 2, 3 if level == 0 else directions * 2), draw(gates * 2, 2)]
                    params += [draw(gates * 2) for _ in range(2 if biases else 0)]
            states = [draw(levels * directions, 2, 2) for _ in range(2 if name == "lstm" else 1)]

            def run(x, *rest):
                hx = rest[:len(states)] if name == "lstm" else rest[0]
                return function(x, hx, rest[len(states):], biases, levels, 0.0, True, both, batch_first)

            case(f"{name} function{options}", run, [draw(2, 4, 3) if batch_first else draw(4, 2, 3), *states, *params])
    for options, biases in (("", 2), (" without biases", 0)):
        case(f"lstm_cell{options}", lambda x, h, c, *params: torch.lstm_cell(x, (h, c), *params),
             [draw(2, 3), draw(2, 2), draw(2, 2), draw(8, 3), draw(8, 2), *(draw(8) for _ in range(biases))])
        case(f"gru_cell{options}", torch.gru_cell,
             [draw(2, 3), draw(2, 2), draw(6, 3), draw(6, 2), *(draw(6) for _ in range(biases))])


if __name__ == "__main__":
    torch.manual_seed(1)
    probability = probabilities(3, 4)
    CASES["probabilities"] = tensor(probability)
    losses()
    layers()
    formulas()
    losses_of_probabilities()
    places()
    resampling()
    class_losses()
    bags()
    attention()
    fused_normalization()
    pooling()
    overwriting()
    algebra_numbers.reductions(case, results_only, draw)
    algebra_numbers.order(case, results_only, draw)
    algebra_numbers.algebra(case, results_only, draw)
    algebra_numbers.making(results_only)
    functions()
    recurrent()
    elementwise_numbers.functions(case, results_only)
    elementwise_numbers.truth(results_only)
    lines = (f"{json.dumps(name)}: {json.dumps(of, separators=(',', ':'))}" for name, of in CASES.items())
    print("{\n" + ",\n".join(lines) + "\n}")
