package dev.millrace.engine.internal.token.pretokenize;

import java.util.List;

/**
 * A regular expression over code points, of the few forms that pre-tokenizers use: alternatives of
 * repeated character sets, an optional group, a negative look-ahead. The first alternative that
 * matches counts; repetitions are greedy and backtrack, as usual. It replaces java.util.regex,
 * whose classes differ from those of tokenizers and which may recurse once per character: here the
 * recursion is as deep as an expression is long.
 */
final class SplitPattern {

  /** A part of an alternative. */
  sealed interface Part {}

  /** Between {@code least} and {@code most} characters of a set. */
  record Repeat(CharacterSet set, int least, int most) implements Part {}

  /** Matches the empty text if no character of the set comes next. */
  record NegativeLookahead(CharacterSet set) implements Part {}

  /** One of several alternatives, or nothing if that is allowed. */
  record Group(List<Part[]> alternatives, boolean optional) implements Part {}

  private final Part[][] alternatives;

  private SplitPattern(List<Part[]> alternatives) {
    this.alternatives = alternatives.toArray(new Part[0][]);
  }

  static SplitPattern of(String expression) {
    return new SplitPattern(new SplitPatternParser(expression).parse());
  }

  /** The end of the match that starts at {@code from}; -1 if none does. */
  int match(CodePointText text, int from, int to) {
    for (Part[] alternative : alternatives) {
      int end = match(alternative, 0, text, from, to);
      if (end >= 0) {
        return end;
      }
    }
    return -1;
  }

  /** The end of a match of the parts from index {@code part}, starting at {@code at}. */
  private static int match(Part[] parts, int part, CodePointText text, int at, int to) {
    if (part == parts.length) {
      return at;
    }
    return switch (parts[part]) {
      case Repeat repeat -> match(repeat, parts, part, text, at, to);
      case NegativeLookahead(CharacterSet set) ->
          at < to && set.contains(text, at) ? -1 : match(parts, part + 1, text, at, to);
      case Group group -> match(group, parts, part, text, at, to);
    };
  }

  private static int match(
      Repeat repeat, Part[] parts, int part, CodePointText text, int at, int to) {
    int most = (int) Math.min(to, (long) at + repeat.most);
    int end = at;
    while (end < most && repeat.set.contains(text, end)) {
      end++;
    }
    for (; end - at >= repeat.least; end--) {
      int result = match(parts, part + 1, text, end, to);
      if (result >= 0) {
        return result;
      }
    }
    return -1;
  }

  private static int match(
      Group group, Part[] parts, int part, CodePointText text, int at, int to) {
    for (Part[] alternative : group.alternatives) {
      int end = match(alternative, 0, text, at, to);
      int result = end < 0 ? -1 : match(parts, part + 1, text, end, to);
      if (result >= 0) {
        return result;
      }
    }
    return group.optional ? match(parts, part + 1, text, at, to) : -1;
  }
}
