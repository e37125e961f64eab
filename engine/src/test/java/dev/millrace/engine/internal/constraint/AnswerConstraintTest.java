package dev.millrace.engine.internal.constraint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.ConstraintCompiler;
import dev.millrace.engine.grammar.Grammar;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A constraint on the answer, which begins after the thoughts. */
class AnswerConstraintTest {
  private static final TaggedVocabulary VOCABULARY =
      new TaggedVocabulary(
          List.of("<ctl>", "[THINK]", "[/THINK]"),
          List.of(
              "<think>",
              "</think>",
              "<",
              "</",
              "think",
              ">",
              ">\n",
              ">a",
              "</think>a",
              "a",
              "b",
              "x",
              " ",
              "\n\n",
              "\nb"));
  private static final Grammar GRAMMAR = Grammar.gbnf("root ::= \"a\" \"b\"* | \"<x>\"");
  private static final Constraint CONSTRAINT = new ConstraintCompiler(VOCABULARY).compile(GRAMMAR);
  private final ConstraintTrackerFactory factory = new ConstraintTrackerFactory(VOCABULARY);

  private ConstraintTracker tracker(Constraint constraint, ThoughtTags tags, Set<Integer> shown) {
    return factory.create(
        GenerationRequest.of(new int[] {1}, Sampling.greedy(), 1)
            .withConstraint(constraint)
            .withConstraintStart(new ConstraintStart(tags, List.of()))
            .withShownTokens(shown));
  }

  private ConstraintTracker tracker(boolean opened, String... tokens) {
    ConstraintTracker tracker =
        tracker(CONSTRAINT, new ThoughtTags("<think>", "</think>", opened), Set.of());
    for (int token : VOCABULARY.ids(tokens)) {
      assertThat(tracker.accept(token)).as(Arrays.toString(tokens)).isTrue();
    }
    return tracker;
  }

  private static List<String> allowed(ConstraintTracker tracker) {
    return VOCABULARY.allowed(tracker.allowed());
  }

  @Test
  void withoutThoughtsItHoldsAtOnce() {
    ConstraintTracker tracker = tracker(CONSTRAINT, null, Set.of());
    Constraint.State plain = CONSTRAINT.start();
    assertThat(tracker.allowed()).isEqualTo(plain.allowed());
    for (int token : VOCABULARY.ids("a", "b", "b")) {
      assertThat(tracker.accept(token)).isEqualTo(plain.accept(token)).isTrue();
      assertThat(tracker.allowed()).isEqualTo(plain.allowed());
    }
    assertThat(tracker.accept(VOCABULARY.id("x"))).isFalse();
  }

  @Test
  void thoughtsAreFreeButMayNotEndNorRunIntoTheAnswer() {
    assertThat(allowed(tracker(true)))
        .contains("<ctl>", "x", "\n\n", "</think>", ">a")
        .doesNotContain("END", "</think>a");
    assertThat(allowed(tracker(true, "x", "</", "think")))
        .as("the tag could be closed with text behind it")
        .contains(">", ">\n", "x")
        .doesNotContain("END", ">a");
    assertThat(tracker(true).accept(TaggedVocabulary.END)).isFalse();
    assertThat(tracker(true).accept(VOCABULARY.id("</think>a"))).isFalse();
  }

  @Test
  void theAnswerBeginsAfterTheClosingTagHoweverItIsCut() {
    for (String[] thoughts :
        new String[][] {
          {"x", "</think>"},
          {"</", "think", ">"},
          {"x", "<", "</", "think", ">\n"},
          {"</", "</think>"}
        }) {
      ConstraintTracker tracker = tracker(true, thoughts);
      assertThat(allowed(tracker)).containsExactlyInAnyOrder("<", "a", " ", "\n\n");
      assertThat(tracker.accept(VOCABULARY.id("\n\n"))).isTrue();
      assertThat(tracker.accept(VOCABULARY.id("b"))).isFalse();
      assertThat(tracker.accept(VOCABULARY.id("a"))).isTrue();
      assertThat(allowed(tracker)).containsExactlyInAnyOrder("END", "b");
    }
  }

