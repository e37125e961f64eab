package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.internal.wheel.WheelHarness.Heard;
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
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS.withPages(14));
    Thread owner = Thread.ofPlatform().name("wheel").start(mill.wheel);
    try (ExecutorService threads = Executors.newFixedThreadPool(6)) {
      Future<?>[] all =
          IntStream.range(0, 6)
              .mapToObj(t -> threads.submit(submitter(mill, t)))
              .toArray(Future<?>[]::new);
      for (Future<?> each : all) {
        each.get();
      }
    }
    assertThat(mill.wheel.stats().ended()).isEqualTo(6 * 25);
    mill.wheel.close();
    owner.join();
    mill.wheel.check();
  }

  private static Callable<Void> submitter(WheelHarness mill, int thread) {
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
        Heard heard = new Heard();
        heard.onToken = begun::countDown;
        heard.generation = mill.wheel.submit(request, heard);
        boolean cancel = i % 5 == 0 && expected.length > 0;
        if (cancel) {
          begun.await();
          heard.generation.cancel();
        }
        GenerationResult result = heard.generation.await();
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
    WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS);
    Thread owner = Thread.ofPlatform().start(mill.wheel);
    for (int i = 0; i < 200; i++) {
      Generation generation =
          mill.wheel.submit(
              GenerationRequest.of(new int[] {3 + i % 7}, WheelHarness.warm(i), 2), new Heard());
      assertThat(generation.await(Duration.ofSeconds(30))).isPresent();
    }
    mill.wheel.close();
    owner.join();
  }

  @Test
  void aWheelThatIsClosedOrInterruptedLeavesNobodyWaiting() throws Exception {
    for (boolean interrupt : new boolean[] {false, true}) {
      WheelHarness mill = new WheelHarness(WheelHarness.SETTINGS);
      CountDownLatch begun = new CountDownLatch(1);
      Heard heard = new Heard();
      heard.onToken = begun::countDown;
      heard.generation =
          mill.wheel.submit(
              GenerationRequest.of(new int[] {3}, WheelHarness.warm(1), 400).ignoringEnd(), heard);
      Thread owner = Thread.ofPlatform().start(mill.wheel);
      begun.await();
      if (interrupt) {
        heard.generation.release();
        owner.interrupt();
      } else {
        mill.wheel.close();
      }
      assertThat(heard.generation.await().finish())
          .isIn(FinishReason.RELEASED, FinishReason.LENGTH);
      owner.join();
      assertThatThrownBy(
              () -> mill.submit(GenerationRequest.of(new int[] {3}, WheelHarness.warm(1), 1)))
          .hasMessageContaining("closed");
    }
  }
}
