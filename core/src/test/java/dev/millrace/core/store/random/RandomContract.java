package dev.millrace.core.store.random;

import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The store and the executable specification agree through random operations. */
public abstract class RandomContract {
  protected abstract StoreFixture fixture();

  @ParameterizedTest
  @ValueSource(longs = {101, 102, 103})
  void behavesAsTheSpecificationDoes(long seed) {
    RandomOperations.compare(seed, 500, new MemoryStoreFixture(), fixture());
  }

  @Test
  void behavesAsTheSpecificationDoesOnAFreshSeed() {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.println("RandomContract: seed " + seed);
    RandomOperations.compare(seed, 500, new MemoryStoreFixture(), fixture());
  }
}
