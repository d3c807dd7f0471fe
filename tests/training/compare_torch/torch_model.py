# SPDX-License-Identifier: Apache-2.0
"""The models, losses and optimizers of descriptions (tests/training/models/spec.h) in PyTorch.

Parameters have our names and layouts: the weights of linear layers are transposed on their way into
PyTorch's functions.
"""
import math

import torch
import torch.nn.functional as F


class Noise:
    """Roundings of their own in every operation: what a layer gives, and the gradient that comes back
    to it, moves by up to `unit` of itself."""

    def __init__(self, seed, unit):
        self.generator = torch.Generator().manual_seed(seed)
        self.unit = unit

    def number(self):
        return 2 * torch.rand((), generator=self.generator, dtype=torch.float64).item() - 1

    def moved(self, tensor):
        by = 2 * torch.rand(tensor.shape, generator=self.generator, dtype=torch.float64) - 1
        return tensor * (1 + self.unit * by)

    def __call__(self, tensor):
        return Moved.apply(tensor, self)


class Moved(torch.autograd.Function):
    @staticmethod
    def forward(context, tensor, noise):
        context.noise = noise
        return noise.moved(tensor)

    @staticmethod
    def backward(context, gradient):
        return context.noise.moved(gradient), None


def unchanged(tensor):
    return tensor


def option_with(noise, value):
    """The number as another one of float32: the C interface takes most options as floats."""
    return value if noise is unchanged else value * (1 + 2.0**-24 * noise.number())


