package dev.millrace.cluster.internal.layers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class LayerSpeedTest {
  private final LayerSpeed speed = new LayerSpeed();
  private long now;

  /** Layers of which a step takes so long, by when it is. */
  private FakeLoadedLayers taking(LongUnaryOperator nanosOfStep) {
    FakeLoadedLayers weights = new FakeLoadedLayers(0, 4);
    weights.before = () -> now += nanosOfStep.applyAsLong(now);
    return weights;
  }

  /** Twice as fast every fifth of a second. */
  private static long warming(long at) {
    return TimeUnit.MILLISECONDS.toNanos(150) >> at / TimeUnit.MILLISECONDS.toNanos(200);
  }

  @Test
  void twoTrialsThatAgreeAreEnoughAndTheCutIsClosed() {
    FakeLoadedLayers weights = taking(at -> TimeUnit.MILLISECONDS.toNanos(10));
    speed.measure(weights, () -> now);
    assertThat(now).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
    assertThat(speed.bytesPerSecond()).as("400 bytes in 10 ms").isEqualTo(40_000);
    assertThat(speed.isSteady()).isTrue();
    assertThat(weights.open).isZero();
    assertThat(weights.opened).isEqualTo(1);
  }

  @Test
  void stepsBeforeTheCompilerIsDoneDoNotCount() {
    long warm = TimeUnit.MILLISECONDS.toNanos(900);
    FakeLoadedLayers weights = taking(at -> at < warm ? warming(at) : 1_000_000);
    speed.measure(weights, () -> now);
    assertThat(speed.bytesPerSecond()).as("400 bytes in 1 ms").isEqualTo(400_000);
    assertThat(speed.isSteady()).isTrue();
  }

  @Test
  void anUnsteadyMeasurementIsMarkedAndCorrectedByRealSteps() {
    FakeLoadedLayers weights = taking(LayerSpeedTest::warming);
    speed.measure(weights, () -> now);
    assertThat(now).isLessThan(TimeUnit.SECONDS.toNanos(2) + 1);
    assertThat(speed.isSteady()).isFalse();
    for (int i = 0; i < 20; i++) {
      speed.addStep(1000, TimeUnit.SECONDS.toNanos(1));
    }
    assertThat(speed.bytesPerSecond()).isCloseTo(1000, Offset.offset(200.0));
    assertThat(speed.isSteady()).isTrue();
  }

  @Test
  void slowLayersAreTriedFourTimes() {
    FakeLoadedLayers weights = taking(at -> TimeUnit.SECONDS.toNanos(1));
    speed.measure(weights, () -> now);
    assertThat(now).isEqualTo(TimeUnit.SECONDS.toNanos(4));
    assertThat(speed.bytesPerSecond()).isEqualTo(400);
  }

  @Test
  void realStepsMoveItSlowly() {
    speed.addStep(1000, TimeUnit.SECONDS.toNanos(1));
    speed.addStep(1000, TimeUnit.SECONDS.toNanos(1));
    assertThat(speed.bytesPerSecond()).isEqualTo(1000);
    speed.addStep(1000, TimeUnit.SECONDS.toNanos(2));
    assertThat(speed.bytesPerSecond()).isBetween(900.0, 999.0);
    for (int i = 0; i < 200; i++) {
      speed.addStep(1000, TimeUnit.SECONDS.toNanos(2));
    }
    assertThat(speed.bytesPerSecond()).isCloseTo(500, Offset.offset(1.0));
  }

  @Test
  void thePublishedSpeedHasTwoDigits() {
    assertThat(speed.rounded()).isZero();
    speed.addStep(123_456, TimeUnit.SECONDS.toNanos(1));
    assertThat(speed.rounded()).isEqualTo(120_000);
  }
}
