"""Makes the training rows and the held-out tasks from sampled stories.

Writes tokenizer.json, rows.npy (tokens), weights.npy (of each token as a target, in tenths),
valid_*.npy and heldout.jsonl.
"""

import argparse
import bisect
import json
import os
import random
import re
import time
import zlib
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from tokenizers import Tokenizer

import names
import tasks
import vocabulary
from story import Lexicon, Story, clean, tidy

ROW = 1024
_shared = {}


def encoded(tokenizer, turns):
    """Tokens and weights of one conversation. Only what the assistant says must be ended by it."""
    tokens, weights = [vocabulary.BEGIN], [0]
    for role, text, weight, stressed in turns:
        if role != "raw":
            tokens.append(vocabulary.ROLES[role])
            weights.append(0)
        encoding = tokenizer.encode(text)
        each = [weight] * len(encoding.ids)
        for word in stressed:  # where it first comes up: that is where the story has to turn to it
            at = re.search(rf"\b{word}\b", text)
            for i, (start, stop) in enumerate(encoding.offsets if at else ()):
                if start < at.end() and stop > at.start():
                    each[i] = tasks.STRESSED
        tokens += encoding.ids + [vocabulary.END]
        weights += each + [weight if role in ("raw", "assistant") else 0]
    return tokens, weights


def packed(documents, rng):
    """Fills rows with whole documents: one at random, then the longest that fits, and again."""
    by_length = {}
    for document in documents:
        by_length.setdefault(len(document[0]), []).append(document)
    lengths = sorted(by_length)

    def take(position):
        bucket = by_length[lengths[position]]
        document = bucket.pop()
        if not bucket:
            lengths.pop(position)
        return document

    rows, weights = [], []
    while lengths:
        row, room = [take(rng.randrange(len(lengths)))], ROW
        room -= len(row[0][0])
        while (position := bisect.bisect_right(lengths, room) - 1) >= 0:
            row.append(take(position))
            room -= len(row[-1][0])
        rng.shuffle(row)
        rows.append(sum((d[0] for d in row), []) + [vocabulary.END] * room)
        weights.append(sum((d[1] for d in row), []) + [0] * room)
    return np.array(rows, dtype=np.int16), np.array(weights, dtype=np.uint8)


def _shard(job):
    """Rows of one shard of stories; runs in a worker, which inherits _shared."""
    texts, seed, per_story = job
    rng = random.Random(seed)
    tokenizer = Tokenizer.from_file(_shared["tokenizer"])
    stories = [Story(text, _shared["lexicon"]) for text in texts]
    documents = []
    for story in stories:
        # sad stories are few: they are told more often, each time with other names and questions
        for _ in range(per_story * (6 if story.mood() == "sad" else 1)):
            turns = tasks.conversation(story, rng.choice(stories), rng, _shared["mix"])
            if turns:
                tokens, weights = encoded(tokenizer, turns)
                if len(tokens) <= ROW:
                    documents.append((tokens, weights))
    rng.shuffle(documents)
    return packed(documents, rng)


def _line(task, turns, **more):
    messages = [{"role": role, "content": text} for role, text, _, _ in turns[:-1]]
    return {"task": task, "messages": messages, "answer": turns[-1][1], **more}


