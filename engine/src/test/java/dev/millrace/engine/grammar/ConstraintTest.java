package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

final class ConstraintTest {

  private static List<String> allowed(Constraint.State state, Words words) {
    return ConstraintOracleTest.bits(state.allowed()).stream()
        .map(token -> token == Words.END ? "END" : new String(words.bytes(token)))
        .toList();
  }

  @Test
  void endTokensAreAllowedExactlyWhereTheTextMayEndAndAloneWhereItMust() {
    Words words = Words.of("a", "b", "ab", "aa", "bb", "c");
    Constraint.State state =
        Constraint.compile(Grammar.gbnf("root ::= \"a\"+ \"b\"?"), words).start();
    assertThat(allowed(state, words)).containsExactly("a", "ab", "aa");
    assertThat(state.mayEnd()).isFalse();
    assertThat(state.accept(Words.END)).isFalse();
    assertThat(state.accept(words.token("aa"))).isTrue();
    assertThat(allowed(state, words)).containsExactly("END", "a", "b", "ab", "aa");
    assertThat(state.finished()).isFalse();
    assertThat(state.accept(words.token("b"))).isTrue();
    assertThat(allowed(state, words)).containsExactly("END");
    assertThat(state.finished()).isTrue();
    assertThat(state.accept(words.token("a"))).isFalse();
  }

  @Test
  void nothingFollowsAnEndToken() {
    Words words = Words.of("a");
    Constraint.State state = Constraint.compile(Grammar.gbnf("root ::= \"a\"*"), words).start();
    assertThat(state.accept(Words.END)).isTrue();
    assertThat(state.finished()).isTrue();
    assertThat(allowed(state, words)).containsExactly("END");
    assertThat(state.accept(words.token("a"))).isFalse();
    state.reset();
    assertThat(allowed(state, words)).containsExactly("END", "a");
  }

  @Test
  void copiesGoTheirOwnWay() {
    Words words = Words.of("a", "b");
    Constraint.State state =
        Constraint.compile(Grammar.gbnf("root ::= \"a\" \"b\" | \"b\" \"a\""), words).start();
    Constraint.State copy = state.copy();
    assertThat(state.accept(words.token("a"))).isTrue();
    assertThat(allowed(copy, words)).containsExactly("a", "b");
    assertThat(allowed(state, words)).containsExactly("b");
  }

  @Test
  void tokensThatAreSpelledAlikeAreAllowedTogetherAndEmptyOnesNever() {
    Words words = Words.of("a", "", "a");
    Constraint.State state = Constraint.compile(Grammar.gbnf("root ::= \"a\""), words).start();
    assertThat(ConstraintOracleTest.bits(state.allowed())).containsExactly(2, 4);
    assertThat(state.accept(3)).isFalse();
  }

  @Test
  void aByteThatNoTokenHasIsReported() {
    Words words = Words.of("a", "b");
    assertThatThrownBy(() -> Constraint.compile(Grammar.gbnf("root ::= \"a\" \"z\""), words))
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("vocabulary cannot spell the grammar");
    // an alternative that cannot be spelled is not begun
    Constraint.State state =
        Constraint.compile(Grammar.gbnf("root ::= \"a\" (\"b\" | \"é\") | \"bz\""), words).start();
    assertThat(allowed(state, words)).containsExactly("a");
    // every byte stands in some token, but none begins with the one that is needed
    Words stuck = Words.of("a", "bc");
    Constraint.State other = Constraint.compile(Grammar.gbnf("root ::= \"ac\""), stuck).start();
    other.accept(stuck.token("a"));
    assertThatThrownBy(other::allowed)
        .isInstanceOf(GrammarException.class)
        .hasMessageContaining("no token of the vocabulary can follow");
  }

  @Test
  void anOldGenerationOfStacksIsLeftWithoutLosingThePlace() {
    Words words = Words.of("(", ")", "((", "x");
    Constraint constraint =
        Constraint.compile(Grammar.gbnf("root ::= \"(\" root \")\" | \"x\""), words);
    Constraint.State waiting = constraint.start();
    assertThat(waiting.accept(words.token("(("))).isTrue();
    Constraint.State deep = constraint.start();
    for (int i = 0; i < 40_000; i++) {
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
    assertThat(waiting.finished()).isTrue();
  }

  @Test
  void severalThreadsGetTheMasksThatOneGets() throws Exception {
    Constraint shared = Constraint.compile(Grammar.json(), Walks.VOCABULARY);
    List<String> expected = walks(Constraint.compile(Grammar.json(), Walks.VOCABULARY));
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
      texts.add(new String(Walks.complete(constraint, new SplittableRandom(seed), 20)));
    }
    return texts;
  }
}
