package dev.millrace.engine;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The output of a request.
 *
 * @param logits a digest of all bits of the logits from which each token was chosen
 */
record LogitsTrace(int[] tokens, long[] logits) {
  /**
   * The index of the first token or logits that differ from another trace, which may be longer; -1
   * if there are none.
   */
  int firstDifference(LogitsTrace longer) {
    for (int i = 0; i < tokens.length; i++) {
      if (i >= longer.tokens.length
          || tokens[i] != longer.tokens[i]
          || logits[i] != longer.logits[i]) {
        return i;
      }
    }
    return -1;
  }

  String write() {
    return IntStream.range(0, tokens.length)
        .mapToObj(i -> tokens[i] + ":" + Long.toHexString(logits[i]))
        .collect(Collectors.joining(","));
  }

  static LogitsTrace read(String text) {
    String[] steps = text.split(",");
    int[] tokens =
        Arrays.stream(steps)
            .mapToInt(s -> Integer.parseInt(s.substring(0, s.indexOf(':'))))
            .toArray();
    long[] logits =
        Arrays.stream(steps)
            .mapToLong(s -> Long.parseUnsignedLong(s.substring(s.indexOf(':') + 1), 16))
            .toArray();
    return new LogitsTrace(tokens, logits);
  }
}