  @Test
  void whiteSpaceBeforeTheAnswerIsBounded() {
    ConstraintTracker tracker = tracker(true, "</think>", " ", " ", "\n\n", " ");
    assertThat(allowed(tracker)).containsExactlyInAnyOrder("<", "a");
    assertThat(tracker.accept(VOCABULARY.id(" "))).isFalse();
  }

  @Test
  void theModelMayOpenThoughtsWithItsFirstToken() {
    assertThat(allowed(tracker(false))).containsExactlyInAnyOrder("<think>", "<", "a");
    assertThat(allowed(tracker(false, "<think>"))).contains("x").doesNotContain("END");
    assertThat(allowed(tracker(false, "<think>", "x", "</think>"))).contains("a", "\n\n");
    assertThat(allowed(tracker(false, "a")))
        .as("the answer began")
        .containsExactlyInAnyOrder("END", "b");
    assertThat(tracker(false, "a").accept(VOCABULARY.id("<think>"))).isFalse();
  }

  @Test
  void aTagWithoutATokenIsSpelled() {
    ThoughtTags tags = new ThoughtTags("<x>", "</think>", false);
    ConstraintTracker tracker = tracker(CONSTRAINT, tags, Set.of());
    assertThat(allowed(tracker)).containsExactlyInAnyOrder("<", "a");
    assertThat(tracker.accept(VOCABULARY.id("<"))).isTrue();
    assertThat(tracker.accept(VOCABULARY.id("a"))).isFalse();
    assertThat(tracker.accept(VOCABULARY.id("x"))).isTrue();
    assertThat(allowed(tracker)).containsExactly(">");
    assertThat(tracker.accept(VOCABULARY.id(">"))).isTrue();
    assertThat(allowed(tracker)).as("thoughts, not the answer <x>").contains("x", "<ctl>");
  }

  @Test
  void tagsThatAreControlTokensMustBeShown() {
    ThoughtTags tags = new ThoughtTags("[THINK]", "[/THINK]", false);
    Set<Integer> shown = Set.of(VOCABULARY.id("[THINK]"), VOCABULARY.id("[/THINK]"));
    ConstraintTracker tracker = tracker(CONSTRAINT, tags, shown);
    assertThat(allowed(tracker)).containsExactlyInAnyOrder("[THINK]", "<", "a");
    for (int token : VOCABULARY.ids("[THINK]", "x", "[/THINK]")) {
      assertThat(tracker.accept(token)).isTrue();
    }
    assertThat(allowed(tracker)).contains("a").doesNotContain("x");
    assertThat(allowed(tracker(CONSTRAINT, tags, Set.of()))).containsExactlyInAnyOrder("<", "a");
  }

  @Test
  void aConstraintUsesTheControlTokensThatItWasCompiledWith() {
    Grammar grammar = Grammar.gbnf("root ::= \"<ctl>\" \"a\"");
    int control = VOCABULARY.id("<ctl>");
    Constraint constraint = new ConstraintCompiler(VOCABULARY).compile(grammar, Set.of(control));
    ConstraintTracker tracker = tracker(constraint, null, Set.of(control));
    assertThat(allowed(tracker)).containsExactly("<ctl>", "<");
    assertThat(tracker.accept(control)).isTrue();
    assertThat(allowed(tracker)).containsExactly("a");
    assertThatThrownBy(() -> tracker(constraint, null, Set.of()))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("control token " + control);
  }

  @Test
  void resumingAtEveryPositionGivesTheSameMasks() {
    int[] tokens =
        VOCABULARY.ids("<think>", "x", "<", "</", "think", ">\n", " ", "\n\n", "a", "b", "b");
    ConstraintTracker whole = tracker(false);
    for (int count = 0; count <= tokens.length; count++) {
      ConstraintTracker resumed = tracker(false);
      for (int i = 0; i < count; i++) {
        assertThat(resumed.accept(tokens[i])).isTrue();
      }
      assertThat(resumed.allowed()).as("after %d tokens", count).isEqualTo(whole.allowed());
      assertThat(resumed.mustEnd()).isEqualTo(whole.mustEnd());
      assertThat(count == tokens.length || whole.accept(tokens[count])).isTrue();
    }
  }
}
