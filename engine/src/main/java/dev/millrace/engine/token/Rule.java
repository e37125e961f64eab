package dev.millrace.engine.token;

import java.util.List;

/**
 * A regular expression over code points, of the few forms that pre-tokenizers use: alternatives of
 * repeated character sets, an optional group, a negative look-ahead. The first alternative that
 * matches counts, repetitions are greedy and give back, as everywhere. Not java.util.regex, whose
 * classes differ from what tokenizers mean, and which recurses once per character in places: here
 * the recursion is as deep as an expression is long.
 */
final class Rule {

  /** A part of an alternative. */
  sealed interface Part {}

  /** Between {@code least} and {@code most} characters of a set. */
  record Repeat(CharSet set, int least, int most) implements Part {}

  /** Nothing, and no character of the set comes next. */
  record NotNext(CharSet set) implements Part {}

  /** One of several alternatives, or nothing if that is allowed. */
  record Group(List<Part[]> alternatives, boolean optional) implements Part {}

  private final Part[][] alternatives;

  private Rule(List<Part[]> alternatives) {
    this.alternatives = alternatives.toArray(new Part[0][]);
  }

  static Rule of(String expression) {
    return new Rule(new RuleParser(expression).parse());
  }

  /** Where the match that starts at {@code from} ends; -1 if none does. */
  int match(CodePoints text, int from, int to) {
    for (Part[] alternative : alternatives) {
      int end = match(alternative, 0, text, from, to);
      if (end >= 0) {
        return end;
      }
    }
    return -1;
  }

  /** Where a match of the parts from number {@code part} on ends, if it starts at {@code at}. */
  private static int match(Part[] parts, int part, CodePoints text, int at, int to) {
    if (part == parts.length) {
      return at;
    }
    return switch (parts[part]) {
      case Repeat repeat -> match(repeat, parts, part, text, at, to);
      case NotNext(CharSet set) ->
          at < to && set.contains(text, at) ? -1 : match(parts, part + 1, text, at, to);
      case Group group -> match(group, parts, part, text, at, to);
    };
  }

  private static int match(Repeat repeat, Part[] parts, int part, CodePoints text, int at, int to) {
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

  private static int match(Group group, Part[] parts, int part, CodePoints text, int at, int to) {
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
