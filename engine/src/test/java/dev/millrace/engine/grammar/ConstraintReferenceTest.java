package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.error.GrammarException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Masks against plain recursion: every token of the vocabulary at every step of random walks. */
final class ConstraintReferenceTest {
  private static final int GRAMMARS = Boolean.getBoolean("millrace.proof") ? 8_000 : 250;

  @Test
  void masksAreExactlyTheTokensThatKeepAPrefixViable() {
    int compared = 0;
    int finished = 0;
    for (int seed = 0; seed < GRAMMARS; seed++) {
      RandomGrammars random = new RandomGrammars(seed);
      Grammar grammar = random.grammar();
      TestVocabulary vocabulary = random.vocabulary();
      Constraint constraint;
      try {
        constraint = Constraint.compile(grammar, vocabulary);
      } catch (GrammarException refused) {
        assertThat(refused).as("seed %d", seed).hasMessageContaining("vocabulary cannot spell");
        continue;
      }
      for (int walk = 0; walk < 2; walk++) {
        Walk result = walk(grammar, vocabulary, constraint, random, "seed " + seed);
        compared += result.compared;
        finished += result.finished ? 1 : 0;
      }
    }
    assertThat(compared).isGreaterThan(GRAMMARS * 50);
    assertThat(finished).isGreaterThan(GRAMMARS / 4);
  }

  private record Walk(int compared, boolean finished) {}

  private static Walk walk(
      Grammar grammar,
      TestVocabulary vocabulary,
      Constraint constraint,
      RandomGrammars random,
      String seed) {
    Constraint.State state = constraint.start();
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    List<Integer> accepted = new ArrayList<>();
    boolean complete = vocabulary.texts().size() >= 256;
    int compared = 0;
    for (int step = 0; step < 6; step++) {
      List<Integer> expected = expected(grammar, vocabulary, text.toByteArray());
      Supplier<String> place =
          () -> "%s %s after %s".formatted(seed, grammar.rules().rules(), text);
      List<Integer> actual;
      try {
        actual = bits(state.allowed());
      } catch (GrammarException stuck) {
        assertThat(complete).as(place).isFalse();
        break;
      }
      if (complete) {
        assertThat(actual).as(place).isEqualTo(expected);
      } else {
        // the reference matcher does not know that text is not viable if only bytes outside the
        // vocabulary could complete it
        assertThat(expected).as(place).containsAll(actual);
        expected = actual;
      }
      assertThat(state.mayEnd())
          .as(place)
          .isEqualTo(ReferenceGrammarMatcher.isMember(grammar, text.toByteArray()));
      compared += vocabulary.size();
      checkTokens(state, vocabulary, expected, place);
      List<Integer> texts = expected.stream().filter(token -> token != TestVocabulary.END).toList();
      if (texts.isEmpty()) {
        assertThat(state.accept(TestVocabulary.END)).as(place).isEqualTo(state.mayEnd());
        return new Walk(compared, true);
      }
      int token = texts.get(random.below(texts.size()));
      assertThat(state.accept(token)).isTrue();
      accepted.add(token);
      text.writeBytes(vocabulary.bytes(token));
    }
    Constraint.State replayed = constraint.start();
    accepted.forEach(token -> assertThat(replayed.accept(token)).isTrue());
    assertThat(replayed.mayEnd()).isEqualTo(state.mayEnd());
    assertThat(replayed.mustEnd()).isEqualTo(state.mustEnd());
    return new Walk(compared, false);
  }

  /** Accepting a token agrees with the mask, and a rejected one changes nothing. */
  private static void checkTokens(
      Constraint.State state,
      TestVocabulary vocabulary,
      List<Integer> expected,
      Supplier<String> place) {
    for (int token = 2; token < vocabulary.size(); token++) {
      if (state.copy().accept(token) != expected.contains(token)) {
        throw new AssertionError("%s accepting token %d".formatted(place.get(), token));
      }
    }
    assertThat(state.accept(0)).isFalse();
    assertThat(bits(state.allowed())).isEqualTo(expected);
  }

  private static List<Integer> expected(Grammar grammar, TestVocabulary vocabulary, byte[] text) {
    List<Integer> expected = new ArrayList<>();
    if (ReferenceGrammarMatcher.isMember(grammar, text)) {
      expected.add(TestVocabulary.END);
    }
    for (int token = 2; token < vocabulary.size(); token++) {
      byte[] more = vocabulary.bytes(token);
      byte[] all = java.util.Arrays.copyOf(text, text.length + more.length);
      System.arraycopy(more, 0, all, text.length, more.length);
      if (more.length > 0 && ReferenceGrammarMatcher.isViable(grammar, all)) {
        expected.add(token);
      }
    }
    return expected;
  }

  static List<Integer> bits(long[] mask) {
    return java.util.BitSet.valueOf(mask).stream().boxed().toList();
  }
}
