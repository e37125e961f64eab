"""A story, and what can be said about it with certainty: its people, its mood, its words."""

import re
from collections import Counter

import names

HAPPY = set(
    """happy happily smiled smiling smile laughed laughing fun proud love loved glad hugged hug joy
    excited cheered wonderful""".split()
)
SAD = set(
    """sad sadly cried cry crying tears lost hurt scared afraid alone lonely died dead angry broken
    broke sorry regretted worried gone upset missed disappointed ruined mad trouble
    wished""".split()
)
_GRAVE = set("sad sadly cried crying tears died dead lonely regretted ruined".split())
_HOPE = set(
    """good better best learned thank thanked thankful grateful forgave together okay friend friends
    play played help helped promised safe kind knew soon""".split()
)
_NOT_SAD = re.compile(
    r"(?:\bnot|n't|\bnever|no longer|\bstopped|\bwithout)(?: [a-z]+)? (?:%s)\b|"
    r"\b(?:%s)\b[^.!?]*\b(?:anymore|but|until)\b" % (("|".join(sorted(_GRAVE)),) * 2)
)
_KIN = set(
    """I Mom Mommy Mama Mum Mummy Mother Dad Daddy Papa Father Grandma Grandpa Granny Grandmother
    Grandfather Nana""".split()
)
_FAMILY = set("mom mommy mama mum mother dad daddy papa father grandma grandpa".split())
_FUNCTION = set(
    """the and was his her had that they with she for but not you one day time said there were are
    have what then when who can could would did all out him them this from very too about into some
    your their after while because just upon once lived named name little big see saw went got get
    asked told looked wanted want like liked felt thought started made make came come back around
    again away over down off inside outside every other more than its has how will let our where why
    yes now also still even never always each both many much another until before together really
    been being does took take found find put gave give new old good nice something everyone
    everything anything someone knew know tried try decided began things thing way went says say loved happy
    replied next day best most own lot bit few more moment""".split()
)
_CAPITAL = re.compile(r"\b[A-Z][a-z]+\b")
_WORD = re.compile(r"[a-z]+")
_SENTENCE = re.compile(r'(?<=[.!?])\s+(?=["A-Z])|(?<=[.!?]["\'])\s+(?=["A-Z])')
_ANIMALS = (
    "dog|cat|bird|bear|rabbit|bunny|fish|frog|mouse|duck|puppy|kitten|fox|squirrel|monkey|elephant|"
    "lion|horse|cow|pig|turtle|butterfly|fairy|wolf|owl|bee|spider"
)
KIND = re.compile(rf"\b(girl|boy|man|woman|{_ANIMALS}) (?:named|called) ([A-Z][a-z]+)\b")
_PARENTS = {"she": "mom|mommy|mother|mama|mum|mummy", "he": "dad|daddy|father|papa"}
_OWNER = r"(?:[Hh]er|[Hh]is|[Tt]heir|[Mm]y|[Yy]our|[Tt]he|[A-Z][a-z]+'s)"


def sentences(text):
    return _SENTENCE.split(text)


def tidy(text):
    """A story without stray spaces and without the words that only say it is over."""
    text = re.sub(r" *\n\s*", "\n", text.strip())
    return re.sub(r"\s+The end[.!]$", "", text)


def clean(text):
    """Whether a sampled story is whole: plain text, closed quotes, no sentence said twice."""
    if not 250 <= len(text) <= 1400 or not text.isascii() or text[-1] not in '.!?"':
        return False
    if text.count('"') % 2 or "  " in text or not text[0].isupper():
        return False
    long = [s for s in sentences(text) if len(s) > 25]
    return len(long) == len(set(long)) and len(sentences(text)) >= 5


def capitals(text):
    """Capitalised words, each with whether a sentence or a quotation begins there."""
    for match in _CAPITAL.finditer(text):
        before = text[: match.start()].rstrip(" ")
        yield match[0], not before or before[-1] in '.!?":\n'


