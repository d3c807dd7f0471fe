# SPDX-License-Identifier: Apache-2.0
"""The networks of the examples in PyTorch, and what their recipes share."""
import math

import torch
import torch.nn.functional as F
from torch import nn


def self_normalizing(widths, activation=nn.SELU, dropout=lambda: nn.AlphaDropout(0.05)):
    layers = []
    for inputs, outputs in zip(widths[:-2], widths[1:-1]):
        layers += [nn.Linear(inputs, outputs), activation()] + ([dropout()] if dropout else [])
    return nn.Sequential(*layers, nn.Linear(*widths[-2:]))


class ConvolutionBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel, activation):
        super().__init__()
        self.activation = activation
        self.conv1 = nn.Conv2d(inputs, outputs, kernel)
        self.conv2 = nn.Conv2d(outputs, outputs, kernel)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        y = self.activation(self.conv2(self.activation(self.conv1(x))))
        return F.max_pool2d(self.norm(y), 2)


class Convolution(nn.Module):
    def __init__(self, first=32, second=64, inputs_of_output=576, classes=10, activation=F.elu):
        super().__init__()
        self.block1 = ConvolutionBlock(1, first, 5, activation)
        self.block2 = ConvolutionBlock(first, second, 3, activation)
        self.output = nn.Linear(inputs_of_output, classes)

    def forward(self, x):
        return self.output(self.block2(self.block1(x)).flatten(1))