class Model:
    def __init__(self, spec, parameters, buffers, noise=unchanged):
        self.spec, self.buffers, self.noise = spec, buffers, noise
        self.parameters = parameters

    def __call__(self, x, training):
        self.training = training
        if x.is_floating_point():
            x = self.noise(x)
        return self.run(self.spec["layers"], "", x)

    def run(self, layers, prefix, x):
        for layer in layers:
            training = self.training
            if layer.get("name") in self.spec.get("frozen", []):
                self.training = False
            x = self.noise(getattr(self, layer["kind"])(layer, prefix + layer.get("name", ""), x))
            self.training = training
        return x

    def number(self, layer, name, default):
        """An option; where it is the default, with the noise that options have."""
        return layer[name] if name in layer else option_with(self.noise, default)

    def parameter(self, name):
        return self.noise(self.parameters[name]) if name in self.parameters else None

    def transposed(self, name):
        return self.parameter(name).t()

    # Layers with parameters.

    def linear(self, layer, name, x):
        return F.linear(x, self.transposed(name + ".weight"), self.parameter(name + ".bias"))

    def conv2d(self, layer, name, x):
        return F.conv2d(x, self.parameter(name + ".weight"), self.parameter(name + ".bias"), *convolution(layer, 2))

    def conv1d(self, layer, name, x):
        y = F.conv1d(x.transpose(1, 2), self.parameter(name + ".weight"), self.parameter(name + ".bias"),
                     *convolution(layer, 1))
        return y.transpose(1, 2)

    def transposed2d(self, layer, name, x):
        stride, padding, dilation, groups = convolution(layer, 2)
        return F.conv_transpose2d(x, self.parameter(name + ".weight"), self.parameter(name + ".bias"), stride,
                                  padding, layer.get("output_padding", [0, 0]), groups, dilation)

    def normalized(self, x, axes, eps):
        """With the roundings within a normalization, which are large where few values are normalized."""
        centred = self.noise(x - self.noise(x.mean(axes, keepdim=True)))
        variance = self.noise(self.noise(centred.square()).mean(axes, keepdim=True))
        return self.noise(centred * self.noise(torch.rsqrt(variance + eps)))

    def scaled(self, name, x, axis):
        """By the weight and bias of an axis."""
        shape = [-1] + [1] * (x.dim() - 1 - axis % x.dim())
        return x * self.parameter(name + ".weight").reshape(shape) + self.parameter(name + ".bias").reshape(shape)

    def batch_norm(self, layer, name, x):
        eps = self.number(layer, "eps", 1e-5)
        made = F.batch_norm(x, self.buffers[name + ".running_mean"], self.buffers[name + ".running_var"],
                            self.parameter(name + ".weight"), self.parameter(name + ".bias"), self.training,
                            self.number(layer, "momentum", 0.1), eps)
        if self.noise is unchanged or not self.training:
            return made
        return self.scaled(name, self.normalized(x, [0, *range(2, x.dim())], eps), 1)

    def group_norm(self, layer, name, x):
        eps, groups = self.number(layer, "eps", 1e-5), layer["groups"]
        if self.noise is unchanged:
            return torch.group_norm(x, groups, self.parameter(name + ".weight"), self.parameter(name + ".bias"), eps)
        rows = x.reshape(x.shape[0], groups, -1)
        return self.scaled(name, self.normalized(rows, [2], eps).reshape(x.shape), 1)

    def layer_norm(self, layer, name, x):
        eps = self.number(layer, "eps", 1e-5)
        if self.noise is unchanged:
            return F.layer_norm(x, x.shape[-1:], self.parameter(name + ".weight"), self.parameter(name + ".bias"), eps)
        return self.scaled(name, self.normalized(x, [-1], eps), -1)

    def rms_norm(self, layer, name, x):  # as nn.RMSNorm, which came later
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.number(layer, "eps", 1e-6)) * self.parameter(
            name + ".weight")

    def embedding(self, layer, name, x):
        return F.embedding(x, self.parameter(name + ".weight"), layer.get("padding_idx"))

    def attention(self, layer, name, x):
        places = x.shape[1]
        unseen, added = torch.zeros(places, places, dtype=torch.bool), None
        if "mask" in layer:
            if layer.get("adds"):
                added = -0.75 * torch.tensor(layer["mask"], dtype=x.dtype)
            else:
                unseen |= torch.tensor(layer["mask"], dtype=torch.bool)
            name += ".attention"
        return self.attend(name, x, layer, unseen, added)

    def attend(self, name, x, layer, unseen, added=None):
        if layer.get("causal"):
            unseen = unseen | torch.ones_like(unseen).triu(1)
        if added is not None:
            unseen = added.masked_fill(unseen, -torch.inf)
        y = x.transpose(0, 1)
        y, _ = F.multi_head_attention_forward(
            y, y, y, x.shape[2], layer["heads"], self.transposed(name + ".qkv.weight"),
            self.parameter(name + ".qkv.bias"), None, None, False, 0.0, self.transposed(name + ".projection.weight"),
            self.parameter(name + ".projection.bias"), self.training, need_weights=False, attn_mask=unseen)
        return y.transpose(0, 1)

    def transformer(self, layer, name, x):
        unseen = torch.zeros(x.shape[1], x.shape[1], dtype=torch.bool)
        x = x + self.attend(name + ".attention", self.layer_norm({}, name + ".norm1", x), layer, unseen)
        return x + self.feed_forward({}, name + ".feed_forward", self.layer_norm({}, name + ".norm2", x))

    def feed_forward(self, layer, name, x):
        return self.linear({}, name + ".down", self.geglu(layer, name, self.linear({}, name + ".up", x)))

    def gru(self, layer, name, x):
        weights, begin = self.recurrent(layer, name, x)
        return torch.gru(x, begin, weights, True, layer.get("levels", 1), 0.0, self.training,
                         layer.get("bidirectional", False), True)[0]

    def lstm(self, layer, name, x):
        weights, begin = self.recurrent(layer, name, x)
        return torch.lstm(x, [begin, begin], weights, True, layer.get("levels", 1), 0.0, self.training,
                          layer.get("bidirectional", False), True)[0]

    def recurrent(self, layer, name, x):
        """Weights and biases of every level and direction, and the state to begin with."""
        ends = ["", "_reverse"] if layer.get("bidirectional") else [""]
        suffixes = [f"_l{level}{end}" for level in range(layer.get("levels", 1)) for end in ends]
        weights = [of.contiguous() for suffix in suffixes
                   for of in (self.transposed(f"{name}.weight_ih{suffix}"),
                              self.transposed(f"{name}.weight_hh{suffix}"),
                              self.parameter(f"{name}.bias_ih{suffix}"), self.parameter(f"{name}.bias_hh{suffix}"))]
        return weights, torch.zeros(len(suffixes), x.shape[0], layer["hidden"], dtype=x.dtype)

    def decoder(self, layer, name, x):
        unseen = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        y = x + self.attend(name + ".attention", self.layer_norm({}, name + ".norm1", x), layer,
                            torch.zeros_like(unseen) if not layer.get("causal", True) else unseen)
        y = y + self.cross_attention(name + ".cross_attention", self.layer_norm({}, name + ".norm2", y), x, layer)
        return y + self.feed_forward({}, name + ".feed_forward", self.layer_norm({}, name + ".norm3", y))

    def cross_attention(self, name, x, memory, layer):
        def heads(part, of):
            return self.linear({}, f"{name}.{part}", of).unflatten(-1, (layer["heads"], -1)).transpose(1, 2)

        q, k, v = heads("query", x), heads("key", memory), heads("value", memory)
        weights = F.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1)
        return self.linear({}, name + ".projection", (weights @ v).transpose(1, 2).flatten(2))

    def dropout(self, layer, name, x):
        return x

    alpha_dropout = dropout

    def residual(self, layer, name, x):
        return x + self.run(layer["layers"], name.removesuffix(layer["name"]), x)

    def sequential(self, layer, name, x):
        return self.run(layer["layers"], name + ".", x)

    checkpointed = sequential

    # Layers without.

    def max_pool2d(self, layer, name, x):
        return F.max_pool2d(x, layer["kernel"], layer.get("stride"), layer.get("padding", 0), 1,
                            layer.get("ceil_mode", False))

    def avg_pool2d(self, layer, name, x):
        return F.avg_pool2d(x, layer["kernel"], layer.get("stride"), layer.get("padding", 0),
                            layer.get("ceil_mode", False), layer.get("count_include_pad", True),
                            layer.get("divisor_override"))

    def adaptive_avg_pool2d(self, layer, name, x):
        return F.adaptive_avg_pool2d(x, layer["size"])

    def global_avg_pool2d(self, layer, name, x):
        return F.adaptive_avg_pool2d(x, 1).flatten(1)

    def flatten(self, layer, name, x):
        return x.flatten(1)

    def mean_over_time(self, layer, name, x):
        return x.mean(1)

    def turned(self, layer, name, x):
        return x + 0.5 * torch.roll(x, -1, -1) + 0.25 * x

    def last_step(self, layer, name, x):
        return x[:, -1]

    def elu(self, layer, name, x):
        return torch.ops.aten.elu(x, *(self.number(layer, name, 1.0) for name in ("alpha", "scale", "input_scale")))

    def gelu(self, layer, name, x):
        return F.gelu(x, approximate="tanh" if layer.get("tanh") else "none")

    def geglu(self, layer, name, x):
        first, second = x.chunk(2, -1)
        if layer.get("activate_left"):
            first, second = second, first
        return first * self.gelu(layer, name, second)

    def leaky_relu(self, layer, name, x):
        return F.leaky_relu(x, self.number(layer, "slope", 0.01))

    def softplus(self, layer, name, x):
        return F.softplus(x, self.number(layer, "beta", 1.0))

    def prelu(self, layer, name, x):
        return F.prelu(x, self.parameter(name + ".weight"))

    def instance_norm(self, layer, name, x):
        return F.instance_norm(x, weight=self.parameter(name + ".weight"), bias=self.parameter(name + ".bias"),
                               eps=self.number(layer, "eps", 1e-5))

    def upsample(self, layer, name, x):
        return F.interpolate(x, scale_factor=layer["factor"], mode="nearest")

    def positions(self, layer, name, x):
        places, width = x.shape[-2:]
        column = torch.arange(width, dtype=torch.float64)
        angle = torch.arange(places, dtype=torch.float64)[:, None] * 10000 ** (-(column - column % 2) / width)
        return x + torch.where(column % 2 == 0, angle.sin(), angle.cos()).to(x.dtype)

    def softmax(self, layer, name, x):
        return F.softmax(x, -1)


