"""Reads and writes GGUF version 3 files: metadata, tensors, and the three block formats we use.

Only what this folder needs: F32, F16, Q8_0 and Q4_0, as the GGUF specification and ggml define
them. Tensors are numpy arrays in the usual row-major shape; GGUF lists dimensions fastest first.
"""

import struct

import numpy as np

MAGIC = 0x46554747
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8
BLOCK = 32
_SCALARS = dict(zip((0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12), "BbHhIif?Qqd"))
_STRING, _ARRAY = 8, 9


def quantise_q8_0(x):
    """Blocks of 32: an f16 scale, then 32 signed bytes."""
    blocks = x.astype(np.float32).reshape(-1, BLOCK)
    d = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), d, out=np.zeros_like(d), where=d != 0)
    scaled = blocks * inverse
    codes = np.trunc(scaled + np.copysign(np.float32(0.5), scaled)).astype(np.int8)
    return np.concatenate([d.astype(np.float16).view(np.uint8), codes.view(np.uint8)], axis=1)


def dequantise_q8_0(raw):
    rows = raw.reshape(-1, 2 + BLOCK)
    d = rows[:, :2].copy().view(np.float16).astype(np.float32)
    return d * rows[:, 2:].copy().view(np.int8).astype(np.float32)


def quantise_q4_0(x):
    """Blocks of 32: an f16 scale, then 16 bytes; byte j holds weights j (low) and j + 16 (high).

    The weight of largest magnitude, sign kept, is mapped to -8.
    """
    blocks = x.astype(np.float32).reshape(-1, BLOCK)
    at = np.abs(blocks).argmax(axis=1)[:, None]
    d = np.take_along_axis(blocks, at, axis=1) / np.float32(-8)
    inverse = np.divide(np.float32(1), d, out=np.zeros_like(d), where=d != 0)
    codes = np.minimum(15, (blocks * inverse + np.float32(8.5)).astype(np.int8)).astype(np.uint8)
    packed = codes[:, :16] | (codes[:, 16:] << 4)
    return np.concatenate([d.astype(np.float16).view(np.uint8), packed], axis=1)


def dequantise_q4_0(raw):
    rows = raw.reshape(-1, 2 + BLOCK // 2)
    d = rows[:, :2].copy().view(np.float16).astype(np.float32)
    packed = rows[:, 2:]
    codes = np.concatenate([packed & 15, packed >> 4], axis=1).astype(np.float32)
    return d * (codes - 8)


def _encode(kind, array):
    if kind == F32:
        return array.astype("<f4").tobytes()
    if kind == F16:
        return array.astype("<f2").tobytes()
    return (quantise_q8_0 if kind == Q8_0 else quantise_q4_0)(array).tobytes()


def _decode(kind, raw, shape):
    if kind == F32:
        flat = raw.view("<f4").astype(np.float32)
    elif kind == F16:
        flat = raw.view("<f2").astype(np.float32)
    else:
        flat = {Q8_0: dequantise_q8_0, Q4_0: dequantise_q4_0}[kind](raw)
    return flat.reshape(shape)


def _size(kind, count):
    blocks = count // BLOCK
    return {F32: count * 4, F16: count * 2, Q8_0: blocks * 34, Q4_0: blocks * 18}[kind]


class _Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def scalar(self, kind):
        form = "<" + _SCALARS[kind]
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return value

    def value(self, kind):
        if kind == _STRING:
            length = self.scalar(10)
            self.at += length
            return bytes(self.data[self.at - length : self.at]).decode("utf-8")
        if kind == _ARRAY:
            element, count = self.scalar(4), self.scalar(10)
            return [self.value(element) for _ in range(count)]
        return self.scalar(kind)


def read(path):
    """Returns (metadata, tensors): a dict of plain values, a dict of float32 arrays."""
    data = np.fromfile(path, dtype=np.uint8)
    cursor = _Cursor(memoryview(data))
    if cursor.scalar(4) != MAGIC or cursor.scalar(4) != 3:
        raise ValueError(f"{path} is not a GGUF file of version 3")
    tensor_count, key_count = cursor.scalar(10), cursor.scalar(10)
    metadata = {}
    for _ in range(key_count):
        key = cursor.value(_STRING)
        metadata[key] = cursor.value(cursor.scalar(4))
    entries = []
    for _ in range(tensor_count):
        name = cursor.value(_STRING)
        shape = tuple(cursor.scalar(10) for _ in range(cursor.scalar(4)))[::-1]
        entries.append((name, shape, cursor.scalar(4), cursor.scalar(10)))
    alignment = metadata.get("general.alignment", 32)
    base = -(-cursor.at // alignment) * alignment
    tensors = {}
    for name, shape, kind, offset in entries:
        start = base + offset
        tensors[name] = _decode(kind, data[start : start + _size(kind, int(np.prod(shape)))], shape)
    return metadata, tensors


def _string(text):
    raw = text.encode("utf-8")
    return struct.pack("<Q", len(raw)) + raw


def _value(value):
    """Type number and bytes of a metadata value; integers are u32 (i32 inside arrays)."""
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, int):
        return 4, struct.pack("<I", value)
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if isinstance(value, str):
        return _STRING, _string(value)
    if isinstance(value[0], str):
        return _ARRAY, struct.pack("<IQ", _STRING, len(value)) + b"".join(map(_string, value))
    return _ARRAY, struct.pack(f"<IQ{len(value)}i", 5, len(value), *value)


def write(path, metadata, tensors):
    """Writes a file; tensors is a list of (name, array, format)."""
    out = bytearray(struct.pack("<IIQQ", MAGIC, 3, len(tensors), len(metadata)))
    for key, value in metadata.items():
        kind, raw = _value(value)
        out += _string(key) + struct.pack("<I", kind) + raw
    bodies, offset = [], 0
    for name, array, kind in tensors:
        body = _encode(kind, array)
        body += b"\0" * (-len(body) % 32)
        out += _string(name) + struct.pack("<I", array.ndim)
        out += struct.pack(f"<{array.ndim}Q", *array.shape[::-1]) + struct.pack("<IQ", kind, offset)
        bodies.append(body)
        offset += len(body)
    out += b"\0" * (-len(out) % 32)
    with open(path, "wb") as file:
        file.write(out)
        for body in bodies:
            file.write(body)
    return len(out) + offset
