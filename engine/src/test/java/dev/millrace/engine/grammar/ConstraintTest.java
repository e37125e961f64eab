package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.error.GrammarException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class ConstraintTest {

  private static List<String> allowed(Constraint.State state, TestVocabulary words) {
    return ConstraintReferenceTest.bits(state.allowed()).stream()
        .map(token -> token == TestVocabulary.END ? "END" : new String(words.bytes(token)))
        .toList();
  }

  @Test
  void endTokensAreAllowedExactlyWhereTheTextMayEndAndAloneWhereItMust() {
    TestVocabulary words = TestVocabulary.of("a", "b", "ab", "aa", "bb", "c");
    Constraint.State state =
        Constraint.compile(Grammar.gbnf("root ::= \"a\"+ \"b\"?"), words).start();
    assertThat(allowed(state, words)).containsExactly("a", "ab", "aa");
    assertThat(state.mayEnd()).isFalse();
    assertThat(state.accept(TestVocabulary.END)).isFalse();
    assertThat(state.accept(words.token("aa"))).isTrue();
    assertThat(allowed(state, words)).containsExactly("END", "a", "b", "ab", "aa");
    assertThat(state.mustEnd()).isFalse();
    assertThat(state.accept(words.token("b"))).isTrue();
    assertThat(allowed(state, words)).containsExactly("END");
    assertThat(state.mustEnd()).isTrue();
    assertThat(state.accept(words.token("a"))).isFalse();
  }

  @Test
  void nothingFollowsAnEndToken() {
    TestVocabulary words = TestVocabulary.of("a");
    Constraint.State state = Constraint.compile(Grammar.gbnf("root ::= \"a\"*"), words).start();
    assertThat(state.accept(TestVocabulary.END)).isTrue();
    assertThat(state.mustEnd()).isTrue();
    assertThat(allowed(state, words)).containsExactly("END");
    assertThat(state.accept(words.token("a"))).isFalse();
    state.reset();
    assertThat(allowed(state, words)).containsExactly("END", "a");
  }

  @Test
  void copiesAreIndependent() {
    TestVocabulary words = TestVocabulary.of("a", "b");
    Constraint.State state =
        Constraint.compile(Grammar.gbnf("root ::= \"a\" \"b\" | \"b\" \"a\""), words).start();
    Constraint.State copy = state.copy();
    assertThat(state.accept(words.token("a"))).isTrue();
    assertThat(allowed(copy, words)).containsExactly("a", "b");
    assertThat(allowed(state, words)).containsExactly("b");
  }

  @Test
  void tokensThatAreSpelledAlikeAreAllowedTogetherAndEmptyOnesNever() {
    TestVocabulary words = TestVocabulary.of("a", "", "a");
    Constraint.State state = Constraint.compile(Grammar.gbnf("root ::= \"a\""), words).start();
    assertThat(ConstraintReferenceTest.bits(state.allowed())).containsExactly(2, 4);
    assertThat(state.accept(3)).isFalse();
  }

  @Test
  void aByteThatNoTokenHasIsReported() {
    TestVocabulary words = TestVocabulary.of("a", "b");
    assertThatThrownBy(() -> Constraint.compile(Grammar.gbnf("root ::= \"a\" \"z\""), words))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("vocabulary cannot spell the grammar");
    // an alternative that the vocabulary cannot spell is not started
    Constraint.State state =
        Constraint.compile(Grammar.gbnf("root ::= \"a\" (\"b\" | \"é\") | \"bz\""), words).start();
    assertThat(allowed(state, words)).containsExactly("a");
    // every byte is in some token, but none begins with the one that is needed
    TestVocabulary stuck = TestVocabulary.of("a", "bc");
    Constraint.State other = Constraint.compile(Grammar.gbnf("root ::= \"ac\""), stuck).start();
    other.accept(stuck.token("a"));
    assertThatThrownBy(other::allowed)
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("no token of the vocabulary can follow");
  }

  @Test
  void aMaskThatCostsTooMuchIsRefusedWhateverIsCached() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 26 * 26 * 26; i++) {
      char[] letters = {(char) ('a' + i / 676), (char) ('a' + i / 26 % 26), (char) ('a' + i % 26)};
      texts.add(new String(letters));
    }
    TestVocabulary words = TestVocabulary.bytesAnd(texts.toArray(String[]::new));
    StringBuilder many = new StringBuilder("root ::= r0");
    StringBuilder rules = new StringBuilder("\n");
    for (int i = 0; i < 700; i++) {
      many.append(" | r").append(i);
      rules.append("r%d ::= [a-z]{30} \"%d\"\n".formatted(i, i));
    }
    Constraint.State costly =
        Constraint.compile(Grammar.gbnf(many.append(rules).toString()), words).start();
    assertThat(costly.accept(words.token("abc"))).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(costly::allowed)
          .isInstanceOf(GrammarException.class)
          .hasMessageContaining("too ambiguous");
    }
  }

  @Test
  void aStateSurvivesTheEndOfItsGenerationOfStacks() {
    TestVocabulary words = TestVocabulary.of("(", ")", "((", "x");
    Constraint constraint =
        Constraint.compile(Grammar.gbnf("root ::= \"(\" root \")\" | \"x\""), words);
    Constraint.State waiting = constraint.start();
    assertThat(waiting.accept(words.token("(("))).isTrue();
    Constraint.State deep = constraint.start();
    for (int i = 0; i < 80_000; i++) {
      assertThat(deep.accept(words.token("("))).isTrue();
      if (i % 1000 == 0) {
        assertThat(allowed(deep, words)).containsExactly("(", "((", "x");
      }
    }
    assertThat(deep.config.generation).isPositive();
    assertThat(waiting.config.generation).isZero();
    assertThat(waiting.accept(words.token("x"))).isTrue();
    assertThat(allowed(waiting, words)).containsExactly(")");
    waiting.accept(words.token(")"));
    waiting.accept(words.token(")"));
    assertThat(waiting.mustEnd()).isTrue();
  }

  @Test
  void severalThreadsGetTheMasksThatOneGets() throws Exception {
    Constraint shared = Constraint.compile(Grammar.json(), RandomJsonTexts.VOCABULARY);
    List<String> expected = walks(Constraint.compile(Grammar.json(), RandomJsonTexts.VOCABULARY));
    try (var pool = Executors.newFixedThreadPool(4)) {
      List<Callable<List<String>>> tasks = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        tasks.add(() -> walks(shared));
      }
      for (Future<List<String>> result : pool.invokeAll(tasks)) {
        assertThat(result.get()).isEqualTo(expected);
      }
    }
  }

  private static List<String> walks(Constraint constraint) {
    List<String> texts = new ArrayList<>();
    for (int seed = 0; seed < 30; seed++) {
      texts.add(new String(RandomJsonTexts.complete(constraint, new SplittableRandom(seed), 20)));
    }
    return texts;
  }
}
