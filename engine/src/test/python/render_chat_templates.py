#!/usr/bin/env python3
"""Renders every DIR/*.jinja with every context of contexts.json, as Hugging Face transformers does, into DIR/*.expected,
and every small template of language.json into language.expected.

    python3 engine/src/test/python/render_chat_templates.py [DIR]

DIR is engine/src/test/resources/chat/templates unless given. Needs Python 3.11 and jinja2 3.1.

The environment is that of transformers' `apply_chat_template`: an immutable sandbox with trim_blocks and lstrip_blocks, loop controls,
the `generation` tag, `tojson` as plain json.dumps, `raise_exception`, and `strftime_now`, whose clock stands still here.
"""
import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.ext
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2026, 2, 5, 9, 3, 7)
TOKENS = {"bos_token": "<|bos|>", "eos_token": "<|eos|>"}
RESOURCES = pathlib.Path(__file__).resolve().parent.parent / "resources" / "chat"


class Generation(jinja2.ext.Extension):
    """`{% generation %}`: marks what the model wrote; for a rendering it is a block like a call block."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


class Raised(jinja2.TemplateError):
    """What the template itself refused."""


def raise_exception(message):
    raise Raised(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: NOW.strftime(form)
    return env


def outcome(env, source, context):
    """'ok' and the text; 'raised' and the template's own message; or 'error' and the kind of jinja2's complaint."""
    try:
        return "ok", env.from_string(source).render(**context)
    except Raised as e:
        return "raised", str(e)
    except Exception as e:
        return "error", type(e).__name__ + ": " + str(e)


def contexts():
    data = json.loads((RESOURCES / "contexts.json").read_text(encoding="utf-8"))
    for name, context in data.items():
        if not name.startswith("$"):
            tools = data.get(context.get("tools"))
            yield name, {**context, "tools": tools, "documents": None, **TOKENS}


def write(out, name, result):
    kind, text = result
    out.write(f">>>>>>>> {name} {kind}\n{text}\n")


def language(env):
    """language.json: a context, and small templates by topic."""
    data = json.loads((RESOURCES / "language.json").read_text(encoding="utf-8"))
    context = data.pop("context")
    with open(RESOURCES / "language.expected", "w", encoding="utf-8", newline="") as out:
        for topic, sources in data.items():
            for number, source in enumerate(sources):
                write(out, f"{topic}/{number}", outcome(env, source, context))


def main():
    env = environment()
    language(env)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else RESOURCES / "templates"
    for file in sorted(folder.glob("*.jinja")):
        source = file.read_bytes().decode("utf-8")
        with open(file.with_suffix(".expected"), "w", encoding="utf-8", newline="") as out:
            for name, context in contexts():
                write(out, name, outcome(env, source, context))


if __name__ == "__main__":
    main()