class Lexicon:
    """What a sample of the stories tells about words: which are common, which are nouns."""

    def __init__(self, stories):
        lower, closing, in_stories, inside, opening = (Counter() for _ in range(5))
        for story in stories:
            for word, fresh in capitals(story):
                (opening if fresh else inside)[word] += 1
            words = re.findall(r"[a-z]+", re.sub(r"[A-Z][a-z]*", "#", story))
            lower.update(words)
            in_stories.update(set(words))
            closing.update(re.findall(r"\b(?:a|an|the|his|her|their|my) ([a-z]+)[.!?]", story))
        floor = max(2, len(stories) // 5000)
        self.lower = {word for word, count in lower.items() if count >= floor}
        # words that open sentences and are no names: they are never capitals elsewhere
        usual = {w for w, c in opening.items() if c > floor and inside[w] < 0.03 * c}
        self.lower |= {word.lower() for word in usual}
        usual = {w for w, c in in_stories.items() if c > floor * 2 and len(w) > 2} - _FUNCTION
        self.content = usual
        self.nouns = {w for w in usual if closing[w] > 0.02 * lower[w]}


def in_order(found, text):
    """Names in the order in which the text brings them up; one it has lost is left out."""
    places = {name: re.search(rf"\b{name}\b", text) for name in found}
    return sorted((n for n in found if places[n]), key=lambda name: places[name].start())


def _name_parent(text, kind, name):
    role = _PARENTS[kind]
    if re.search(rf"\b(?:an?|and|other|new) (?:{role})\b|(?:{role})s\b", text, re.I):
        return text  # more than one, or one of a kind: a name would not fit
    text = re.sub(rf"\b{_OWNER} (?:[a-z]+ )?(?:{role})\b", name, text)
    return re.sub(rf"\b(?:{role})\b", name, text, flags=re.I)


def _name_animal(text, name):
    known = {kind for kind, _ in KIND.findall(text)}
    for noun in _ANIMALS.split("|"):
        first = re.search(rf"\b(?:[Aa]n?|[Tt]he)(?: [a-z]+,?){{0,2}} {noun}\b(?!')", text)
        if first and noun not in known and len(re.findall(rf"\b[Tt]he {noun}\b", text)) >= 2:
            rest = re.sub(rf"\b[Tt]he {noun}\b", name, text[first.end() :])
            return text[: first.end()] + " named " + name + rest
    return text


class Story:
    """A story and what is certain about it."""

    def __init__(self, text, lexicon):
        self.text = text
        self.lexicon = lexicon
        self.sentences = sentences(text)
        self.names = self._names()  # None when some capitalised word is a riddle

    def _names(self):
        inside, opening = Counter(), Counter()
        for word, fresh in capitals(self.text):
            (opening if fresh else inside)[word] += 1
        found = set()
        for word in inside.keys() | opening.keys():
            if word in names.KNOWN and (inside[word] or word.lower() not in self.lexicon.lower):
                found.add(word)
            elif word not in _KIN and (inside[word] or word.lower() not in self.lexicon.lower):
                return None
        order = in_order(found, self.text)
        clash = any(a != b and a.startswith(b[:3]) for a in order for b in order)
        return None if clash else order

    def renamed(self, rng, pool=None, odd=0.0):
        """The same story with other names for its characters; odd is the share of made-up ones."""
        if not self.names:
            return self
        taken, to = set(_KIN), {}
        for name in self.names:
            kind = names.KNOWN[name]
            while True:
                if rng.random() < odd:
                    new = names.made_up(rng)
                else:
                    new = rng.choice((pool or names.TRAINING)[kind])
                if new not in taken and not any(new[:3] == other[:3] for other in taken):
                    break
            taken.add(new)
            to[name] = new
        return self.replaced(to)

    def peopled(self, rng, pool=None, odd=0.0):
        """The same story with names for one or two of its parents and animals, who had none."""
        text, added = self.text, list(self.names)
        for kind in rng.sample(("she", "he", "it", "it"), rng.choice((1, 2, 3))):
            name = rng.choice((pool or names.TRAINING)[kind])
            if rng.random() < odd:
                name = names.made_up(rng)
            if any(name[:3] == other[:3] for other in added):
                continue
            other = _name_animal(text, name) if kind == "it" else _name_parent(text, kind, name)
            if other != text:
                text = other
                added.append(name)
        if len(added) == len(self.names):
            return self
        copy = object.__new__(Story)
        copy.text, copy.lexicon, copy.sentences = text, self.lexicon, sentences(text)
        copy.names = in_order(added, text)
        return copy

    def replaced(self, to):
        copy = object.__new__(Story)
        swap = lambda text: _CAPITAL.sub(lambda m: to.get(m[0], m[0]), text)
        copy.text, copy.lexicon = swap(self.text), self.lexicon
        copy.sentences = [swap(s) for s in self.sentences]
        copy.names = [to.get(name, name) for name in self.names]
        return copy

    def mood(self):
        """happy or sad, by the words of the last three sentences; None unless they all agree."""
        end = " ".join(self.sentences[-3:]).lower()
        words = Counter(_WORD.findall(end))
        happy, sad = sum(words[w] for w in HAPPY), sum(words[w] for w in SAD)
        if happy >= 2 and sad == 0:
            return "happy"
        last = " ".join(self.sentences[-2:]).lower()
        words = set(_WORD.findall(last))
        if happy == 0 and words & _GRAVE and not words & _HOPE and not _NOT_SAD.search(last):
            return "sad"
        return None

    def hero(self):
        """The one name that comes first and is said most often, by far."""
        if not self.names:
            return None
        counts = [len(re.findall(rf"\b{name}\b", self.text)) for name in self.names]
        ahead = counts[0] >= 3 and all(counts[0] >= 2 * other for other in counts[1:])
        return self.names[0] if ahead else None

    def words(self, rng, count):
        """Words of the story that a user might ask for, nouns first of all."""
        present = sorted(set(re.findall(r"(?<![A-Za-z'])[a-z]+(?![a-z'])", self.text)))
        nouns = [w for w in present if w in self.lexicon.nouns]
        others = [w for w in present if w in self.lexicon.content and w not in self.lexicon.nouns]
        chosen = []
        while len(chosen) < count and (nouns or others):
            pool = nouns if nouns and (not others or rng.random() < 0.75) else others
            chosen.append(pool.pop(rng.randrange(len(pool))))
        return chosen

    def topic(self):
        """A noun that the story keeps coming back to."""
        nouns = self.lexicon.nouns - _FAMILY
        counts = Counter(w for w in _WORD.findall(self.text) if w in nouns)
        best = counts.most_common(1)
        return best[0][0] if best and best[0][1] >= 3 else None
