"""A Llama decoder: trained here, loaded from GGUF, run with a key-value cache.

Rotation pairs neighbouring components (2i, 2i + 1), as GGUF's "llama" architecture expects, so
weights go in and out of files unpermuted.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 4096
    width: int = 512
    layers: int = 7
    heads: int = 8
    kv_heads: int = 4
    feed_forward: int = 1024
    context: int = 1024
    theta: float = 10000.0
    epsilon: float = 1e-5

    @property
    def head(self):
        return self.width // self.heads


def q4_0(weight):
    """What ggml's Q4_0 keeps of a weight matrix: the value after quantising and back."""
    blocks = weight.float().reshape(-1, 32)
    at = blocks.abs().argmax(dim=1, keepdim=True)
    d = blocks.gather(1, at) / -8
    inverse = torch.where(d == 0, torch.zeros_like(d), 1 / d)
    codes = torch.clamp(torch.floor(blocks * inverse + 8.5), max=15)
    return ((codes - 8) * d.half().float()).reshape(weight.shape)


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.epsilon)
        return (y * self.weight).type_as(x)


class Linear(nn.Module):
    """A matrix that can be seen through Q4_0; the gradient passes straight through."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))

    def forward(self, x, coarse):
        weight = self.weight
        if coarse is not None:
            weight = weight + coarse * (q4_0(weight) - weight).detach()
        return F.linear(x, weight.to(x.dtype))


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        kv = shape.kv_heads * shape.head
        self.attn_norm = Norm(shape.width, shape.epsilon)
        self.attn_q = Linear(shape.width, shape.width)
        self.attn_k = Linear(shape.width, kv)
        self.attn_v = Linear(shape.width, kv)
        self.attn_output = Linear(shape.width, shape.width)
        self.ffn_norm = Norm(shape.width, shape.epsilon)
        self.ffn_gate = Linear(shape.width, shape.feed_forward)
        self.ffn_up = Linear(shape.width, shape.feed_forward)
        self.ffn_down = Linear(shape.feed_forward, shape.width)

    def forward(self, x, turn, coarse=None, cache=None, start=0, mask=None):
        rows, length, _ = x.shape
        split = lambda y, heads: y.view(rows, length, heads, self.shape.head).transpose(1, 2)
        h = self.attn_norm(x)
        q = rotate(split(self.attn_q(h, coarse), self.shape.heads), turn)
        k = rotate(split(self.attn_k(h, coarse), self.shape.kv_heads), turn)
        v = split(self.attn_v(h, coarse), self.shape.kv_heads)
        if cache is not None:
            keys, values = cache
            keys[:, :, start : start + length] = k
            values[:, :, start : start + length] = v
            k, v = keys[:, :, : start + length], values[:, :, : start + length]
        group = self.shape.heads // self.shape.kv_heads
        if group > 1:
            k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        causal = mask is None and length > 1
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        x = x + self.attn_output(y.transpose(1, 2).reshape(rows, length, -1), coarse)
        h = self.ffn_norm(x)
        return x + self.ffn_down(F.silu(self.ffn_gate(h, coarse)) * self.ffn_up(h, coarse), coarse)


def rotate(x, turn):
    cos, sin = turn
    even, odd = x.float()[..., 0::2], x.float()[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(-2).type_as(x)


class Llama(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Parameter(torch.empty(shape.vocabulary, shape.width))
        self.blk = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = Norm(shape.width, shape.epsilon)
        rates = shape.theta ** (-torch.arange(0, shape.head, 2).float() / shape.head)
        angles = torch.arange(shape.context).float()[:, None] * rates
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def initialise(self):
        deep = (2 * self.shape.layers) ** -0.5
        for name, p in self.named_parameters():
            if p.dim() == 2:
                late = name.endswith(("attn_output.weight", "ffn_down.weight"))
                nn.init.normal_(p, std=0.02 * (deep if late else 1))
        return self

    def hidden(self, tokens, dtype, coarse=None, cache=None, start=0, mask=None):
        stop = start + tokens.shape[1]
        turn = self.cos[start:stop], self.sin[start:stop]
        x = F.embedding(tokens, self.token_embd).to(dtype)
        for i, block in enumerate(self.blk):
            x = block(x, turn, coarse, None if cache is None else cache[i], start, mask)
        return self.output_norm(x)

    def head(self, x):
        return F.linear(x, self.token_embd.to(x.dtype))

    def new_cache(self, rows, length, dtype):
        """Keys and values for every layer."""
        size = rows, self.shape.kv_heads, length, self.shape.head
        device = self.token_embd.device
        return [[torch.zeros(size, dtype=dtype, device=device) for _ in "kv"] for _ in self.blk]


def load(path_contents, device):
    """Builds the model of a GGUF file from what gguf.read returned."""
    metadata, tensors = path_contents
    get = lambda key: metadata["llama." + key]
    shape = Shape(
        vocabulary=len(metadata["tokenizer.ggml.tokens"]),
        width=get("embedding_length"),
        layers=get("block_count"),
        heads=get("attention.head_count"),
        kv_heads=get("attention.head_count_kv"),
        feed_forward=get("feed_forward_length"),
        context=get("context_length"),
        theta=get("rope.freq_base"),
        epsilon=get("attention.layer_norm_rms_epsilon"),
    )
    model = Llama(shape)
    state = {name: torch.from_numpy(array) for name, array in tensors.items()}
    state["token_embd"] = state.pop("token_embd.weight")
    model.load_state_dict(state)
    return model.to(device).eval().requires_grad_(False)
