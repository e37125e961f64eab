package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Submitters on other threads, while the wheel runs on its own. */
@Timeout(60)
class ConcurrentSubmitTest {

  @Test
  void manyThreadsSubmitCancelAndAwait() throws Exception {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS.withPages(14));
    Thread owner = Thread.ofPlatform().name("wheel").start(harness.wheel);
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      Future<?>[] all =
          IntStream.range(0, 6)
              .mapToObj(t -> threads.submit(submitter(harness, t)))
              .toArray(Future<?>[]::new);
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertThat(harness.wheel.stats().ended()).isEqualTo(6 * 25);
    harness.wheel.close();
    owner.join();
    harness.wheel.check();
  }

  private static Callable<Void> submitter(WheelHarness harness, int thread) {
    return () -> {
      Random random = new Random(thread);
      for (int i = 0; i < 25; i++) {
        GenerationRequest request =
            GenerationRequest.of(
                WheelHarness.prompt(random, 1 + random.nextInt(80)),
                WheelHarness.warm(i),
                1 + random.nextInt(40));
        int[] expected =
            WheelHarness.MODEL.alone(request.prompt(), request.sampling(), request.maxTokens());
        CountDownLatch begun = new CountDownLatch(1);
        RecordingListener recorded = new RecordingListener();
        recorded.onToken = begun::countDown;
        recorded.generation = harness.wheel.submit(request, recorded);
        boolean cancel = i % 5 == 0 && expected.length > 0;
        if (cancel) {
          begun.await();
          recorded.generation.cancel();
        }
        GenerationResult result = recorded.generation.await();
        int[] tokens = result.tokens();
        if (!cancel || result.finish() != FinishReason.CANCELLED) {
          assertThat(tokens).as("thread %d, request %d", thread, i).isEqualTo(expected);
        } else {
          assertThat(tokens).isEqualTo(Arrays.copyOf(expected, tokens.length));
        }
      }
      return null;
    };
  }

  @Test
  void anIdleWheelWakesForARequestAndForItsClose() throws Exception {
    WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
    Thread owner = Thread.ofPlatform().start(harness.wheel);
    for (int i = 0; i < 200; i++) {
      Generation generation =
          harness.wheel.submit(
              GenerationRequest.of(new int[] {3 + i % 7}, WheelHarness.warm(i), 2),
              new RecordingListener());
      assertThat(generation.await(Duration.ofSeconds(30))).isPresent();
    }
    harness.wheel.close();
    owner.join();
  }

  @Test
  void aClosedOrInterruptedWheelLeavesNoSubmitterWaiting() throws Exception {
    for (boolean interrupt : new boolean[] {false, true}) {
      WheelHarness harness = new WheelHarness(WheelHarness.SETTINGS);
      CountDownLatch begun = new CountDownLatch(1);
      RecordingListener recorded = new RecordingListener();
      recorded.onToken = begun::countDown;
      recorded.generation =
          harness.wheel.submit(
              GenerationRequest.of(new int[] {3}, WheelHarness.warm(1), 400).ignoringEnd(),
              recorded);
      Thread owner = Thread.ofPlatform().start(harness.wheel);
      begun.await();
      if (interrupt) {
        recorded.generation.release();
        owner.interrupt();
      } else {
        harness.wheel.close();
      }
      assertThat(recorded.generation.await().finish())
          .isIn(FinishReason.RELEASED, FinishReason.LENGTH);
      owner.join();
      assertThatThrownBy(
              () -> harness.submit(GenerationRequest.of(new int[] {3}, WheelHarness.warm(1), 1)))
          .hasMessageContaining("closed");
    }
  }
}
