package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.api.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Computes made-up requests in rounds, until a round is no longer faster than earlier ones. A round
 * has one sequence alone, then several together: prompts and single tokens of both kinds. The
 * requests go through a scheduler of their own, with its own pages and counters, so that nothing of
 * them is left in the real one.
 */
final class WarmUpRun implements WarmUp {
  private static final int PROMPT = 48;
  private static final int GENERATED = 12;
  private static final int SEQUENCES = 4;

  /** Rounds that bring nothing before it is over. */
  static final int STALE_ROUNDS = 4;

  /** The least that a round must be faster than the best one before, to count as faster. */
  private static final double GAIN = 0.95;

  /** A small model computes many rounds before the JVM compiles anything. */
  private static final Duration LEAST = Duration.ofMillis(1_500);

  private final Duration most;
  private final LongSupplier clock;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final SplittableRandom random = new SplittableRandom(1);
  private volatile boolean cancelled;
  private volatile boolean gaveWay;

  /**
   * @param most the longest time that it may take
   * @param clock nanoseconds
   */
  WarmUpRun(Duration most, LongSupplier clock) {
    this.most = most;
    this.clock = clock;
  }

  /**
   * Runs on the thread of the real scheduler.
   *
   * @param scratch computes with the same model
   * @param mustStop whether the real scheduler has something to do
   */
  void run(BatchLoop scratch, int vocabulary, BooleanSupplier mustStop) {
    long start = clock.getAsLong();
    BooleanSupplier over =
        () -> cancelled || clock.getAsLong() - start >= most.toNanos() || mustStop.getAsBoolean();
    long best = Long.MAX_VALUE;
    int stale = 0;
    while (stale < STALE_ROUNDS || clock.getAsLong() - start < LEAST.toNanos()) {
      long before = clock.getAsLong();
      if (!compute(scratch, 1, vocabulary, over)
          || !compute(scratch, SEQUENCES, vocabulary, over)) {
        gaveWay = mustStop.getAsBoolean();
        return;
      }
      long took = clock.getAsLong() - before;
      stale = took < GAIN * best ? 0 : stale + 1;
      best = Math.min(best, took);
    }
  }

  /** Computes that many sequences together; false if it must stop. */
  private boolean compute(BatchLoop scratch, int count, int vocabulary, BooleanSupplier over) {
    int positions = Math.min(PROMPT + GENERATED, scratch.capacity());
    if (positions < 2) {
      return false;
    }
    int prompt = Math.max(1, positions - GENERATED);
    List<Generation> running = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int[] tokens = random.ints(prompt, 0, vocabulary).toArray();
      GenerationRequest request =
          GenerationRequest.of(tokens, sampling(), positions - prompt).ignoringEnd();
      running.add(scratch.submit(request, (token, text, logprobs) -> {}));
    }
    while (!running.stream().allMatch(Generation::isDone)) {
      if (over.getAsBoolean() || !scratch.turn()) {
        return false;
      }
    }
    return true;
  }

  /** The usual parameters, so that their code is compiled, too. */
  private Sampling sampling() {
    return Sampling.builder()
        .temperature(0.8)
        .topK(40)
        .topP(0.9)
        .minP(0.05)
        .repetitionPenalty(1.1)
        .penaltyWindow(64)
        .seed(random.nextLong())
        .build();
  }

  /** Call in place of {@link #run} if there are, or were, requests. */
  void giveWay() {
    gaveWay = true;
  }

  /** Call when it is over, or will never run. */
  void end() {
    ended.countDown();
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  @Override
  public boolean gaveWay() {
    return gaveWay;
  }

  @Override
  public boolean await(Duration limit) throws InterruptedException {
    return ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
  }
}
