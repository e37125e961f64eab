"""Writes a trained checkpoint as GGUF: matrices in Q4_0, the embedding in Q8_0, norms in F32."""

import argparse
import json
import os

import torch

import gguf
import vocabulary

CONTROL, NORMAL = 3, 1
MOSTLY_Q4_0 = 2


def about(shape, parameters):
    return {
        "general.architecture": "llama",
        "general.type": "model",
        "general.name": "Millrace House",
        "general.version": "1",
        "general.size_label": f"{parameters / 1e6:.0f}M",
        "general.description": "A small story model: writes short stories for children with given "
        "words, names the characters of a story as JSON, chooses an ending, tells happy from sad.",
        "general.author": "The Millrace authors",
        "general.license": "apache-2.0",
        "general.languages": ["en"],
        "general.tags": ["stories", "json", "text-generation"],
        "general.file_type": MOSTLY_Q4_0,
        "general.quantization_version": 2,
        "general.sampling.temp": 0.8,
        "general.sampling.top_k": 40,
        "general.sampling.top_p": 0.95,
        "general.sampling.min_p": 0.05,
        "general.sampling.penalty_repeat": 1.0,  # a penalty would forbid to copy a name
        "llama.vocab_size": shape.vocabulary,
        "llama.context_length": shape.context,
        "llama.embedding_length": shape.width,
        "llama.block_count": shape.layers,
        "llama.feed_forward_length": shape.feed_forward,
        "llama.attention.head_count": shape.heads,
        "llama.attention.head_count_kv": shape.kv_heads,
        "llama.attention.layer_norm_rms_epsilon": shape.epsilon,
        "llama.rope.dimension_count": shape.head,
        "llama.rope.freq_base": shape.theta,
    }


def words(path, size):
    """The tokenizer's part of the metadata."""
    with open(path) as file:
        bpe = json.load(file)["model"]
    texts = sorted(bpe["vocab"], key=bpe["vocab"].get)
    texts += [f"<|unused{i}|>" for i in range(size - len(texts))]
    pairs = [m if isinstance(m, str) else " ".join(m) for m in bpe["merges"]]
    special = set(vocabulary.SPECIAL)
    control = [text in special or text.startswith("<|unused") for text in texts]
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": texts,
        "tokenizer.ggml.token_type": [CONTROL if c else NORMAL for c in control],
        "tokenizer.ggml.merges": pairs,
        "tokenizer.ggml.bos_token_id": vocabulary.BEGIN,
        "tokenizer.ggml.eos_token_id": vocabulary.END,
        "tokenizer.ggml.eot_token_id": vocabulary.END,
        "tokenizer.ggml.padding_token_id": vocabulary.END,
        "tokenizer.ggml.add_bos_token": True,
        "tokenizer.ggml.add_eos_token": False,
        "tokenizer.chat_template": vocabulary.TEMPLATE,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    saved = torch.load(args.checkpoint, map_location="cpu", weights_only=False)
    shape, state = saved["shape"], saved["state"]
    tensors = [("token_embd.weight", state.pop("token_embd").numpy(), gguf.Q8_0)]
    for name, value in state.items():
        tensors.append((name, value.numpy(), gguf.F32 if value.dim() == 1 else gguf.Q4_0))
    parameters = sum(array.size for _, array, _ in tensors)
    metadata = about(shape, parameters) | words(args.tokenizer, shape.vocabulary)
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    size = gguf.write(args.out, metadata, tensors)
    print(f"{args.out}: {parameters} parameters, {size} bytes", flush=True)


if __name__ == "__main__":
    main()
