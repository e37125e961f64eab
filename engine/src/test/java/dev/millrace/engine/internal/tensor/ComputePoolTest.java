package dev.millrace.engine.internal.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ComputePoolTest {

  @Test
  void everyPartRunsOnceInEveryLoop() {
    try (ComputePool pool = new ComputePool(4)) {
      for (int round = 0; round < 5_000; round++) {
        int parts = 1 + round % 37;
        AtomicIntegerArray runs = new AtomicIntegerArray(parts);
        pool.run(parts, (part, worker) -> runs.incrementAndGet(part));
        for (int part = 0; part < parts; part++) {
          assertThat(runs.get(part)).as("part %d of %d in round %d", part, parts, round).isOne();
        }
      }
    }
  }

  /** Two parts that wait for each other end only if two threads run them. */
  @Test
  void partsRunAtTheSameTime() {
    try (ComputePool pool = new ComputePool(2)) {
      CyclicBarrier barrier = new CyclicBarrier(2);
      pool.run(
          2,
          (part, worker) -> {
            try {
              barrier.await();
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
      assertThat(barrier.isBroken()).isFalse();
    }
  }

  @Test
  void aWorkerHasItsOwnScratchMemory() {
    try (ComputePool pool = new ComputePool(3)) {
      AtomicIntegerArray inside = new AtomicIntegerArray(3);
      AtomicIntegerArray clashes = new AtomicIntegerArray(1);
      pool.run(
          2_000,
          (part, worker) -> {
            if (inside.incrementAndGet(worker) != 1) {
              clashes.incrementAndGet(0);
            }
            inside.decrementAndGet(worker);
          });
      assertThat(clashes.get(0)).isZero();
    }
  }

  @Test
  void aFailureReachesTheCallerAndThePoolKeepsWorking() {
    try (ComputePool pool = new ComputePool(2)) {
      assertThatThrownBy(
              () ->
                  pool.run(
                      8,
                      (part, worker) -> {
                        if (part == 5) {
                          throw new IllegalArgumentException("part five");
                        }
                      }))
          .hasMessageContaining("part five");
      AtomicIntegerArray runs = new AtomicIntegerArray(1);
      pool.run(8, (part, worker) -> runs.incrementAndGet(0));
      assertThat(runs.get(0)).isEqualTo(8);
    }
  }
}
