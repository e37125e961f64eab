package dev.millrace.store.fs;

import dev.millrace.core.store.ContractSettings;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.MemoryFixture;
import dev.millrace.core.store.RandomOperations;
import dev.millrace.core.store.StoreFixture;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store and the executable specification agree on every answer, over many seeds. */
class SpecificationTest {
  @TempDir Path dir;

  @Test
  void everyAnswerIsTheSpecifications() {
    long first = Long.getLong("millrace.seed", System.nanoTime());
    int runs = Integer.getInteger("millrace.runs", 10);
    System.out.println("SpecificationTest: first seed " + first + ", " + runs + " runs");
    SplittableRandom seeds = new SplittableRandom(first);
    for (int run = 0; run < runs; run++) {
      RandomOperations.compare(
          run == 0 ? first : seeds.nextLong(),
          300,
          new MemoryFixture(),
          fixture(dir.resolve("ws" + run)));
    }
  }

  private static StoreFixture fixture(Path root) {
    return new StoreFixture() {
      @Override
      public JobStore open(ContractSettings settings) {
        return FsStore.tryOpen(
                new FsSettings(
                    root, new RealDisk(root), settings.clock(), settings.ids(), settings.random()))
            .orElseThrow();
      }

      @Override
      public void abandon(JobStore store) {
        store.close(); // lets go of the lock and writes nothing
      }
    };
  }
}
