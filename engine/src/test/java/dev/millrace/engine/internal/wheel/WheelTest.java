package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.GenerationUsage;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.pipe.FakeModel;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WheelTest {
  private final Random random = new Random(5);

  private GenerationRequest request(int promptLength, int maxTokens) {
    return GenerationRequest.of(
            WheelHarness.prompt(random, promptLength), WheelHarness.warm(promptLength), maxTokens)
        .ignoringEnd();
  }

  /** The output of the request by the definition, past end tokens too. */
  private static int[] alone(GenerationRequest request) {
    return new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request).result().tokens();
  }

  @Test
  void impossibleRequestsAreRejectedWithAMessage() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(4));
    assertThatThrownBy(() -> harness.submit(request(128, 1)))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("prompt and prior tokens are 128, but context and cache hold 128");
    assertThatThrownBy(() -> harness.submit(request(120, 9).resumedFrom(new int[8])))
        .hasMessageContaining("are 128");
    assertThatThrownBy(
            () -> harness.submit(GenerationRequest.of(new int[] {3, 150}, Sampling.greedy(), 1)))
        .hasMessageContaining("prompt[1] is token 150; the vocabulary has tokens 0 to 149");
    assertThatThrownBy(() -> request(0, 1)).hasMessageContaining("no tokens");
    assertThatThrownBy(() -> request(1, 0)).hasMessageContaining("maxTokens is 0");
    assertThatThrownBy(() -> WheelHarness.SETTINGS.withRows(3, 3))
        .hasMessageContaining("maxRows is 3; it must be at least maxSequences");
    assertThat(harness.turn()).isFalse();
  }

  @Test
  void aFullContextEndsWithLength() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(4));
    GenerationResult result = harness.submitAndTurn(request(100, 1000)).result();
    assertThat(result.finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(result.tokens()).hasSize(28);
  }

  @Test
  void endTokensEndTheGenerationAndAreNotInTheResult() {
    Sampling likely = Sampling.builder().logitBias(java.util.Map.of(FakeModel.END, 100f)).build();
    GenerationRequest request = GenerationRequest.of(new int[] {3, 4}, likely, 5);
    RecordingListener recorded = new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request);
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.STOP);
    assertThat(recorded.result().tokens()).isEmpty();
    assertThat(recorded.tokens).isEmpty();
    RecordingListener ignoring =
        new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request.ignoringEnd());
    assertThat(ignoring.result().tokens()).containsExactly(1, 1, 1, 1, 1);
    assertThat(ignoring.result().finish()).isEqualTo(FinishReason.LENGTH);
  }

  @Test
  void stopStringsCutTheTextAndAreNamed() {
    GenerationRequest request = request(20, 40);
    String text = WheelHarness.spell(alone(request));
    String stop = text.substring(17, 20);
    int at = text.indexOf(stop);
    RecordingListener recorded =
        new WheelHarness(WheelHarness.SETTINGS)
            .submitAndTurn(request.withStops(List.of("#", stop)));
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.STOP);
    assertThat(recorded.result().stop()).isEqualTo(stop);
    assertThat(recorded.result().text())
        .isEqualTo(text.substring(0, at))
        .isEqualTo(recorded.text.toString());
    assertThat(recorded.result().tokens().length).isLessThan(40);
  }

  @Test
  void textHeldBackForAStopStringIsEmittedAtTheEnd() {
    GenerationRequest request = request(20, 12);
    String text = WheelHarness.spell(alone(request));
    RecordingListener recorded =
        new WheelHarness(WheelHarness.SETTINGS)
            .submitAndTurn(request.withStops(List.of(text.substring(9) + "#")));
    assertThat(recorded.result().rest()).isEqualTo(text.substring(9));
    assertThat(recorded.text).hasToString(text);
    assertThat(recorded.result().text()).isEqualTo(text);
  }

  @Test
  void aSequenceReleasedWithinAStopStringResumesElsewhere() {
    GenerationRequest request = request(20, 40);
    String text = WheelHarness.spell(alone(request));
    GenerationRequest stopped = request.withStops(List.of(text.substring(17, 23)));
    WheelHarness here = new WheelHarness(WheelHarness.SETTINGS);
    RecordingListener first = here.submit(stopped);
    while (first.tokens.size() < 20) {
      here.turn();
    }
    first.generation.release();
    here.turnAll();
    assertThat(first.result().finish()).isEqualTo(FinishReason.RELEASED);
    assertThat(first.result().tokens()).hasSize(20);
    RecordingListener second =
        new WheelHarness(WheelHarness.SETTINGS)
            .submitAndTurn(stopped.resumedFrom(first.result().tokens()));
    assertThat(second.result().finish()).isEqualTo(FinishReason.STOP);
    assertThat(second.result().text())
        .isEqualTo(text.substring(0, text.indexOf(text.substring(17, 23))));
    assertThat(first.text.toString() + second.text).isEqualTo(second.result().text());
  }

  @Test
  void logprobsComeWithEachTokenWhereAskedFor() {
    Sampling asked = WheelHarness.warm(1).toBuilder().logprobs(3).build();
    RecordingListener recorded =
        new WheelHarness(WheelHarness.SETTINGS)
            .submitAndTurn(GenerationRequest.of(new int[] {7, 8}, asked, 6).ignoringEnd());
    assertThat(recorded.logprobs).hasSize(6).allMatch(p -> p < 0 && p > -100);
    assertThat(new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request(3, 6)).logprobs)
        .isEmpty();
  }

  @Test
  void aCancelledSequenceEndsAtTheNextTurnAndFreesItsPages() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPrefixReuse(false));
    RecordingListener gone = harness.submit(request(70, 400));
    RecordingListener stays = harness.submit(request(40, 30));
    for (int i = 0; i < 5; i++) {
      harness.turn();
    }
    int recorded = gone.tokens.size();
    assertThat(recorded).isPositive();
    gone.generation.cancel();
    gone.generation.release();
    harness.turn();
    assertThat(gone.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(gone.tokens).hasSize(recorded);
    assertThat(harness.wheel.stats().pagesUsed()).isEqualTo(2);
    harness.turnAll();
    assertThat(stays.result().finish()).isEqualTo(FinishReason.LENGTH);
    gone.generation.cancel();
    assertThat(gone.result().finish()).isEqualTo(FinishReason.CANCELLED);
  }

  @Test
  void aWaitingSequenceCanBeCancelled() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    RecordingListener first = harness.submit(request(4, 10));
    RecordingListener second = harness.submit(request(4, 10));
    harness.turn();
    second.generation.cancel();
    harness.turn();
    assertThat(second.result().finish()).isEqualTo(FinishReason.CANCELLED);
    assertThat(first.generation.isDone()).isFalse();
    harness.turnAll();
    assertThat(first.result().tokens()).hasSize(10);
  }

  @Test
  void aListenerThatCancelsItsGenerationGetsNoMoreTokens() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    RecordingListener recorded = harness.submit(request(4, 100));
    recorded.onToken = () -> recorded.generation.cancel();
    harness.turnAll();
    assertThat(recorded.tokens).hasSize(1);
    assertThat(recorded.result().tokens()).hasSize(1);
  }

  @Test
  void aListenerThatThrowsFailsItsOwnSequenceAlone() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    GenerationRequest fine = request(50, 20);
    RecordingListener good = harness.submit(fine);
    RecordingListener bad = harness.submit(request(50, 20));
    bad.onToken =
        () -> {
          throw new IllegalStateException("disk full");
        };
    harness.turnAll();
    assertThat(bad.result().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(bad.result().reason()).isEqualTo("its listener threw: disk full");
    assertThat(good.result().tokens()).isEqualTo(alone(fine));
    assertThat(harness.wheel.stats().pagesUsed()).isZero();
  }

  @Test
  void aPrefixIsComputedOnceAndItsLastTokenAlways() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    int[] prompt = WheelHarness.prompt(random, 2 * KvPageSize.POSITIONS);
    GenerationRequest request = GenerationRequest.of(prompt, WheelHarness.warm(1), 1).ignoringEnd();
    assertThat(harness.submitAndTurn(request).result().usage().cachedTokens()).isZero();
    GenerationResult again = harness.submitAndTurn(request).result();
    assertThat(again.usage().cachedTokens()).isEqualTo(KvPageSize.POSITIONS);
    assertThat(again.usage().promptTokens()).isEqualTo(64);
    GenerationRequest longer =
        GenerationRequest.of(Arrays.copyOf(prompt, 65), WheelHarness.warm(1), 1).ignoringEnd();
    assertThat(harness.submitAndTurn(longer).result().usage().cachedTokens()).isEqualTo(64);
    assertThat(harness.wheel.stats().prefixHits()).isEqualTo(2);
  }

  @Test
  void aConversationContinuesFromItsGeneratedTokens() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    GenerationRequest first = request(40, 60);
    int[] answer = harness.submitAndTurn(first).result().tokens();
    int[] next = Arrays.copyOf(first.prompt(), 110);
    System.arraycopy(answer, 0, next, 40, 60);
    // 99 positions of the first are computed: three full pages
    GenerationResult second =
        harness.submitAndTurn(GenerationRequest.of(next, WheelHarness.warm(2), 3)).result();
    assertThat(second.usage().cachedTokens()).isEqualTo(96);
  }

  @Test
  void constraintsMaskTheChoiceAndEndTheSequence() {
    Constraint constraint =
        Constraint.compile(
            Grammar.gbnf("root ::= \"so\" (\"be\" | \"it\")+ \"x\""), WheelHarness.vocabulary());
    GenerationRequest request = request(10, 50).withConstraint(constraint);
    RecordingListener recorded = new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request);
    GenerationResult result = recorded.result();
    assertThat(result.finish()).isEqualTo(FinishReason.STOP);
    assertThat(result.text()).matches("so(be|it)+x");
    int[] prior = Arrays.copyOf(result.tokens(), 3);
    RecordingListener resumed =
        new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(request.resumedFrom(prior));
    assertThat(resumed.result().tokens()).isEqualTo(result.tokens());
    assertThatThrownBy(
            () ->
                new WheelHarness(WheelHarness.SETTINGS).submit(request.resumedFrom(new int[] {9})))
        .hasMessageContaining("token 9 is not allowed here");
  }

  @Test
  void aSequenceThatCannotBeDecodedFailsAlone() {
    Detokenizer mute =
        new Detokenizer() {
          @Override
          public String push(int token) {
            throw new IllegalStateException("no letter");
          }

          @Override
          public String flush() {
            return "";
          }
        };
    Iterator<Detokenizer> detokenizers = List.of(mute, WheelHarness.detokenizer()).iterator();
    var processor = PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), WheelHarness.MODEL.end());
    BatchLoop wheel =
        new BatchLoop(
            WheelHarness.SETTINGS,
            List.of(processor),
            WheelHarness.vocabulary(),
            shown -> detokenizers.next(),
            () -> 0,
            null);
    Generation bad = wheel.submit(request(10, 9), new RecordingListener());
    Generation good = wheel.submit(request(10, 9), new RecordingListener());
    while (wheel.turn()) {
      wheel.check();
    }
    assertThat(bad.result().orElseThrow().finish()).isEqualTo(FinishReason.FAILED);
    assertThat(bad.result().orElseThrow().reason()).isEqualTo("no letter");
    assertThat(good.result().orElseThrow().tokens()).hasSize(9);
  }

  @Test
  void timingsComeFromTheClockThatIsGiven() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    RecordingListener first = harness.submit(request(10, 5));
    RecordingListener second = harness.submit(request(10, 5));
    harness.now = 1000;
    harness.turn();
    harness.now = 5000;
    harness.turnAll();
    GenerationUsage usage = first.result().usage();
    assertThat(usage.waitNanos()).isEqualTo(1000);
    assertThat(usage.prefillNanos()).isBetween(1L, 10L);
    assertThat(usage.decodeNanos()).isBetween(3990L, 4010L);
    assertThat(second.result().usage().waitNanos()).isGreaterThan(4000);
  }

  @Test
  void aClosedWheelReleasesItsSequencesAndRejectsNewOnes() {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withSequences(1));
    RecordingListener running = harness.submit(request(10, 50));
    RecordingListener waiting = harness.submit(request(10, 50));
    harness.turn();
    harness.wheel.close();
    assertThat(harness.turn()).isFalse();
    assertThat(running.result().finish()).isEqualTo(FinishReason.RELEASED);
    assertThat(running.result().tokens()).hasSize(1);
    assertThat(waiting.result().finish()).isEqualTo(FinishReason.RELEASED);
    assertThat(waiting.result().reason()).isEqualTo("the wheel is closed");
    assertThatThrownBy(() -> harness.submit(request(1, 1))).hasMessageContaining("closed");
  }

  @Test
  void aSequenceThatIsCompleteByItsPriorTokensEndsAtOnce() {
    GenerationRequest request = request(10, 3);
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    RecordingListener recorded = harness.submitAndTurn(request.resumedFrom(new int[] {4, 6, 8}));
    assertThat(recorded.result().finish()).isEqualTo(FinishReason.LENGTH);
    assertThat(recorded.result().text()).isEqualTo("egi");
    assertThat(harness.wheel.stats().turns()).isZero();
    RecordingListener stopped =
        harness.submitAndTurn(request.withStops(List.of("g")).resumedFrom(new int[] {4, 6}));
    assertThat(stopped.result().finish()).isEqualTo(FinishReason.STOP);
    assertThat(stopped.result().text()).isEqualTo("e");
    assertThatThrownBy(
            () -> harness.submit(request.withStops(List.of("e")).resumedFrom(new int[] {4, 6})))
        .hasMessageContaining("continue after the generation was complete");
  }
}
