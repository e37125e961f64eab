package dev.millrace.engine.grammar;

import dev.millrace.engine.internal.grammar.automaton.StackFrames;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;

/** Random texts of a constraint over JSON: random at first, then straight to the end. */
public final class RandomJsonTexts {
  public static final TestVocabulary VOCABULARY =
      TestVocabulary.bytesAnd(
          "\"", "\":", "\": ", "\",", "\", \"", "\"}", "\"]", "{\"", "[\"", "},{", "true", "null",
          "false", "name", "value", "more", "ab", " a", "-1", "12", "é", "愛", "\\\"", "\\n",
          "\\u00", "0.", "]}", "}}", "1,", "2020", "-02-", "abc def");

  private RandomJsonTexts() {}

  /** A complete text: that many random tokens, then a short way to an end. */
  public static byte[] complete(Constraint constraint, SplittableRandom random, int free) {
    Constraint.State state = constraint.start();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int step = 0; step < free && !state.mustEnd(); step++) {
      List<Integer> allowed = ConstraintReferenceTest.bits(state.allowed());
      int token = pick(allowed, random);
      if (!state.accept(token)) {
        throw new AssertionError("refuses token %d that it allows after %s".formatted(token, text));
      }
      text.writeBytes(VOCABULARY.bytes(token));
    }
    text.writeBytes(end(state));
    return text.toByteArray();
  }

  private record Way(Constraint.State state, byte[] text) {
    /**
     * Short texts first, but above all those with few open calls: else all nestings would be tried.
     */
    int cost() {
      return text.length
          + 50 * Arrays.stream(state.config.stacks).mapToInt(Way::depth).min().orElse(0);
    }

    private static int depth(StackFrames stack) {
      int depth = 0;
      for (StackFrames at = stack; at.frames().length > 0; at = at.frames()[0].below()) {
        depth++;
      }
      return depth;
    }
  }

  private static byte[] end(Constraint.State from) {
    PriorityQueue<Way> ways = new PriorityQueue<>(Comparator.comparingInt(Way::cost));
    ways.add(new Way(from, new byte[0]));
    Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    while (!ways.isEmpty()) {
      Way way = ways.remove();
      if (way.state.mayEnd()) {
        return way.text;
      }
      for (int b = 0; b < 256; b++) {
        Constraint.State next = way.state.copy();
        if (next.accept(b + 2) && seen.add(next.config)) {
          byte[] text = Arrays.copyOf(way.text, way.text.length + 1);
          text[way.text.length] = (byte) b;
          ways.add(new Way(next, text));
        }
      }
    }
    throw new AssertionError("no end can be reached");
  }

  private static int pick(List<Integer> allowed, SplittableRandom random) {
    List<Integer> texts = allowed.stream().filter(token -> token != TestVocabulary.END).toList();
    // half of the time a token of several bytes, if there is any
    List<Integer> longer = texts.stream().filter(token -> token >= 258).toList();
    List<Integer> from = longer.isEmpty() || random.nextBoolean() ? texts : longer;
    return from.get(random.nextInt(from.size()));
  }
}
