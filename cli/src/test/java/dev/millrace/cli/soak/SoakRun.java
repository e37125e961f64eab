package dev.millrace.cli.soak;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What all parts of a soak share, and the threads that act in it. */
final class SoakRun {
  /** Does one thing, or a few that belong together. */
  @FunctionalInterface
  interface Step {
    void run() throws Exception;
  }

  private final SoakSettings settings;
  private final Path dir;
  private final URI address;
  private final SoakHistory history = new SoakHistory();
  private final SoakJobs jobs = new SoakJobs();
  private final CountDownLatch end = new CountDownLatch(1);
  private final List<Thread> actors = new ArrayList<>();

  /**
   * @param dir for everything but the workspace
   * @param address of whichever server owns the workspace
   */
  SoakRun(SoakSettings settings, Path dir, URI address) {
    this.settings = settings;
    this.dir = dir;
    this.address = address;
  }

  Path dir() {
    return dir;
  }

  /** Its parent is the mount point of a disk of its own, where there is one. */
  Path workspace() {
    return dir.resolve("disk/ws");
  }

  URI address() {
    return address;
  }

  SoakHistory history() {
    return history;
  }

  SoakJobs jobs() {
    return jobs;
  }

  SplittableRandom random(String actor) {
    return new SplittableRandom(settings.seed() * 31 + actor.hashCode());
  }

  /** A fault cannot be done here. */
  void leftOut(String why) {
    System.out.println("SoakIT: " + why);
    if (!settings.partial()) {
      history.problem(why + "; -Dmillrace.soak.partial=true allows a soak without");
      end.countDown();
    }
  }

  /** Waits; returns at once when the soak ends. */
  void linger(long millis) throws InterruptedException {
    end.await(millis, TimeUnit.MILLISECONDS);
  }

  boolean ended() {
    return end.getCount() == 0;
  }

  /** Repeats a step on a thread of its own until the soak ends. */
  void act(String actor, Step step) {
    actors.add(
        Thread.ofPlatform()
            .name("soak-" + actor)
            .start(
                () -> {
                  while (!ended()) {
                    attempt(actor, step);
                  }
                }));
  }

  private void attempt(String actor, Step step) {
    try {
      step.run();
    } catch (Throwable e) {
      history.problem(actor + ": " + e);
      end.countDown();
    }
  }

  /** Ends the soak; returns when no step runs any more. */
  void end() throws InterruptedException {
    end.countDown();
    for (Thread actor : actors) {
      actor.join(TimeUnit.MINUTES.toMillis(3));
      if (actor.isAlive()) {
        history.problem(actor.getName() + " hangs: " + List.of(actor.getStackTrace()));
      }
    }
  }
}
