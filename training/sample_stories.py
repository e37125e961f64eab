"""Samples stories in bulk from a story model in GGUF (stories15M) and writes them as JSON lines."""

import argparse
import json
import re
import time
from concurrent.futures import ProcessPoolExecutor

import torch

import gguf
import model as models

BEGIN, END = 1, 2
_BYTE = re.compile(r"^<0x([0-9A-F]{2})>$")
_pieces = []


def _start(texts):
    """Turns the SentencePiece vocabulary into bytes, once in every worker."""
    for text in texts:
        byte = _BYTE.match(text)
        _pieces.append(bytes([int(byte[1], 16)]) if byte else text.replace("\u2581", " ").encode())


def _decode(rows):
    stories = []
    for row in rows:
        ends = [i for i, token in enumerate(row) if token in (BEGIN, END)]
        if ends:  # a story that does not end within the context is of no use
            text = b"".join(_pieces[token] for token in row[: ends[0]])
            stories.append(text.decode("utf-8", "replace").strip())
    return stories


@torch.inference_mode()
def sample(model, rows, length, temperature, min_p, dtype):
    """One batch of rows; a token less likely than min_p times the likeliest is never taken."""
    device = model.token_embd.device
    cache = model.new_cache(rows, length, dtype)
    token = torch.full((rows, 1), BEGIN, device=device)
    out = torch.empty((rows, length), dtype=torch.int32, device=device)
    for step in range(length):
        x = model.hidden(token, dtype, cache=cache, start=step)
        logits = model.head(x[:, -1]).float() / temperature
        p = torch.exp(logits - logits.amax(-1, keepdim=True))
        p.masked_fill_(p < min_p, 0)
        token = (p / torch.empty_like(p).exponential_()).argmax(-1, keepdim=True)
        out[:, step] = token[:, 0]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=180)
    parser.add_argument("--rows", type=int, default=8192)
    parser.add_argument("--temperature", type=float, default=0.9)
    parser.add_argument("--min-p", type=float, default=0.04)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=8)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    contents = gguf.read(args.model)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    model = models.load(contents, device)
    turn = model.cos, model.sin
    model.to(dtype)
    model.cos, model.sin = turn  # angles stay exact
    began, tokens, kept, pending = time.time(), 0, 0, []
    texts = contents[0]["tokenizer.ggml.tokens"]
    with ProcessPoolExecutor(args.workers, initializer=_start, initargs=(texts,)) as pool:
        while time.time() - began < args.seconds:
            rows = sample(model, args.rows, 256, args.temperature, args.min_p, dtype).tolist()
            tokens += args.rows * 256
            pending += [pool.submit(_decode, rows[i::8]) for i in range(8)]
        with open(args.out, "w") as file:
            for work in pending:
                for story in work.result():
                    file.write(json.dumps(story) + "\n")
                    kept += 1
    print(f"{kept} stories, {tokens} tokens sampled in {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
