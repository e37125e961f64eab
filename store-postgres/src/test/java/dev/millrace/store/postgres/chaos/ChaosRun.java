package dev.millrace.store.postgres.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What all parts of the test share, and the threads that act in it. */
final class ChaosRun {
  /** How long anything may take that is not disturbed any more. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  /** Does one thing, or a few that belong together. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private final ChaosSettings settings;
  private final Path directory;
  private final Instant begin;
  private final ChaosHistory history;
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Thread> actors = new ArrayList<>();

  private ChaosRun(ChaosSettings settings, Path directory, Instant begin, ChaosHistory history) {
    this.settings = settings;
    this.directory = directory;
    this.begin = begin;
    this.history = history;
  }

  static ChaosRun begin(ChaosSettings settings, Path directory) {
    return new ChaosRun(
        settings, directory, Instant.now(), new ChaosHistory(directory.resolve("timeline.log")));
  }

  /** A run after this one has ended, with the same history. */
  ChaosRun next() {
    return new ChaosRun(settings, directory, begin, history);
  }

  ChaosSettings settings() {
    return settings;
  }

  Path directory() {
    return directory;
  }

  Instant begin() {
    return begin;
  }

  ChaosHistory history() {
    return history;
  }

  SplittableRandom random(String actor) {
    return new SplittableRandom(settings.seed() * 31 + actor.hashCode());
  }

  /** Waits; returns at once when the run ends. */
  void linger(long millis) throws InterruptedException {
    end.await(millis, TimeUnit.MILLISECONDS);
  }

  boolean ended() {
    return end.getCount() == 0;
  }

  /** Repeats a step on a thread of its own until the run ends. */
  void act(String actor, Step step) {
    actors.add(
        Thread.ofPlatform()
            .name("chaos-" + actor)
            .start(
                () -> {
                  while (!ended()) {
                    attempt(actor, step);
                  }
                }));
  }

  /** An actor that is wrong ends the run: what follows would say little. */
  private void attempt(String actor, Step step) {
    try {
      step.run();
    } catch (Throwable e) {
      history.problem(actor + ": " + e + " at " + List.of(e.getStackTrace()).subList(0, 3));
      end.countDown();
    }
  }

  /** Tells everybody to end; returns when no step runs any more. */
  void end() throws InterruptedException {
    end.countDown();
    for (Thread actor : actors) {
      actor.join(PATIENCE.toMillis());
      if (actor.isAlive()) {
        history.problem(actor.getName() + " hangs: " + List.of(actor.getStackTrace()));
        actor.interrupt();
      }
    }
  }
}