def function(of):
    return lambda self, layer, name, x: of(x)


for name, of in {"hardswish": F.hardswish, "selu": F.selu, "relu": F.relu, "tanh": torch.tanh,
                 "sigmoid": torch.sigmoid, "silu": F.silu, "mish": F.mish, "abs": torch.abs, "sin": torch.sin,
                 "erf": torch.erf}.items():
    setattr(Model, name, function(of))


def convolution(layer, axes):
    """Stride, padding, dilation and groups, in the order of F.conv2d."""
    return (layer.get("stride", [1] * axes), layer.get("padding", [0] * axes), layer.get("dilation", [1] * axes),
            layer.get("groups", 1))


def loss(spec, prediction, target):
    spec = spec["loss"]
    how = spec.get("reduction", "mean")

    def weight(name):
        return torch.tensor(spec[name], dtype=prediction.dtype) if name in spec else None

    kind = spec["kind"]
    if kind in ("cross_entropy", "nll"):  # classes along the second axis
        soft = spec.get("soft", False)
        target = target.movedim(-1, 1) if soft else target.long()
        options = {"weight": weight("weight"), "ignore_index": spec.get("ignore_index", -100), "reduction": how}
        if kind == "nll":
            made = F.nll_loss(F.log_softmax(prediction, -1).movedim(-1, 1), target, **options)
        else:
            made = F.cross_entropy(prediction.movedim(-1, 1), target,
                                   label_smoothing=spec.get("label_smoothing", 0.0), **options)
    elif kind == "kl_div":
        made = F.kl_div(F.log_softmax(prediction, -1), target, reduction=how)
    elif kind == "huber":
        made = F.huber_loss(prediction, target, reduction=how, delta=spec.get("delta", 1.0))
    elif kind == "cosine_embedding":
        prediction, target = (of.flatten(0, -2) for of in (prediction, target))
        made = F.cosine_embedding_loss(prediction, target, target[:, 0].sign(), spec["margin"], reduction=how)
    elif kind == "triplet_margin":
        made = F.triplet_margin_loss(prediction, target, -target, spec["margin"], swap=spec.get("swap", False),
                                     reduction=how)
    elif kind == "bce":
        made = F.binary_cross_entropy_with_logits(prediction, target, weight("weight"), pos_weight=weight("pos_weight"),
                                                  reduction=how)
    elif kind == "mse":
        made = F.mse_loss(prediction, target, reduction=how)
    elif kind == "l1":
        made = F.l1_loss(prediction, target, reduction=how)
    else:
        made = F.smooth_l1_loss(prediction, target, reduction=how, beta=spec.get("beta", 1.0))
    return made.mean() if how == "none" else made