def heldout(stories, count, seed):
    """Up to count tasks of every kind, in the documented phrasing or any of the trained ones."""
    rng = random.Random(seed)
    found = {}

    def add(task, turns, **more):
        if turns and len(found.setdefault(task, [])) < count:
            found[task].append(_line(task, turns, **more))

    for story in stories:
        fresh = story.renamed(rng, names.RESERVED) if story.names and len(story.names) < 4 else None
        story = story.renamed(rng)
        if story.names and rng.random() < 0.5:
            story, fresh = story.peopled(rng), fresh and fresh.peopled(rng, names.RESERVED)
        other = rng.choice(stories)
        request, words = tasks.request_with_words(story, rng, 3)
        if words:
            add("words", tasks.ask(request, story.text, 0), words=words)
        add("free", tasks.ask(tasks.request_about(story, rng), story.text, 0))
        for key, (question, answer, weight) in tasks.questions(story, rng).items():
            asked = tasks.ask(tasks.joined(rng, question, story.text), answer, weight)
            if key == "mood" and not answer.startswith("{"):
                key += "_" + answer
            elif key == "characters":
                key += "_one" if len(story.names) == 1 else "_several" if story.names else "_none"
            add(key, asked)
        if fresh:
            question, answer, weight = tasks.questions(fresh, rng).get("characters", (None,) * 3)
            if question:
                asked = tasks.joined(rng, question, fresh.text)
                add("characters_unseen_names", tasks.ask(asked, answer, weight))
        add("ending", tasks.choose_ending(story, other, rng, hard=False))
        if story.names and other.names:
            add("ending_same_names", tasks.choose_ending(story, other, rng, hard=True))
    return [line for lines in found.values() for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stories", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--vocabulary", type=int, default=4096)
    parser.add_argument("--per-story", type=int, default=3)
    parser.add_argument("--heldout", type=int, default=400)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--mix", choices=("first", "second"), default="first")
    parser.add_argument("--tokenizer", help="one that is there already")
    args = parser.parse_args()
    mix = tasks.FIRST if args.mix == "first" else tasks.SECOND
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    began = time.time()
    log = lambda text: print(f"[{time.time() - began:5.0f} s] {text}", flush=True)
    with open(args.stories) as file:
        sampled = [json.loads(line) for line in file]
    texts = list(dict.fromkeys(filter(clean, map(tidy, sampled))))
    held = [text for text in texts if zlib.crc32(text.encode()) % 50 == 0]
    texts = [text for text in texts if zlib.crc32(text.encode()) % 50 != 0]
    log(f"{len(sampled)} stories sampled, {len(texts)} kept, {len(held)} held out")
    lexicon = Lexicon(texts[:60000])
    rng = random.Random(7)
    some = [Story(text, lexicon) for text in texts[:30000]]
    known = sum(story.names is not None for story in some) / len(some)
    sad = sum(story.mood() == "sad" for story in some) / len(some)
    happy = sum(story.mood() == "happy" for story in some) / len(some)
    log(f"characters certain in {known:.1%}; {happy:.1%} happy, {sad:.1%} sad, rest unclear")
    os.makedirs(args.out, exist_ok=True)
    path = args.tokenizer or os.path.join(args.out, "tokenizer.json")
    if not args.tokenizer:
        talks = (tasks.conversation(story, rng.choice(some), rng, mix) for story in some)
        texts_of = (turn[1] for talk in talks if talk for turn in talk)
        vocabulary.train(texts_of, args.vocabulary).save(path)
        log("tokenizer trained")
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    _shared.update(tokenizer=path, lexicon=lexicon, mix=mix)
    size = max(200, min(4000, len(texts) // (2 * args.workers)))
    jobs = [(texts[i : i + size], i, args.per_story) for i in range(0, len(texts), size)]
    with ProcessPoolExecutor(args.workers) as pool:
        parts = list(pool.map(_shard, jobs))
    rows, weights = (np.concatenate(column) for column in zip(*parts))
    np.save(os.path.join(args.out, "rows.npy"), rows)
    np.save(os.path.join(args.out, "weights.npy"), weights)
    log(f"{len(rows)} rows, {rows.size / 1e6:.0f} M tokens")
    rows, weights = _shard((held, 99, 1))
    np.save(os.path.join(args.out, "valid_rows.npy"), rows[:128])
    np.save(os.path.join(args.out, "valid_weights.npy"), weights[:128])
    if args.heldout == 0:
        return
    lines = heldout([Story(text, lexicon) for text in held], args.heldout, 5)
    with open(os.path.join(args.out, "heldout.jsonl"), "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    log(f"{len(lines)} held-out tasks")


if __name__ == "__main__":
    main()
