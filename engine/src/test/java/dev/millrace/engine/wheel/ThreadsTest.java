package dev.millrace.engine.wheel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.engine.wheel.Mill.Heard;
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
class ThreadsTest {

  @Test
  void manyThreadsSubmitCancelAndAwait() throws Exception {
    Mill mill = new Mill(Mill.SETTINGS.withPages(14));
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

  private static Callable<Void> submitter(Mill mill, int thread) {
    return () -> {
      Random random = new Random(thread);
      for (int i = 0; i < 25; i++) {
        Request request =
            Request.of(
                Mill.prompt(random, 1 + random.nextInt(80)), Mill.warm(i), 1 + random.nextInt(40));
        int[] expected =
            Mill.MODEL.alone(request.prompt(), request.sampling(), request.maxTokens());
        CountDownLatch begun = new CountDownLatch(1);
        Heard heard = new Heard();
        heard.onToken = begun::countDown;
        heard.generation = mill.wheel.submit(request, heard);
        boolean cancel = i % 5 == 0 && expected.length > 0;
        if (cancel) {
          begun.await();
          heard.generation.cancel();
        }
        Result result = heard.generation.await();
        int[] tokens = result.tokens();
        if (!cancel || result.finish() != Finish.CANCELLED) {
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
    Mill mill = new Mill(Mill.SETTINGS);
    Thread owner = Thread.ofPlatform().start(mill.wheel);
    for (int i = 0; i < 200; i++) {
      Generation generation =
          mill.wheel.submit(Request.of(new int[] {3 + i % 7}, Mill.warm(i), 2), new Heard());
      assertThat(generation.await(Duration.ofSeconds(30))).isPresent();
    }
    mill.wheel.close();
    owner.join();
  }

  @Test
  void aWheelThatIsClosedOrInterruptedLeavesNobodyWaiting() throws Exception {
    for (boolean interrupt : new boolean[] {false, true}) {
      Mill mill = new Mill(Mill.SETTINGS);
      CountDownLatch begun = new CountDownLatch(1);
      Heard heard = new Heard();
      heard.onToken = begun::countDown;
      heard.generation =
          mill.wheel.submit(Request.of(new int[] {3}, Mill.warm(1), 400).ignoringEnd(), heard);
      Thread owner = Thread.ofPlatform().start(mill.wheel);
      begun.await();
      if (interrupt) {
        heard.generation.release();
        owner.interrupt();
      } else {
        mill.wheel.close();
      }
      assertThat(heard.generation.await().finish()).isIn(Finish.RELEASED, Finish.LENGTH);
      owner.join();
      assertThatThrownBy(() -> mill.submit(Request.of(new int[] {3}, Mill.warm(1), 1)))
          .hasMessageContaining("closed");
    }
  }
}
