// Where text stops being JSON, and why. The browser's own words differ, and often leave the place out.

const LITERALS = ["true", "false", "null"];
const NUMBER = /-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"([^"\\\u0000-\u001f]|\\(["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;

class JsonReader {
  at = 0;

  constructor(text) {
    this.text = text;
  }

  /** Reads one value and what is around it; throws { at, message } where that is not possible. */
  document() {
    this.value();
    if (this.at < this.text.length) {
      this.fail("nothing more is expected here");
    }
  }

  value() {
    this.match(SPACE);
    const first = this.text[this.at];
    if (first === "{") {
      this.list("}", "a name in double quotes", () => this.member());
    } else if (first === "[") {
      this.list("]", "a value", () => this.value());
    } else if (first === '"') {
      this.string();
    } else if (!this.literal() && !this.match(NUMBER)) {
      this.fail(first === "'" ? "texts have double quotes" : "a value is missing");
    }
    this.match(SPACE);
  }

  list(end, what, read) {
    this.at++;
    this.match(SPACE);
    if (this.text[this.at] === end) {
      this.at++;
      return;
    }
    for (;;) {
      this.match(SPACE);
      if (this.text[this.at] === end) {
        this.fail(`${what} is missing after the comma`);
      }
      read();
      if (this.text[this.at] === end) {
        this.at++;
        return;
      }
      if (this.text[this.at] !== ",") {
        this.fail(`a comma or ${end} is missing`);
      }
      this.at++;
    }
  }

  member() {
    if (this.text[this.at] !== '"') {
      this.fail("a name in double quotes is missing");
    }
    this.string();
    this.match(SPACE);
    if (this.text[this.at] !== ":") {
      this.fail("a colon is missing after the name");
    }
    this.at++;
    this.value();
  }

  string() {
    if (!this.match(STRING)) {
      this.fail("this text does not end on its line, or has an escape that JSON does not know");
    }
  }

  literal() {
    const found = LITERALS.find((word) => this.text.startsWith(word, this.at));
    this.at += found?.length ?? 0;
    return found !== undefined;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    this.at += found?.[0].length ?? 0;
    return found !== null;
  }

  fail(message) {
    throw { at: this.at, message };
  }
}

/** "line 3, column 12: a comma or ] is missing", for text that JSON.parse refused; `failure` is what it threw. */
export function jsonError(failure, text) {
  try {
    new JsonReader(text).document();
  } catch (found) {
    if (typeof found.at === "number") {
      const before = text.slice(0, found.at).split("\n");
      return `line ${before.length}, column ${before.at(-1).length + 1}: ${found.message}`;
    }
  }
  return failure.message; // such as nesting that is too deep for this reader
}
