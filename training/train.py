"""Trains the house model for a given time.

The learning rate falls with the clock, so a run ends when it should on any machine. In the last
part the matrices are seen through Q4_0, as they will be stored.
"""

import argparse
import time

import numpy as np
import torch
import torch.nn.functional as F

import gguf
from model import Llama, Shape, load


def loss_of(model, rows, weights, coarse, dtype):
    """Weighted mean loss of each next token."""
    logits = model.head(model.hidden(rows, dtype, coarse)).float()
    each = F.cross_entropy(logits.flatten(0, 1), rows.roll(-1, 1).flatten(), reduction="none")
    weights = F.pad(weights[:, 1:], (0, 1)).flatten()  # the last token of a row has no next one
    return (each * weights).sum() / weights.sum().clamp(min=1e-6)


def rate(step, done, args):
    """Warm up by steps, stay, then fall linearly to a hundredth over the last part of the time."""
    return args.rate * min(1, (step + 1) / 200) * min(1, max(0.01, (1 - done) / (1 - args.hold)))


def optimiser(model, device):
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.95), fused=device == "cuda")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--minutes", type=float, default=11)
    parser.add_argument("--rows", type=int, default=128, help="rows of 1024 tokens in a step")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--hold", type=float, default=0.3, help="share of time at the full rate")
    parser.add_argument("--coarse", type=float, default=0.6, help="when Q4_0 begins, as a share")
    parser.add_argument("--start", help="GGUF file to go on from, instead of from nothing")
    parser.add_argument("--vocabulary", type=int, default=4096)
    parser.add_argument("--layers", type=int, default=7)
    parser.add_argument("--eager", action="store_true", help="do not compile")
    args = parser.parse_args()
    torch.manual_seed(3)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    read = lambda name: torch.from_numpy(np.load(f"{args.data}/{name}.npy")).to(device)
    rows, weights = read("rows"), read("weights")
    held = read("valid_rows")[:64], read("valid_weights")[:64]
    if args.start:
        model = load(gguf.read(args.start), device).requires_grad_(True).train()
    else:
        model = Llama(Shape(vocabulary=args.vocabulary, layers=args.layers)).initialise().to(device)
    parameters = sum(p.numel() for p in model.parameters())
    print(f"{parameters} parameters, {rows.numel()} tokens", flush=True)
    loss_on = loss_of if args.eager else torch.compile(loss_of)
    optimizer = optimiser(model, device)
    save = lambda: torch.save({"shape": model.shape, "state": model.state_dict()}, args.out)
    batches = lambda: torch.randperm(len(rows), device=device).split(args.rows)
    order, epoch, step, began, saved = list(batches()), 0, 0, None, 0.0
    while True:
        if not order or len(order[-1]) < args.rows:
            order, epoch = [b for b in batches() if len(b) == args.rows], epoch + 1
        done = 0.0 if began is None else (time.time() - began) / (60 * args.minutes)
        if done >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = rate(step, done, args)
        coarse = torch.tensor(float(done >= args.coarse), device=device)
        batch = order.pop()
        loss = loss_on(model, rows[batch].long(), weights[batch].float() / 10, coarse, dtype)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if began is None and step == 3:
            loss.item()
            began = time.time()  # compiling is not training
        if step % 20 == 0:
            value = loss.item()  # also keeps the clock honest: work is queued, not done, until here
            if step % 200 == 0:
                speed = (step - 3) * args.rows * 1024 / (time.time() - began) / 1e6
                print(f"step {step} {done:.1%} loss {value:.4f} {speed:.2f} M tokens/s", flush=True)
        if began is not None and time.time() - began > saved + 120:
            saved = time.time() - began
            save()
    save()
    with torch.no_grad():
        for label, flag in (("float", 0.0), ("Q4_0", 1.0)):
            parts = [
                loss_of(model, r.long(), w.float() / 10, torch.tensor(flag, device=device), dtype)
                for r, w in zip(held[0].split(32), held[1].split(32))
            ]
            print(f"held-out loss {label}: {sum(parts).item() / len(parts):.4f}", flush=True)
    seconds = time.time() - began
    tokens = step * args.rows * 1024 / 1e6
    print(f"{step} steps, {tokens:.0f} M tokens, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
