package dev.millrace.engine.grammar;

import java.util.List;
import java.util.SplittableRandom;

/** Changes a text a little, mostly so that it grows or repeats itself. */
final class TextMutator {
  private static final int LONGEST = 4000;

  private final SplittableRandom random;
  private final List<String> words;

  TextMutator(SplittableRandom random, List<String> words) {
    this.random = random;
    this.words = words;
  }

  String mutate(String text) {
    String next = text;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      next = once(next);
    }
    return next.length() > LONGEST ? text : next;
  }

  private String once(String text) {
    int from = random.nextInt(text.length() + 1);
    int to = from + random.nextInt(Math.min(40, text.length() - from) + 1);
    String part = text.substring(from, to);
    String word = words.get(random.nextInt(words.size()));
    return switch (random.nextInt(6)) {
      case 0 -> text.substring(0, from) + word + text.substring(from);
      case 1 -> text.substring(0, from) + word + text.substring(to);
      case 2 -> text.substring(0, from) + part + part + text.substring(to);
      case 3 -> text.substring(0, from) + "(" + part + ")" + word + text.substring(to);
      case 4 -> {
        int other = random.nextInt(text.length() + 1);
        yield text.substring(0, other) + part + text.substring(other);
      }
      default -> text.substring(0, from) + text.substring(to);
    };
  }
}
