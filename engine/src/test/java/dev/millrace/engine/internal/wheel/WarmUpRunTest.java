package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.api.WarmUp;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a warm-up ends, and that it leaves the scheduler as it was. Time passes by reading it. */
class WarmUpRunTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final WheelSettings SETTINGS = WheelHarness.SETTINGS;

  private final List<BatchLoop> scratches = new ArrayList<>();
  private final BatchLoop loop = loop(SETTINGS);
  private long now;
  private Runnable later = () -> {};

  WarmUpRunTest() {
    loop.warmUpWith(
        () -> {
          scratches.add(loop(SETTINGS.withPrefixReuse(false)));
          return scratches.getLast();
        });
  }

  private BatchLoop loop(WheelSettings settings) {
    PipeProcessor processor =
        PipeProcessor.local(WheelHarness.MODEL.cut(settings.pages(), 0), WheelHarness.MODEL.end());
    return new BatchLoop(
        settings,
        List.of(processor),
        WheelHarness.vocabulary(),
        shown -> WheelHarness.detokenizer(),
        this::tick,
        null);
  }

  private long tick() {
    later.run();
    return now += 10_000_000;
  }

  private static GenerationRequest request() {
    int[] prompt = new int[40];
    return GenerationRequest.of(prompt, Sampling.greedy(), 5).ignoringEnd();
  }

  private static boolean isOver(WarmUp warmUp) throws InterruptedException {
    return warmUp.await(Duration.ZERO);
  }

  @Test
  void itEndsWhenRoundsAreNoLongerFasterAndLeavesNoTrace() throws Exception {
    WarmUp warmUp = loop.warmUp(LONG);
    assertThat(isOver(warmUp)).isFalse();
    loop.turn();
    assertThat(isOver(warmUp)).isTrue();
    assertThat(scratches).hasSize(1);
    assertThat(scratches.getFirst().stats().chosenTokens())
        .isGreaterThanOrEqualTo(60L * (WarmUpRun.STALE_ROUNDS + 1));
    assertThat(loop.stats().turns()).isZero();
    assertThat(loop.stats().chosenTokens()).isZero();
    assertThat(loop.stats().pagesCached()).isZero();
    assertThat(loop.stats().pagesFree()).isEqualTo(SETTINGS.pages());
    Generation real = loop.submit(request(), (token, text, logprobs) -> {});
    while (loop.turn()) {
      loop.check();
    }
    assertThat(real.result().orElseThrow().usage().cachedTokens()).isZero();
  }

  @Test
  void itEndsAtItsLimit() throws Exception {
    WarmUp warmUp = loop.warmUp(Duration.ofMillis(300));
    loop.turn();
    assertThat(isOver(warmUp)).isTrue();
    assertThat(scratches.getFirst().stats().ended()).isLessThan(5);
  }

  @Test
  void itEndsWhenItIsCancelled() throws Exception {
    WarmUp warmUp = loop.warmUp(LONG);
    warmUp.cancel();
    loop.turn();
    assertThat(isOver(warmUp)).isTrue();
    assertThat(warmUp.gaveWay()).isFalse();
    assertThat(scratches.getFirst().stats().turns()).isZero();
  }

  @Test
  void aRequestThatArrivesIsComputedInTheSameTurn() throws Exception {
    WarmUp warmUp = loop.warmUp(LONG);
    List<Generation> real = new ArrayList<>();
    later =
        () -> {
          later = () -> {};
          real.add(loop.submit(request(), (token, text, logprobs) -> {}));
        };
    loop.turn();
    assertThat(isOver(warmUp)).isTrue();
    assertThat(warmUp.gaveWay()).isTrue();
    assertThat(scratches.getFirst().stats().ended()).isZero();
    while (loop.turn()) {
      loop.check();
    }
    assertThat(real.getFirst().isDone()).isTrue();
  }

  @Test
  void aRequestBeforeItMakesItNeedless() throws Exception {
    Generation real = loop.submit(request(), (token, text, logprobs) -> {});
    WarmUp warmUp = loop.warmUp(LONG);
    while (loop.turn()) {
      loop.check();
    }
    assertThat(isOver(warmUp)).isTrue();
    assertThat(real.isDone()).isTrue();
    assertThat(loop.stats().pagesCached()).isPositive();
    WarmUp tooLate = loop.warmUp(LONG);
    loop.turn();
    assertThat(isOver(tooLate)).isTrue();
    assertThat(tooLate.gaveWay()).isTrue();
    assertThat(scratches).isEmpty();
  }

  @Test
  void itIsOverWhenTheSchedulerIsClosed() throws Exception {
    WarmUp warmUp = loop.warmUp(LONG);
    loop.close();
    assertThat(isOver(warmUp)).isTrue();
    assertThat(isOver(loop.warmUp(LONG))).isTrue();
    assertThat(scratches).isEmpty();
  }
}