SCHEDULERS = {
    "polynomial": lambda optimizer, base, made: torch.optim.lr_scheduler.PolynomialLR(
        optimizer, made["total"], made["power"]),
    "warm_restarts": lambda optimizer, base, made: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(
        optimizer, made["period"], made["growth"]),
    "one_cycle": lambda optimizer, base, made: torch.optim.lr_scheduler.OneCycleLR(
        optimizer, base, made["total"], pct_start=made["share"], cycle_momentum=False),
}


def rate(spec, step):
    """The learning rate of a step."""
    spec = spec["optimizer"]
    schedule, base = spec.get("schedule", {"kind": "constant"}), spec["learning_rate"]
    if schedule["kind"] in SCHEDULERS:
        scheduler = SCHEDULERS[schedule["kind"]](torch.optim.SGD([torch.zeros(1)], lr=base), base, schedule)
        for _ in range(step):
            scheduler.optimizer.step()
            scheduler.step()
        return scheduler.get_last_lr()[0]
    if schedule["kind"] == "constant":
        return base
    if schedule["kind"] == "step_decay":
        return base * schedule["factor"] ** (step // schedule["every"])
    warm_up, total, least = schedule["warm_up"], schedule["total"], schedule["least"]
    if step < warm_up:
        return base * (step + 1) / warm_up
    if step >= total:
        return least
    return least + (base - least) * (1 + math.cos(math.pi * (step - warm_up) / (total - warm_up))) / 2


class Lion(torch.optim.Optimizer):
    """PyTorch has none; this is its paper's."""

    def __init__(self, groups, **options):
        super().__init__(groups, {"lr": 1e-4, "betas": (0.9, 0.99), "weight_decay": 0} | options)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for p in (p for p in group["params"] if p.grad is not None):
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                direction = (first * m + (1 - first) * p.grad).sign() + group["weight_decay"] * p
                m.mul_(second).add_(p.grad, alpha=1 - second)
                p.sub_(group["lr"] * direction)


OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW,
              "rmsprop": torch.optim.RMSprop, "lion": Lion}
DEFAULTS = {"sgd": {}, "adam": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8},
            "adamw": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 1e-2},
            "rmsprop": {"alpha": 0.99, "epsilon": 1e-8}, "lion": {"beta1": 0.9, "beta2": 0.99}}
SAME_NAMES = ("momentum", "nesterov", "dampening", "weight_decay", "maximize", "amsgrad", "alpha", "centered")


def options_of(spec):
    """Of an optimizer or a group, by PyTorch's names."""
    options = {name: spec[name] for name in SAME_NAMES if name in spec}
    if "epsilon" in spec:
        options["eps"] = spec["epsilon"]
    if "beta1" in spec:
        options["betas"] = (spec["beta1"], spec["beta2"])
    return options


def optimizer(spec, parameters, noise):
    """The optimizer and a function that sets the learning rates of a step."""
    kind = spec["optimizer"]["kind"]
    of = {name: option_with(noise, value) for name, value in DEFAULTS[kind].items()} | spec["optimizer"]
    every = [{"params": parameters}]
    factors = [1.0]
    if of.get("groups"):
        groups = of["groups"][:len(parameters)]
        factors = [group.get("learning_rate_factor", 1.0) for group in groups]
        every = [{"params": parameters[i::len(groups)], **options_of(of | group)}
                 for i, group in enumerate(groups)]
    made = OPTIMIZERS[kind](every, lr=1.0, **options_of(of))

    def set_rates(step):
        for group, factor in zip(made.param_groups, factors):
            group["lr"] = rate(spec, step) * factor

    return made, set_rates
