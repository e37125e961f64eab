package dev.millrace.cli.soak;

import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/** The jobs whose submission was acknowledged. */
final class SoakJobs {
  /** How many of the newest jobs are read and changed: most older ones have ended. */
  private static final int RECENT = 60;

  /**
   * @param id as {@code millrace work} prints it
   */
  record Known(UUID uuid, String id, SoakDocuments.Kind kind) {}

  private final List<Known> jobs = new CopyOnWriteArrayList<>();

  void add(Known job) {
    jobs.add(job);
  }

  /** One of the newest; empty if there is none yet. */
  Optional<Known> any(SplittableRandom random) {
    int count = jobs.size();
    return count == 0
        ? Optional.empty()
        : Optional.of(jobs.get(count - 1 - random.nextInt(Math.min(RECENT, count))));
  }
}
