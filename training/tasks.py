"""Turns plain stories into short conversations whose answers are known by construction.

A conversation is a list of messages: role, text, the weight that the trainer gives to its tokens
(little for what a user says, much for short answers), and the words in it to be stressed.
"""

import json
from dataclasses import dataclass

from story import KIND

PROMPT, STORY, JSON_ANSWER, STRESSED, WORD_ANSWER = 2, 10, 50, 80, 100  # tenths

WITH_WORDS = (
    "Write a story with these words: {}.",
    "Write a short story with these words: {}.",
    "Write a story that uses these words: {}.",
    "Write a story with the words {}.",
    "Tell me a story with these words: {}.",
    "Use these words in a story: {}.",
)
ABOUT = ("Write a story about {}.", "Write a short story about {}.", "Tell me a story about {}.")
FREE = ("Write a short story.", "Write a story.", "Tell me a story.", "Tell me a short story.")
OF_MOOD = ("Write a {} story.", "Write a short {} story.", "Tell me a {} story.")
CONTINUE = ("Continue this story.", "Continue the story.", "Finish this story.")
CHARACTERS = (
    "Name the characters of this story as JSON.",
    "Name the characters in this story as JSON.",
    "Name the characters as JSON.",
    "List the characters of this story as JSON.",
    "Extract the characters of this story as JSON.",
    "Who are the characters in this story? Answer as JSON.",
    "Give the names of the characters as JSON.",
)
MOOD = (
    "Is this story happy or sad?",
    "Is it happy or sad?",
    "Does this story end happy or sad?",
    "Is the ending of this story happy or sad?",
)
BOTH = (
    "Name the characters and the mood of this story as JSON.",
    "Extract the characters and the mood as JSON.",
)
ENDING = (
    "Which ending fits this story, A or B?",
    "Choose the ending of this story: A or B.",
    "Choose the right ending, A or B.",
)
WHO = ("Who is this story about?", "Who is the story about?", "Who is the main character?")
SYSTEM = (
    "You are a helpful assistant.",
    "You write short stories for children.",
    "You read stories and answer questions.",
    "You are a storyteller.",
)


@dataclass(frozen=True)
class Mix:
    """Shares of the kinds of conversations, and how they are made."""

    raw: float
    write: float
    go_on: float
    read: float  # the rest chooses endings
    with_words: float  # of what is written
    odd: float  # made-up names where stories are read
    stress: bool  # whether the words that were asked for weigh more in the story


FIRST = Mix(raw=0.13, write=0.29, go_on=0.04, read=0.34, with_words=0.6, odd=0.25, stress=False)
SECOND = Mix(raw=0.06, write=0.48, go_on=0.03, read=0.33, with_words=0.8, odd=0.6, stress=True)

def compact(value):
    return json.dumps(value, separators=(",", ":"))


def say(rng, choices):
    """The first phrasing, which is the one we document, half of the time."""
    return choices[0] if rng.random() < 0.5 else rng.choice(choices)


def joined(rng, request, text):
    """An instruction and its story, in the orders that people write them."""
    way = rng.random()
    if way < 0.6:
        return request + "\n\n" + text
    return (request + "\n" + text) if way < 0.75 else (text + "\n\n" + request)


def ask(question, answer, weight, stressed=()):
    return [("user", question, PROMPT, ()), ("assistant", answer, weight, stressed)]


def listed(rng, words):
    if len(words) > 1 and rng.random() < 0.3:
        return ", ".join(words[:-1]) + " and " + words[-1]
    return ", ".join(words)


def article(noun):
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def request_with_words(story, rng, count=None):
    words = story.words(rng, count or rng.choice((1, 2, 3, 3, 3, 4, 5)))
    if not words:
        return None, None
    text = say(rng, WITH_WORDS).format(listed(rng, words))
    return (text if rng.random() < 0.85 else text.rstrip(".")), words


def request_about(story, rng):
    """Asks for a story by its people, its topic or its mood, or for any story."""
    mood, topic, kinds = story.mood(), story.topic(), KIND.findall(story.text)
    people = story.names and " and ".join(story.names[: rng.choice((1, 1, 2))])
    ways = [lambda: rng.choice(FREE)]
    if people:
        ways += [lambda: say(rng, ABOUT).format(people)] * 3
    if people and topic:
        ways += [lambda: say(rng, ABOUT).format(people + " and " + article(topic))]
    if topic:
        ways += [lambda: say(rng, ABOUT).format(article(topic))] * 2
    if kinds:
        ways += [lambda: say(rng, ABOUT).format("a " + kinds[0][0] + " named " + kinds[0][1])]
    if mood:
        ways += [lambda: say(rng, OF_MOOD).format(mood)] * (4 if mood == "sad" else 1)
    return rng.choice(ways)()


