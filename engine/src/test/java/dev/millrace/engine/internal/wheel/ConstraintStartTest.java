package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.ConstraintStart;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.GenerationRequest;
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
