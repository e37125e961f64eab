package dev.millrace.engine.internal.token.pretokenize;

import java.util.ArrayList;
import java.util.List;

/**
 * Parses the expressions of {@link PreTokenizer}. They are part of the code: an error in one is a
 * bug.
 */
final class SplitPatternParser {
  private static final int UNBOUNDED = Integer.MAX_VALUE;

  private final int[] expression;
  private int at;

  SplitPatternParser(String expression) {
    this.expression = expression.codePoints().toArray();
  }

  List<SplitPattern.Part[]> parse() {
    List<SplitPattern.Part[]> alternatives = alternatives();
    if (at < expression.length) {
      throw wrong("an unopened group ends");
    }
    return alternatives;
  }

  private List<SplitPattern.Part[]> alternatives() {
    List<SplitPattern.Part[]> alternatives = new ArrayList<>();
    do {
      List<SplitPattern.Part> parts = new ArrayList<>();
      while (at < expression.length && expression[at] != '|' && expression[at] != ')') {
        parts.add(part());
      }
      alternatives.add(parts.toArray(new SplitPattern.Part[0]));
    } while (skip("|"));
    return alternatives;
  }

  private SplitPattern.Part part() {
    if (skip("(?!")) {
      CharacterSet set = set();
      expect(")");
      return new SplitPattern.NegativeLookahead(set);
    }
    if (skip("(?:")) {
      List<SplitPattern.Part[]> alternatives = alternatives();
      expect(")");
      return new SplitPattern.Group(alternatives, skip("?"));
    }
    return repeat(set());
  }

  private SplitPattern.Part repeat(CharacterSet set) {
    if (skip("?")) {
      return new SplitPattern.Repeat(set, 0, 1);
    } else if (skip("*")) {
      return new SplitPattern.Repeat(set, 0, UNBOUNDED);
    } else if (skip("+")) {
      return new SplitPattern.Repeat(set, 1, UNBOUNDED);
    } else if (skip("{")) {
      int least = number();
      int most = skip(",") ? number() : least;
      expect("}");
      return new SplitPattern.Repeat(set, least, most);
    }
    return new SplitPattern.Repeat(set, 1, 1);
  }

  /** One character, an escape, or a class: {@code [abc-e]}, {@code [^a]}, {@code [a&&[^b]]}. */
  private CharacterSet set() {
    CharacterSet.Builder builder = new CharacterSet.Builder();
    if (!skip("[")) {
      element(builder);
      return builder.build(null);
    }
    if (skip("^")) {
      builder.negate();
    }
    CharacterSet except = null;
    while (!skip("]")) {
      if (skip("&&[^")) {
        CharacterSet.Builder other = new CharacterSet.Builder();
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

  private void element(CharacterSet.Builder builder) {
    if (skip("\\p{")) {
      property(builder);
    } else if (skip("\\s")) {
      builder.add(CharacterKind.SPACE);
    } else if (skip("\\S")) {
      builder.add(CharacterKind.SPACE).negate();
    } else {
      int first = character();
      builder.add(first, skip("-") ? character() : first);
    }
  }

  private void property(CharacterSet.Builder builder) {
    int start = at;
    while (expression[at] != '}') {
      at++;
    }
    String name = new String(expression, start, at++ - start);
    switch (name) {
      case "L" -> builder.add(CharacterKind.LETTER);
      case "M" -> builder.add(CharacterKind.MARK);
      case "N" -> builder.add(CharacterKind.NUMBER);
      case "P" -> builder.add(CharacterKind.PUNCTUATION);
      case "S" -> builder.add(CharacterKind.SYMBOL);
      case "Han" -> han(builder);
      default -> throw wrong("unknown property " + name);
    }
  }

  /** The blocks that llama.cpp counts as Han. */
  private static void han(CharacterSet.Builder builder) {
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