def questions(story, rng):
    """Every question with a certain answer about a story: name -> (question, answer, weight)."""
    found = {}
    mood, hero = story.mood(), story.hero()
    if story.names is not None and len(story.names) <= 5:
        answer = compact({"characters": story.names})
        found["characters"] = say(rng, CHARACTERS), answer, JSON_ANSWER
        if mood:
            both = compact({"characters": story.names, "mood": mood})
            found["both"] = say(rng, BOTH), both, JSON_ANSWER
    if mood and rng.random() < 0.75:
        found["mood"] = say(rng, MOOD), mood, WORD_ANSWER
    elif mood:
        found["mood"] = say(rng, MOOD) + " Answer as JSON.", compact({"mood": mood}), JSON_ANSWER
    if hero:
        found["who"] = say(rng, WHO), hero, JSON_ANSWER
    kinds = KIND.findall(story.text)
    if kinds and story.names and kinds[0][1] in story.names:
        if sum(kind == kinds[0][0] for kind, _ in kinds) == 1:
            question = "What is the name of the " + kinds[0][0] + "?"
            found["name"] = question, kinds[0][1], JSON_ANSWER
    return found


def choose_ending(story, other, rng, hard=None):
    """Two endings, one of them from another story, whose names are made to fit when hard."""
    last = rng.choice((1, 2, 2, 3))
    if len(story.sentences) < last + 3 or len(other.sentences) < last + 3:
        return None
    hard = rng.random() < 0.6 if hard is None else hard
    if hard and story.names and other.names:
        to = {name: story.names[i % len(story.names)] for i, name in enumerate(other.names)}
        other = other.replaced(to)
    right, wrong = (" ".join(s.sentences[-last:]) for s in (story, other))
    if right == wrong:
        return None
    answer = rng.choice("AB")
    a, b = (right, wrong) if answer == "A" else (wrong, right)
    start = " ".join(story.sentences[:-last])
    return ask(f"{say(rng, ENDING)}\n\n{start}\n\nA: {a}\nB: {b}", answer, WORD_ANSWER)


def continue_story(story, rng):
    first = rng.randint(1, max(1, len(story.sentences) // 2))
    start, rest = " ".join(story.sentences[:first]), " ".join(story.sentences[first:])
    return ask(say(rng, CONTINUE) + "\n\n" + start, rest, STORY)


def write(story, rng, mix):
    if rng.random() < mix.with_words:
        request, words = request_with_words(story, rng)
        if request:
            return ask(request, story.text, STORY, words if mix.stress else ())
    return ask(request_about(story, rng), story.text, STORY)


def read(story, rng):
    """A story given by the user, and one question about it or several in a row."""
    found = questions(story, rng)
    if not found:
        return None
    # the names are the harder half of the work; sad stories are few and must not be wasted
    share = {"characters": 5, "both": 1, "mood": 2, "who": 1, "name": 1}
    if story.names and len(story.names) > 1:
        share["characters"] = 10
    if story.mood() == "sad":
        share["mood"] = 12
    kinds = list(found)
    first = rng.choices(kinds, [share[k] for k in kinds])[0]
    if first == "mood" and story.mood() == "happy" and rng.random() < 0.3:
        return None
    question, answer, weight = found[first]
    turns = ask(joined(rng, question, story.text), answer, weight)
    return turns + more(found, first, rng, 0.15)


def more(found, asked, rng, chance):
    """Further questions about the story that the conversation is about."""
    turns = []
    rest = [kind for kind in found if kind != asked]
    rng.shuffle(rest)
    for kind in rest:
        if rng.random() < chance:
            turns += ask(*found[kind])
    return turns


def conversation(story, other, rng, mix):
    """One training example from a story; None where the story does not lend itself to it."""
    ways = [mix.raw, mix.write, mix.go_on, mix.read]
    way = rng.choices(("raw", "write", "go on", "read", "end"), ways + [1 - sum(ways)])[0]
    odd = mix.odd if way == "read" else 0.02  # strange names are for reading, not for writing
    if rng.random() < 0.65:
        story = story.renamed(rng, odd=odd)
    if story.names and rng.random() < 0.3:
        story = story.peopled(rng, odd=odd)
    if way == "raw":
        return [("raw", story.text, STORY, ())]
    if way == "write":
        turns = write(story, rng, mix)
        if rng.random() < 0.3:
            turns += more(questions(story, rng), None, rng, 0.5)
    elif way == "go on":
        turns = continue_story(story, rng)
    elif way == "read":
        turns = read(story, rng)
    else:
        turns = choose_ending(story, other, rng)
    if turns and rng.random() < 0.05:
        turns = [("system", rng.choice(SYSTEM), 0, ())] + turns
    return turns
