"""The vocabulary: byte-level BPE with GPT-2's rules, its special tokens, and how messages look."""

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

SPECIAL = ("<|begin|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>")
BEGIN, END = 0, 1
ROLES = {"system": 2, "user": 3, "assistant": 4}
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|{{ message.role }}|>{{ message.content | trim }}"
    "<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def _byte_level(tokenizer):
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True) for text in SPECIAL])
    return tokenizer


def train(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return _byte_level(tokenizer)


def of_gguf(metadata):
    """The tokenizer that a GGUF file describes."""
    ids = {text: i for i, text in enumerate(metadata["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in metadata["tokenizer.ggml.merges"]]
    return _byte_level(Tokenizer(models.BPE(vocab=ids, merges=merges)))


def prompt(tokenizer, messages):
    """What the chat template renders, as tokens, up to where the assistant answers."""
    tokens = [BEGIN]
    for message in messages:
        text = tokenizer.encode(message["content"].strip()).ids
        tokens += [ROLES[message["role"]], *text, END]
    return tokens + [ROLES["assistant"]]
