package dev.millrace.engine.internal.token.pretokenize;

/**
 * One cut of a pre-tokenizer: cuts a piece of a text into smaller pieces. Later cuts never join
 * pieces again.
 */
@FunctionalInterface
interface TextSplitter {

  /** Adds the ends of the pieces between the two offsets; the last piece ends at {@code to}. */
  void split(CodePointText text, int from, int to, IntList ends);

  /** Cuts at the matches of a regular expression; the text between two matches is a piece too. */
  static TextSplitter by(String expression) {
    SplitPattern rule = SplitPattern.of(expression);
    return (text, from, to, ends) -> {
      int done = from;
      for (int at = from; at < to; ) {
        int end = rule.match(text, at, to);
        if (end <= at) {
          at++;
          continue;
        }
        if (at > done) {
          ends.add(at);
        }
        ends.add(end);
        done = end;
        at = end;
      }
      if (done < to) {
        ends.add(to);
      }
    };
  }

  /** Cuts off the spaces at the end: {@code \s+$}, found from behind in one pass. */
  static TextSplitter trailingSpace() {
    return (text, from, to, ends) -> {
      int end = to;
      while (end > from && text.kind(end - 1) == CharacterKind.SPACE) {
        end--;
      }
      if (end > from) {
        ends.add(end);
      }
      if (end < to) {
        ends.add(to);
      }
    };
  }

  /**
   * Cuts digits into groups of three from the right, as in 12,345,678. Text before the first group
   * stays with it.
   */
  static TextSplitter digitGroups() {
    return (text, from, to, ends) -> {
      int done = from;
      for (int at = from; at < to; ) {
        int digits = at;
        while (at < to && text.kind(at) == CharacterKind.NUMBER) {
          at++;
        }
        if (at > digits) {
          groups(digits, at, ends);
          done = at;
        } else {
          at++;
        }
      }
      if (done < to) {
        ends.add(to);
      }
    };
  }

  private static void groups(int from, int to, IntList ends) {
    int first = (to - from) % 3;
    for (int end = from + (first == 0 ? 3 : first); end <= to; end += 3) {
      ends.add(end);
    }
  }
}
