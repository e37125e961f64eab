package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What a store depends on, so that tests can put something else in its place. */
record FsSettings(Path root, Disk disk, Clock clock, Supplier<JobId> ids, RandomGenerator random) {
  Places places() {
    return new Places(root);
  }
}
