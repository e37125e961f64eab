package dev.millrace.cluster.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ReplayTimeoutTest {
  private static long seconds(long layerBytes, int positions, double speed) {
    ModelRequirements need =
        new ModelRequirements("5ha", "m", 1, List.of(layerBytes, layerBytes, layerBytes), 1, 1);
    long nanos = ReplayTimeout.nanos(need, new NodeLayers("a", 1, 3), positions, speed);
    return TimeUnit.NANOSECONDS.toSeconds(nanos);
  }

  @Test
  void itGrowsWithLayersAndPositionsAndSlowness() {
    long gigabyte = 1L << 30;
    assertThat(seconds(1 << 10, 30, 0)).as("a tiny model").isEqualTo(30);
    assertThat(seconds(gigabyte, 1_000, 10.0 * gigabyte)).isEqualTo(30 + 400);
    assertThat(seconds(gigabyte, 1_000, 20.0 * gigabyte)).isEqualTo(30 + 200);
    assertThat(seconds(gigabyte, 2_000, 20.0 * gigabyte)).isEqualTo(30 + 400);
  }

  @Test
  void theTimeoutIsBoundedForAVerySlowNode() {
    assertThat(seconds(1 << 20, 64, 1)).isEqualTo(seconds(1 << 20, 64, 0)).isEqualTo(30 + 8);
  }
}
