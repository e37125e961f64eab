package dev.millrace.engine.token;

import java.util.ArrayList;
import java.util.List;

/** Reads the expressions of {@link PreTokenizer}. They are ours: a mistake in one is a defect. */
final class RuleParser {
  private static final int UNBOUNDED = Integer.MAX_VALUE;

  private final int[] expression;
  private int at;

  RuleParser(String expression) {
    this.expression = expression.codePoints().toArray();
  }

  List<Rule.Part[]> parse() {
    List<Rule.Part[]> alternatives = alternatives();
    if (at < expression.length) {
      throw wrong("an unopened group ends");
    }
    return alternatives;
  }

  private List<Rule.Part[]> alternatives() {
    List<Rule.Part[]> alternatives = new ArrayList<>();
    do {
      List<Rule.Part> parts = new ArrayList<>();
      while (at < expression.length && expression[at] != '|' && expression[at] != ')') {
        parts.add(part());
      }
      alternatives.add(parts.toArray(new Rule.Part[0]));
    } while (skip("|"));
    return alternatives;
  }

  private Rule.Part part() {
    if (skip("(?!")) {
      CharSet set = set();
      expect(")");
      return new Rule.NotNext(set);
    }
    if (skip("(?:")) {
      List<Rule.Part[]> alternatives = alternatives();
      expect(")");
      return new Rule.Group(alternatives, skip("?"));
    }
    return repeat(set());
  }

  private Rule.Part repeat(CharSet set) {
    if (skip("?")) {
      return new Rule.Repeat(set, 0, 1);
    } else if (skip("*")) {
      return new Rule.Repeat(set, 0, UNBOUNDED);
    } else if (skip("+")) {
      return new Rule.Repeat(set, 1, UNBOUNDED);
    } else if (skip("{")) {
      int least = number();
      int most = skip(",") ? number() : least;
      expect("}");
      return new Rule.Repeat(set, least, most);
    }
    return new Rule.Repeat(set, 1, 1);
  }

  /** One character, an escape, or a class: {@code [abc-e]}, {@code [^a]}, {@code [a&&[^b]]}. */
  private CharSet set() {
    CharSet.Builder builder = new CharSet.Builder();
    if (!skip("[")) {
      element(builder);
      return builder.build(null);
    }
    if (skip("^")) {
      builder.negate();
    }
    CharSet except = null;
    while (!skip("]")) {
      if (skip("&&[^")) {
        CharSet.Builder other = new CharSet.Builder();
        while (!skip("]")) {
          element(other);
        }
        except = other.build(null);
      } else {
        element(builder);
      }
    }
    return builder.build(except);
  }

  private void element(CharSet.Builder builder) {
    if (skip("\\p{")) {
      property(builder);
    } else if (skip("\\s")) {
      builder.add(CharKind.SPACE);
    } else if (skip("\\S")) {
      builder.add(CharKind.SPACE).negate();
    } else {
      int first = character();
      builder.add(first, skip("-") ? character() : first);
    }
  }

  private void property(CharSet.Builder builder) {
    int start = at;
    while (expression[at] != '}') {
      at++;
    }
    String name = new String(expression, start, at++ - start);
    switch (name) {
      case "L" -> builder.add(CharKind.LETTER);
      case "M" -> builder.add(CharKind.MARK);
      case "N" -> builder.add(CharKind.NUMBER);
      case "P" -> builder.add(CharKind.PUNCTUATION);
      case "S" -> builder.add(CharKind.SYMBOL);
      case "Han" -> han(builder);
      default -> throw wrong("unknown property " + name);
    }
  }

  /** The blocks that llama.cpp counts as Han. */
  private static void han(CharSet.Builder builder) {
    builder.add(0x3400, 0x4DBF).add(0x4E00, 0x9FFF).add(0xF900, 0xFAFF);
    builder.add(0x20000, 0x2A6DF).add(0x2A700, 0x2EBEF).add(0x2F800, 0x2FA1F);
  }

  private int character() {
    if (!skip("\\")) {
      return expression[at++];
    }
    int escaped = expression[at++];
    return switch (escaped) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> escaped;
    };
  }

  private int number() {
    int number = 0;
    for (; Character.isDigit(expression[at]); at++) {
      number = number * 10 + expression[at] - '0';
    }
    return number;
  }

  private boolean skip(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (at + i >= expression.length || expression[at + i] != text.charAt(i)) {
        return false;
      }
    }
    at += text.length();
    return true;
  }

  private void expect(String text) {
    if (!skip(text)) {
      throw wrong(text + " is missing");
    }
  }

  private IllegalArgumentException wrong(String what) {
    String text = new String(expression, 0, expression.length);
    return new IllegalArgumentException(what + " at " + at + " of " + text);
  }
}
