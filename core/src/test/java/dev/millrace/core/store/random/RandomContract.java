package dev.millrace.core.store.random;

import dev.millrace.core.store.fixture.StoreFixture;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The store and the executable specification agree through random operations. */
public abstract class RandomContract {
  protected abstract StoreFixture fixture();

  static LongStream seeds() {
    return LongStream.rangeClosed(101, Boolean.getBoolean("millrace.proof") ? 103 : 101);
  }

  @ParameterizedTest
  @MethodSource("dev.millrace.core.store.random.RandomContract#seeds")
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
