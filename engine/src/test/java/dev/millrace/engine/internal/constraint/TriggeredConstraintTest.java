package dev.millrace.engine.internal.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.ConstraintCompiler;
import dev.millrace.engine.grammar.Grammar;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A constraint that begins with a trigger in a free answer. */
class TriggeredConstraintTest {
  private static final TaggedVocabulary VOCABULARY =
      new TaggedVocabulary(
          List.of("<ctl>"),
          List.of(
              "<think>",
              "</think>",
              "<call>",
              "<",
              "<c",
              "call",
              ">",
              "x<call>1",
              "<call>x",
              "1",
              "2",
              "x",
              "</call>",
              "<call",
              "</think><call>",
              " "));
  private static final Constraint CONSTRAINT =
      new ConstraintCompiler(VOCABULARY)
          .compile(Grammar.gbnf("root ::= \"<call>\" [12]+ \"</call>\""));
  private static final ThoughtTags TAGS = new ThoughtTags("<think>", "</think>", false);
  private static final ThoughtTags OPENED = new ThoughtTags("<think>", "</think>", true);

  private static ConstraintTracker tracker(
      @Nullable ThoughtTags tags, List<String> triggers, String... tokens) {
    ConstraintTracker tracker =
        new ConstraintTrackerFactory(VOCABULARY)
            .create(
                GenerationRequest.of(new int[] {1}, Sampling.greedy(), 1)
                    .withConstraint(CONSTRAINT)
                    .withConstraintStart(new ConstraintStart(tags, triggers))
                    .withShownTokens(Set.of()));
    for (int token : VOCABULARY.ids(tokens)) {
      assertThat(tracker.accept(token)).isTrue();
    }
    return tracker;
  }

  private static void isConstrained(@Nullable ThoughtTags tags, String... tokens) {
    ConstraintTracker tracker = tracker(tags, List.of("<call>"), tokens);
    assertThat(tracker.allowed()).isNotNull();
    assertThat(VOCABULARY.allowed(tracker.allowed())).contains("1", "2").doesNotContain("x", "END");
    assertThat(tracker.accept(VOCABULARY.id("x"))).isFalse();
    assertThat(tracker.accept(TaggedVocabulary.END)).isFalse();
    assertThat(tracker.accept(VOCABULARY.id("2"))).isTrue();
    assertThat(tracker.accept(VOCABULARY.id("</call>"))).isTrue();
    assertThat(tracker.mustEnd()).isTrue();
  }

  private static void isFree(@Nullable ThoughtTags tags, String... tokens) {
    ConstraintTracker tracker = tracker(tags, List.of("<call>"), tokens);
    assertThat(tracker.allowed()).as("no mask").isNull();
    assertThat(tracker.mustEnd()).isFalse();
    assertThat(tracker.accept(TaggedVocabulary.END)).isTrue();
  }

  @Test
  void theAnswerIsFreeUntilATriggerHoweverThatIsCut() {
    isFree(null);
    isFree(null, "x", "1", "</call>");
    isFree(null, "x", "<", "call");
    isConstrained(null, "<call>");
    isConstrained(null, "x", "<", "call", ">");
    isConstrained(null, "<", "<", "call", ">");
    isConstrained(null, "x<call>1");
  }

  @Test
  void aTriggerThatTheConstraintRefusesLeavesTheAnswerFree() {
    isFree(null, "<call>x");
    isFree(null, "<call", "call", ">");
    isConstrained(null, "<call>x", "<call>");
  }

  @Test
  void triggersInThoughtsCountForNothing() {
    isFree(OPENED, "x", "<call>", "1");
    isFree(TAGS, "<think>", "<call>", "x");
    isFree(TAGS, " ", "<think>", "<call>", "x");
    isConstrained(OPENED, "<call>", "</think>", " ", "<call>");
    isConstrained(OPENED, "x", "</think><call>");
    isConstrained(TAGS, "<think>", "x", "</think>", "x", "<call>", "1");
  }

  @Test
  void anAnswerMayBeginLikeTheOpeningTag() {
    isConstrained(TAGS, "<call>");
    isConstrained(TAGS, "<", "call", ">");
    isFree(TAGS, "<", "x");
    isFree(TAGS, "x", "<think>", "x");
    isConstrained(TAGS, "x", "<think>", "<call>");
  }

  @Test
  void theLongestOfSeveralTriggersIsTriedFirst() {
    ConstraintTracker tracker = tracker(null, List.of(">", "2", "<call>"), "2", ">", "x");
    assertThat(tracker.allowed()).as("the grammar begins with neither").isNull();
    assertThat(tracker.accept(VOCABULARY.id("<call>"))).isTrue();
    assertThat(tracker.allowed()).isNotNull();
  }

  @Test
  void resumingAtEveryPositionGivesTheSameMasks() {
    int[] tokens =
        VOCABULARY.ids("<think>", "<call>", "</think>", "x", "<", "<c", "<", "call", ">", "1", "2");
    ConstraintTracker whole = tracker(TAGS, List.of("<call>"));
    for (int count = 0; count <= tokens.length; count++) {
      ConstraintTracker resumed = tracker(TAGS, List.of("<call>"));
      for (int i = 0; i < count; i++) {
        assertThat(resumed.accept(tokens[i])).isTrue();
      }
      assertThat(resumed.allowed()).as("after %d tokens", count).isEqualTo(whole.allowed());
      assertThat(count == tokens.length || whole.accept(tokens[count])).isTrue();
    }
  }
}