class Convolved(nn.Module):
    def __init__(self, inputs, outputs, kernel=1, stride=1, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return self.norm(self.conv(x))


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.squeeze = nn.Linear(channels, channels // 4)
        self.excite = nn.Linear(channels // 4, channels)

    def forward(self, x):
        gate = F.hardsigmoid(self.excite(F.relu(self.squeeze(x.mean((2, 3))))))
        return x * gate[:, :, None, None]


class Bottleneck(nn.Module):
    def __init__(self, inputs, expanded, outputs, kernel, stride, activation):
        super().__init__()
        self.activation = activation
        self.adds = stride == 1 and inputs == outputs
        self.expand = Convolved(inputs, expanded)
        self.depthwise = Convolved(expanded, expanded, kernel, stride, groups=expanded)
        self.attention = SqueezeExcite(expanded)
        self.project = Convolved(expanded, outputs)

    def forward(self, x):
        y = self.activation(self.depthwise(self.activation(self.expand(x))))
        y = self.project(self.attention(y))
        return x + y if self.adds else y


class MobileNet(nn.Module):
    # Inputs, expanded, outputs, kernel and stride of each bottleneck.
    BOTTLENECKS = ((16, 64, 24, 3, 1), (24, 72, 24, 3, 1), (24, 96, 40, 5, 2), (40, 160, 40, 5, 1))

    def __init__(self, stem=16, bottlenecks=BOTTLENECKS, head=160, classes=10,
                 activation=F.hardswish):
        super().__init__()
        self.activation = activation
        self.stem = Convolved(1, stem, 3, 2)
        self.bottlenecks = nn.ModuleList(Bottleneck(*sizes, activation) for sizes in bottlenecks)
        self.head = Convolved(bottlenecks[-1][2], head)
        self.scores = nn.Linear(head, classes)

    def forward(self, x):
        x = self.activation(self.stem(x))
        for bottleneck in self.bottlenecks:
            x = bottleneck(x)
        return self.scores(self.activation(self.head(x)).mean((2, 3)))


class FeedForward(nn.Module):
    """GEGLU, or as many parameters around another activation."""

    def __init__(self, width, hidden, activation):
        super().__init__()
        self.activation = activation
        self.up = nn.Linear(width, hidden if activation else 2 * hidden)
        self.down = nn.Linear(hidden, width)

    def forward(self, x):
        if self.activation:
            return self.down(self.activation(self.up(x)))
        value, gate = self.up(x).chunk(2, -1)
        return self.down(value * F.gelu(gate))


def attend_to_itself(attention, x, padding=None):
    length = x.shape[1]
    later = None if padding is not None else torch.ones(length, length, dtype=torch.bool).triu(1)
    return attention(x, x, x, attn_mask=later, key_padding_mask=padding, need_weights=False)[0]


class TransformerBlock(nn.Module):
    def __init__(self, width, heads, hidden, activation):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width, hidden, activation)

    def forward(self, x, padding=None):
        """Causal, unless there is padding that is not to be seen."""
        x = x + attend_to_itself(self.attention, self.norm1(x), padding)
        return x + self.feed_forward(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, characters, context=64, width=128, heads=4, hidden=344, blocks=4,
                 activation=None):
        super().__init__()
        self.letters = nn.Embedding(characters, width)
        self.places = nn.Embedding(context, width)
        self.blocks = nn.ModuleList(TransformerBlock(width, heads, hidden, activation)
                                    for _ in range(blocks))
        self.norm = nn.LayerNorm(width)

    def forward(self, text):
        x = self.letters(text) + self.places(torch.arange(text.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.letters.weight.T


class CrossAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.projection = (nn.Linear(width, width) for _ in range(4))

    def forward(self, x, memory, padding):
        q, k, v = (part.unflatten(2, (self.heads, -1)).transpose(1, 2)
                   for part in (self.query(x), self.key(memory), self.value(memory)))
        scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
        weights = scores.masked_fill(padding[:, None, None], -math.inf).softmax(3)
        return self.projection((weights @ v).transpose(1, 2).flatten(2))


class DecoderBlock(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(width)
        self.cross_attention = CrossAttention(width, heads)
        self.norm3 = nn.LayerNorm(width)
        self.feed_forward = FeedForward(width, hidden, None)

    def forward(self, x, memory, padding):
        x = x + attend_to_itself(self.attention, self.norm1(x))
        x = x + self.cross_attention(self.norm2(x), memory, padding)
        return x + self.feed_forward(self.norm3(x))


def sines(places, width):
    angles = torch.arange(places)[:, None] * 10000.0 ** (-torch.arange(0, width, 2) / width)
    return torch.stack((angles.sin(), angles.cos()), 2).flatten(1)


class Translator(nn.Module):
    """Of a source, and what is begun of the target, one behind the other."""

    def __init__(self, source=72, letters=31, digits=12, width=64, heads=4, hidden=128, blocks=2):
        super().__init__()
        self.source = source
        self.letters = nn.Embedding(letters, width, padding_idx=0)
        self.digits = nn.Embedding(digits, width)
        self.encoder = nn.ModuleList(TransformerBlock(width, heads, hidden, None) for _ in range(blocks))
        self.encoder_norm = nn.LayerNorm(width)
        self.decoder = nn.ModuleList(DecoderBlock(width, heads, hidden) for _ in range(blocks))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, digits)

    def placed(self, embedding, text):
        x = embedding(text)
        return x * x.shape[2] ** 0.5 + sines(*x.shape[1:]).to(x.dtype)

    def encode(self, source):
        x = self.placed(self.letters, source)
        for block in self.encoder:
            x = block(x, source == 0)
        return self.encoder_norm(x)

    def decode(self, memory, source, begun):
        x = self.placed(self.digits, begun)
        for block in self.decoder:
            x = block(x, memory, source == 0)
        return self.out(self.norm(x))

    def forward(self, text):
        source, begun = text[:, :self.source], text[:, self.source:]
        return self.decode(self.encode(source), source, begun)


class Listener(nn.Module):
    def __init__(self, bands=32, first=16, second=32, hidden=64, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(1, first, 3, padding=1)
        self.norm1 = nn.BatchNorm2d(first)
        self.conv2 = nn.Conv2d(first, second, 3, padding=1)
        self.norm2 = nn.BatchNorm2d(second)
        self.lstm = nn.LSTM(second * (bands // 4), hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return self.out(self.lstm(x.permute(0, 3, 1, 2).flatten(2))[0].mean(1))


class Recurrent(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1])


class Characters(nn.Module):
    def __init__(self, characters, width=128, hidden=440):
        super().__init__()
        self.letters = nn.Embedding(characters, width)
        self.gru = nn.GRU(width, hidden, batch_first=True)
        self.next = nn.Linear(hidden, characters)

    def forward(self, text):
        return self.next(self.gru(self.letters(text))[0])


def cosine(rate, warm_up, total, lowest=0.0):
    """The learning rate of a step."""
    def of_step(step):
        if step < warm_up:
            return rate * (step + 1) / warm_up
        way = (step - warm_up) / (total - warm_up)
        return lowest + (rate - lowest) * (1 + math.cos(math.pi * way)) / 2
    return of_step


def decay_matrices(model, weight_decay):
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": matrices, "weight_decay": weight_decay},
            {"params": others, "weight_decay": 0}]


def cross_entropy(scores, labels):
    return F.cross_entropy(scores.flatten(0, -2), labels.flatten())
