package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The settings and dependencies of a store; tests replace the dependencies.
 *
 * @param recoveryCeiling the recovery ceiling of plain jobs that name none; null: the default
 */
public record FsSettings(
    Path root,
    Disk disk,
    Clock clock,
    Supplier<JobId> ids,
    RandomGenerator random,
    @Nullable Integer recoveryCeiling,
    Threading threading) {

  public FsSettings(
      Path root, Disk disk, Clock clock, Supplier<JobId> ids, RandomGenerator random) {
    this(root, disk, clock, ids, random, null, Threading.SYSTEM);
  }

  public FsSettings withCeiling(int recoveries) {
    return new FsSettings(root, disk, clock, ids, random, recoveries, threading);
  }

  public FsSettings withThreading(Threading other) {
    return new FsSettings(root, disk, clock, ids, random, recoveryCeiling, other);
  }

  public WorkspaceLayout layout() {
    return new WorkspaceLayout(root);
  }
}
