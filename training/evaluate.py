"""Measures an exported model on the held-out tasks, with the weights as they are stored."""

import argparse
import json
import re

import torch

import gguf
import model as models
import vocabulary

LIMIT = {"words": 400, "free": 400}


@torch.inference_mode()
def generate(model, prompts, limit, temperature, dtype):
    """Answers a batch. Shorter prompts are padded on the left; rotation only sees distances."""
    device = model.token_embd.device
    length = max(map(len, prompts))
    total = min(model.shape.context, length + limit)
    padded = [[vocabulary.END] * (length - len(p)) + p for p in prompts]
    tokens = torch.tensor(padded, device=device)
    blank = torch.tensor([length - len(p) for p in prompts], device=device)
    place = torch.arange(total, device=device)
    seen = place[None, None, :] >= blank[:, None, None]
    causal = seen[:, :, :length] & (place[:length, None] >= place[None, :length])
    causal |= torch.eye(length, dtype=torch.bool, device=device)  # padding sees itself, not nothing
    cache = model.new_cache(len(prompts), total, dtype)
    alive = torch.ones(len(prompts), dtype=torch.bool, device=device)
    out, step, mask = [], 0, causal
    while alive.any() and step + tokens.shape[1] < total:
        x = model.hidden(tokens, dtype, cache=cache, start=step, mask=mask[:, None])
        step += tokens.shape[1]
        logits = model.head(x[:, -1]).float()
        if temperature > 0:
            tokens = torch.multinomial(torch.softmax(logits / temperature, -1), 1)
        else:
            tokens = logits.argmax(-1, keepdim=True)
        out.append(tokens)
        alive &= tokens[:, 0] != vocabulary.END
        mask = seen[:, :, : step + 1]
    answers = torch.cat(out, dim=1).tolist()
    ended = [vocabulary.END in answer for answer in answers]
    cut = lambda answer: answer[: (answer + [vocabulary.END]).index(vocabulary.END)]
    return [cut(answer) for answer in answers], ended


def characters(text):
    try:
        return list(json.loads(text)["characters"])
    except (ValueError, KeyError, TypeError):
        return None


def score(line, text, ended):
    """Figures for one answer, by name."""
    if "words" in line:
        used = [re.search(rf"\b{word}", text.lower()) is not None for word in line["words"]]
        return {"words used": sum(used) / len(used), "all used": all(used), "ended": ended}
    if line["task"] == "free":
        return {"ended": ended}
    figures = {"exact": text == line["answer"]}
    if line["task"].startswith("characters"):
        want, got = set(characters(line["answer"])), characters(text)
        figures["valid JSON"] = got is not None
        hits = len(want & set(got or ()))
        total = len(want) + len(got or ())
        figures["F1"] = 2 * hits / total if total else float(got == [])
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--heldout", required=True)
    parser.add_argument("--limit", type=int, default=10**9, help="tasks of each kind")
    parser.add_argument("--temperature", type=float, default=0.0)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--show", type=int, default=0, help="answers to print for each kind")
    args = parser.parse_args()
    torch.manual_seed(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    contents = gguf.read(args.model)
    model, tokenizer = models.load(contents, device), vocabulary.of_gguf(contents[0])
    by_task = {}
    with open(args.heldout) as file:
        for line in map(json.loads, file):
            by_task.setdefault(line["task"], []).append(line)
    for task, lines in sorted(by_task.items()):
        lines, figures = lines[: args.limit], []
        for i in range(0, len(lines), args.batch):
            part = lines[i : i + args.batch]
            prompts = [vocabulary.prompt(tokenizer, line["messages"]) for line in part]
            limit = LIMIT.get(task, 60)
            answers, ended = generate(model, prompts, limit, args.temperature, torch.float32)
            texts = [tokenizer.decode(answer) for answer in answers]
            figures += map(score, part, texts, ended)
            for line, text in list(zip(part, texts))[: max(0, args.show - i)]:
                print(f"--- {line['messages'][-1]['content']}\n>>> {text}")
        means = {k: sum(f[k] for f in figures) / len(figures) for k in figures[0]}
        shown = ", ".join(f"{name} {value:.1%}" for name, value in means.items())
        print(f"{task} ({len(lines)}): {shown}", flush=True)


if __name__ == "__main__":
    main()
