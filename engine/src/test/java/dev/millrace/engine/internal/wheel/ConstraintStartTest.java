package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.StopScope;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.pipe.FakeModel;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Constraints that begin after thoughts, or with a trigger, in generated text. */
class ConstraintStartTest {
  private final WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);

  private static GenerationRequest request(String gbnf, ConstraintStart start) {
    int[] prompt = WheelHarness.prompt(new Random(5), 20);
    return GenerationRequest.of(prompt, WheelHarness.warm(5), 200)
        .withConstraint(Constraint.compile(Grammar.gbnf(gbnf), WheelHarness.vocabulary()))
        .withConstraintStart(start);
  }

  private void checkResumes(GenerationRequest request, int[] tokens) {
    for (int count = 0; count < tokens.length; count++) {
      RecordingListener resumed =
          harness.submitAndTurn(request.resumedFrom(Arrays.copyOf(tokens, count)));
      assertThat(resumed.result().tokens()).as("resumed after %d", count).isEqualTo(tokens);
    }
  }

  @Test
  void thoughtsAreFreeAndTheAnswerIsNot() {
    ThoughtTags tags = new ThoughtTags("y", "z", true);
    GenerationRequest request =
        request("root ::= \"ab\" \"c\"", new ConstraintStart(tags, List.of()));
    RecordingListener recorded = harness.submitAndTurn(request);
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.STOP);
    assertThat(recorded.text.toString()).matches("[a-y]{2,}zabc");
    checkResumes(request, recorded.result().tokens());
  }

  @Test
  void aTriggerStartsTheConstraint() {
    GenerationRequest request =
        request("root ::= \"k\" \"ab\"", new ConstraintStart(null, List.of("k"))).ignoringEnd();
    RecordingListener recorded = harness.submitAndTurn(request);
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.STOP);
    assertThat(recorded.text.toString()).matches("[a-jl-z]{2,}kab");
    checkResumes(request, recorded.result().tokens());
  }

  /** The model writes every letter sooner or later, so that each of these texts would stop it. */
  @Test
  void stopStringsEndTheTextOfTheAnswerOnly() {
    ThoughtTags tags = new ThoughtTags("y", "z", true);
    GenerationRequest forced =
        request("root ::= \"ab\" \"c\"", new ConstraintStart(tags, List.of()));
    int[] whole = harness.submitAndTurn(forced).result().tokens();
    List<String> letters =
        "abcdefghijklmnopqrstuvwxy".chars().mapToObj(Character::toString).toList();
    GenerationRequest stopped = forced.withStops(letters);
    assertThat(harness.submitAndTurn(stopped).result().tokens()).hasSize(1);
    RecordingListener answer =
        harness.submitAndTurn(stopped.withStopScope(new StopScope(tags, List.of())));
    assertThat(answer.result().stop()).isEqualTo("a");
    assertThat(answer.result().text()).matches("[a-y]{2,}z");
    RecordingListener call =
        harness.submitAndTurn(
            stopped.withStops(List.of("c")).withStopScope(new StopScope(tags, List.of("ab"))));
    assertThat(call.result().stop()).isNull();
    assertThat(call.result().tokens()).isEqualTo(whole);
    checkResumes(
        stopped.withStopScope(new StopScope(tags, List.of("a"))), answer.result().tokens());
  }

  @Test
  void stopStringsDoNotCutACallThatTheModelHasBegun() {
    GenerationRequest request =
        request("root ::= \"k\" \"ab\"", new ConstraintStart(null, List.of("k"))).ignoringEnd();
    RecordingListener whole = harness.submitAndTurn(request);
    GenerationRequest stopped = request.withStops(List.of("kab"));
    assertThat(harness.submitAndTurn(stopped).result().stop()).isEqualTo("kab");
    GenerationRequest scoped = stopped.withStopScope(new StopScope(null, List.of("k")));
    RecordingListener recorded = harness.submitAndTurn(scoped);
    assertThat(recorded.result().stop()).isNull();
    assertThat(recorded.text.toString()).isEqualTo(whole.text.toString()).endsWith("kab");
    checkResumes(scoped, recorded.result().tokens());
  }

  @Test
  void priorTokensThatTheConstraintForbidsAreRefused() {
    ThoughtTags tags = new ThoughtTags("y", "z", true);
    GenerationRequest request = request("root ::= \"ab\"", new ConstraintStart(tags, List.of()));
    assertThatThrownBy(() -> harness.submit(request.resumedFrom(new int[] {4, FakeModel.END})))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("token 1 is not allowed here");
  }

  @Test
  void aShownTokenThatTheModelDoesNotHaveIsRefused() {
    GenerationRequest request =
        request("root ::= \"ab\"", ConstraintStart.AT_ONCE)
            .withShownTokens(Set.of(FakeModel.VOCABULARY));
    assertThatThrownBy(() -> harness.submit(request))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("shownTokens[0] is token 150");
  }
}
