package dev.millrace.engine.internal.math;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.math.Rope.Pairing;
import dev.millrace.engine.internal.math.Rope.Settings;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class RopeTest {
  private static final long SEED = 7;
  private static final int DIMS = 64;

  private static float[] rotated(Settings settings, int position, float[] x, int headDim) {
    float[] y = x.clone();
    Rope rope = new Rope(settings, 3);
    rope.prepare(new int[] {1, position, 2}, 3);
    rope.apply(1, y, 0, x.length / headDim, headDim);
    return y;
  }

  private static float[] row(int n) {
    Random random = new Random(SEED);
    float[] x = new float[n];
    for (int i = 0; i < n; i++) {
      x[i] = (float) random.nextGaussian();
    }
    return x;
  }

  @Test
  void neighboursTurnByTheirAngle() {
    float[] x = row(2 * DIMS);
    float[] y = rotated(Settings.plain(Pairing.NORM, DIMS, 10000), 1234, x, DIMS);
    for (int head = 0; head < 2; head++) {
      for (int i = 0; i < DIMS / 2; i++) {
        double angle = 1234 * Math.pow(10000, -2.0 * i / DIMS);
        int at = head * DIMS + 2 * i;
        assertThat((double) y[at])
            .isCloseTo(x[at] * Math.cos(angle) - x[at + 1] * Math.sin(angle), offset(1e-6));
        assertThat((double) y[at + 1])
            .isCloseTo(x[at] * Math.sin(angle) + x[at + 1] * Math.cos(angle), offset(1e-6));
      }
    }
  }

  @Test
  void halvesAreNeighboursInAnotherOrder() {
    float[] x = row(DIMS);
    float[] mixed = new float[DIMS];
    for (int i = 0; i < DIMS / 2; i++) {
      mixed[2 * i] = x[i];
      mixed[2 * i + 1] = x[i + DIMS / 2];
    }
    float[] halves = rotated(Settings.plain(Pairing.NEOX, DIMS, 500000), 77, x, DIMS);
    float[] neighbours = rotated(Settings.plain(Pairing.NORM, DIMS, 500000), 77, mixed, DIMS);
    for (int i = 0; i < DIMS / 2; i++) {
      assertThat(halves[i]).isEqualTo(neighbours[2 * i]);
      assertThat(halves[i + DIMS / 2]).isEqualTo(neighbours[2 * i + 1]);
    }
  }

  @Test
  void elementsBeyondTheRotatedPartStay() {
    float[] x = row(2 * DIMS);
    float[] y = rotated(Settings.plain(Pairing.NEOX, 32, 10000), 5, x, DIMS);
    for (int i = 32; i < DIMS; i++) {
      assertThat(y[i]).isEqualTo(x[i]);
      assertThat(y[DIMS + i]).isEqualTo(x[DIMS + i]);
    }
    assertThat(y[0]).isNotEqualTo(x[0]);
  }

  @Test
  void aScoreDependsOnTheDistanceAloneEvenAtAMillion() {
    Settings settings = Settings.plain(Pairing.NORM, DIMS, 10000);
    float[] q = row(DIMS);
    double near = dot(rotated(settings, 17, q, DIMS), rotated(settings, 3, q, DIMS));
    double far = dot(rotated(settings, 1_000_014, q, DIMS), rotated(settings, 1_000_000, q, DIMS));
    assertThat(far).isCloseTo(near, offset(1e-5));
  }

  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }

  @Test
  void linearScalingIsAPositionInBetween() {
    float[] x = row(DIMS);
    Settings quarter = new Settings(Pairing.NORM, DIMS, 10000, 0.25f, null, 1, null);
    assertThat(rotated(quarter, 400, x, DIMS))
        .isEqualTo(rotated(Settings.plain(Pairing.NORM, DIMS, 10000), 100, x, DIMS));
  }

  @Test
  void factorsDivideTheirFrequency() {
    float[] factors = new float[DIMS / 2];
    java.util.Arrays.fill(factors, 8);
    float[] x = row(DIMS);
    Settings divided = new Settings(Pairing.NORM, DIMS, 10000, 1, factors, 1, null);
    assertThat(rotated(divided, 800, x, DIMS))
        .isEqualTo(rotated(Settings.plain(Pairing.NORM, DIMS, 10000), 100, x, DIMS));
  }

  @Test
  void yarnKeepsFastPairsScalesSlowOnesAndStretchesAll() {
    Settings yarn =
        new Settings(Pairing.NORM, 128, 1_000_000, 0.25f, null, 1, new Rope.Yarn(1, 32, 1, 32768));
    float[] x = row(128);
    float[] y = rotated(yarn, 1000, x, 128);
    float[] plain = rotated(Settings.plain(Pairing.NORM, 128, 1_000_000), 1000, x, 128);
    float[] scaled =
        rotated(new Settings(Pairing.NORM, 128, 1_000_000, 0.25f, null, 1, null), 1000, x, 128);
    float stretch = (float) (1 + 0.1 * Math.log(4));
    assertThat(y[0]).isCloseTo(plain[0] * stretch, offset(1e-5f));
    assertThat(y[126]).isCloseTo(scaled[126] * stretch, offset(1e-5f));
  }

  @Test
  void attentionFactorStretches() {
    float[] x = row(DIMS);
    Settings plain = Settings.plain(Pairing.NORM, DIMS, 10000);
    float[] y = rotated(new Settings(Pairing.NORM, DIMS, 10000, 1, null, 2, null), 9, x, DIMS);
    float[] z = rotated(plain, 9, x, DIMS);
    for (int i = 0; i < DIMS; i++) {
      assertThat(y[i]).isEqualTo(2 * z[i]);
    }
  }

  @Test
  void badSettingsAreReportedByName() {
    assertThatThrownBy(() -> Settings.plain(Pairing.NORM, 63, 10000))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("63");
    assertThatThrownBy(() -> Settings.plain(Pairing.NORM, 64, 0))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("base");
    assertThatThrownBy(() -> new Settings(Pairing.NORM, 64, 1e4f, 1, new float[3], 1, null))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("3 frequency factors");
  }
}
