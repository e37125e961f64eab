package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.store.random.RandomOperations;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The embedded store and the executable specification agree on every outcome, over many seeds. */
@Tag("slow")
class FsStoreSpecificationTest {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");

  @TempDir Path dir;

  @Test
  void everyOutcomeIsThatOfTheSpecification() {
    long first = Long.getLong("millrace.seed", System.nanoTime());
    int runs = Integer.getInteger("millrace.runs", PROOF ? 200 : 5);
    System.out.println("FsStoreSpecificationTest: first seed " + first + ", " + runs + " runs");
    SplittableRandom seeds = new SplittableRandom(first);
    for (int run = 0; run < runs; run++) {
      RandomOperations.compare(
          run == 0 ? first : seeds.nextLong(),
          300,
          new MemoryStoreFixture(),
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
        store.close(); // releases the lock and writes nothing
      }
    };
  }
}
