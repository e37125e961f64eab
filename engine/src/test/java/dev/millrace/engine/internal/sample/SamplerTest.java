package dev.millrace.engine.internal.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.api.Logprobs;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.error.EngineException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class SamplerTest {
  private static final int[] NONE = {};

  @Test
  void greedyTakesTheLowestIdOfEqualScores() {
    assertThat(choose(Sampling.greedy(), null, 1, 5, 5, 2)).isEqualTo(1);
    assertThat(choose(Sampling.greedy(), null, -0.0f, 0.0f)).isZero();
    assertThat(choose(Sampling.greedy(), null, -3, -2, -9, -8, -7, -1, -2)).isEqualTo(5);
  }

  @Test
  void notANumberIsNeverChosenAndInfinityAlways() {
    float nan = Float.NaN;
    float inf = Float.POSITIVE_INFINITY;
    Sampling warm = Sampling.builder().temperature(1).build();
    for (Sampling sampling :
        List.of(Sampling.greedy(), warm, warm.toBuilder().topP(0.5).topK(2).build())) {
      assertThat(choose(sampling, null, nan, 1, nan)).isEqualTo(1);
      assertThat(choose(sampling, null, 3, inf, -inf)).isEqualTo(1);
      assertThatThrownBy(() -> choose(sampling, null, nan, nan))
          .isInstanceOf(EngineException.class)
          .hasMessageContaining("no valid logits");
      assertThat(choose(sampling, new long[] {0b100}, 1, 2, nan)).isEqualTo(2);
    }
  }

  @Test
  void anEmptyMaskIsAnErrorAndNotAToken() {
    assertThatThrownBy(() -> choose(Sampling.greedy(), new long[] {0}, 1, 2))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining("mask allows no token");
    assertThatThrownBy(() -> choose(Sampling.greedy(), new long[] {0b100}, 1, 2))
        .isInstanceOf(EngineException.class);
  }

  @Test
  void randomNumbersAreFixedForever() {
    assertThat(SeededRandom.at(0, 0)).isEqualTo(DICE_0_0);
    assertThat(SeededRandom.at(42, 1000)).isEqualTo(DICE_42_1000);
    assertThat(SeededRandom.at(-1, 5)).isEqualTo(DICE_M1_5);
  }

  @Test
  void randomNumbersAreSpreadEvenly() {
    int[] bins = new int[64];
    for (int seed = 0; seed < 64; seed++) {
      for (int position = 0; position < 1000; position++) {
        bins[(int) (SeededRandom.at(seed, position) * 64)]++;
      }
    }
    assertThat(Arrays.stream(bins).boxed()).allSatisfy(n -> assertThat(n).isBetween(850, 1150));
  }

  @Test
  void everyDrawIsOneOfTheCandidatesOfThePlainSampler() {
    for (int seed = 0; seed < 3000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      Case c = Case.random(random);
      Set<Integer> candidates =
          new ReferenceSampler(c.sampling)
              .candidates(c.logits, c.mask, c.history).stream()
                  .map(ReferenceSampler.Candidate::token)
                  .collect(Collectors.toCollection(TreeSet::new));
      Sampler sampler = new Sampler(c.sampling, c.logits.length);
      Set<Integer> drawn = new TreeSet<>();
      for (int position = 0; position < 40; position++) {
        drawn.add(c.choose(sampler, position));
      }
      assertThat(candidates).as("seed %d, %s", seed, c.sampling).containsAll(drawn);
    }
  }

  @Test
  void overManyPositionsEveryCandidateOfThePlainSamplerIsDrawn() {
    for (int seed = 0; seed < 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      float[] logits = new float[7];
      for (int i = 0; i < logits.length; i++) {
        logits[i] = Math.round(random.nextGaussian() * 4) / 3f;
      }
      Sampling sampling =
          Sampling.builder()
              .temperature(3)
              .topK(random.nextBoolean() ? 0 : random.nextInt(1, 7))
              .topP(random.nextBoolean() ? 1 : random.nextDouble(0.05, 1))
              .minP(random.nextBoolean() ? 0 : random.nextDouble(0.5))
              .seed(seed)
              .build();
      Set<Integer> drawn = new TreeSet<>();
      Sampler sampler = new Sampler(sampling, logits.length);
      for (int position = 0; position < 1500; position++) {
        drawn.add(sampler.choose(logits, 0, logits.length, null, NONE, 0, position));
      }
      Set<Integer> candidates =
          new ReferenceSampler(sampling)
              .candidates(logits, null, NONE).stream()
                  .map(ReferenceSampler.Candidate::token)
                  .collect(Collectors.toCollection(TreeSet::new));
      assertThat(drawn).as("seed %d, %s", seed, sampling).isEqualTo(candidates);
    }
  }

  @Test
  void drawsFollowTheDistribution() {
    float[] logits = {0, 1, 2, 3, Float.NEGATIVE_INFINITY, 2.5f};
    for (int topK : new int[] {0, 3}) {
      Sampling sampling = Sampling.builder().temperature(1.5).topK(topK).seed(11).build();
      List<ReferenceSampler.Candidate> candidates =
          new ReferenceSampler(sampling).candidates(logits, null, NONE);
      double total = candidates.stream().mapToDouble(c -> StrictMath.exp(c.score() / 1.5)).sum();
      int[] counts = new int[logits.length];
      Sampler sampler = new Sampler(sampling, logits.length);
      for (int position = 0; position < 100_000; position++) {
        counts[sampler.choose(logits, 0, logits.length, null, NONE, 0, position)]++;
      }
      for (ReferenceSampler.Candidate c : candidates) {
        double expected = StrictMath.exp(c.score() / 1.5) / total;
        assertThat(counts[c.token()] / 1e5).isCloseTo(expected, within(0.006));
      }
    }
  }

  @Test
  void aChoiceDependsOnNothingThatHappenedBefore() {
    SplittableRandom random = new SplittableRandom(5);
    SamplerBuffers shared = new SamplerBuffers(300);
    for (int i = 0; i < 500; i++) {
      Case c = Case.random(random, 300);
      int fresh = c.choose(new Sampler(c.sampling, 300), i);
      assertThat(c.choose(new Sampler(c.sampling, shared), i)).isEqualTo(fresh);
    }
  }

  @Test
  void logitsMayStandAnywhereInTheArrayAndStayAsTheyWere() {
    float[] row = {9, 9, 1, 4, 2, 9};
    float[] before = row.clone();
    Sampling sampling = Sampling.builder().logitBias(Map.of(0, 10f)).logprobs(1).build();
    Sampler sampler = new Sampler(sampling, 3);
    assertThat(sampler.choose(row, 2, 3, null, NONE, 0, 0)).isZero();
    assertThat(row).isEqualTo(before);
    assertThat(sampler.logprobs().token(0)).isEqualTo(1);
  }

  @Test
  void logprobsAreThoseOfTheRawDistribution() {
    float[] logits = {1, 3, 2, Float.NaN, 0};
    Sampling sampling =
        Sampling.builder().temperature(2).topK(1).logitBias(Map.of(4, 50f)).logprobs(3).build();
    Sampler sampler = new Sampler(sampling, 5);
    assertThat(sampler.choose(logits, 0, 5, null, NONE, 0, 0)).isEqualTo(4);
    double z = Math.log(Math.exp(1) + Math.exp(3) + Math.exp(2) + 1);
    Logprobs logprobs = sampler.logprobs();
    assertThat(logprobs.chosen()).isCloseTo((float) -z, within(1e-6f));
    assertThat(logprobs.alternatives()).isEqualTo(3);
    assertThat(new int[] {logprobs.token(0), logprobs.token(1), logprobs.token(2)})
        .containsExactly(1, 2, 0);
    assertThat(logprobs.logprob(0)).isCloseTo((float) (3 - z), within(1e-6f));
  }

  @Test
  void exponentialIsAccurate() {
    for (double x = 0; x > -690; x -= 0.0137) {
      assertThat(DoubleExp.of(x) / StrictMath.exp(x)).isCloseTo(1, within(1e-8));
    }
    assertThat(DoubleExp.of(0)).isEqualTo(1);
    assertThat(DoubleExp.of(Double.NEGATIVE_INFINITY)).isZero();
    assertThat(DoubleExp.of(Double.NaN)).isZero();
  }

  @Test
  void aChoiceAllocatesNothing() {
    ThreadMXBean bean = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    SplittableRandom random = new SplittableRandom(9);
    for (int i = 0; i < 20; i++) {
      Case c = Case.random(random, 5000);
      Sampler sampler = new Sampler(c.sampling, 5000);
      c.choose(sampler, 0);
      long least = Long.MAX_VALUE;
      for (int position = 1; position < 4; position++) { // the JVM may allocate now and then
        long before = bean.getCurrentThreadAllocatedBytes();
        long empty = bean.getCurrentThreadAllocatedBytes() - before;
        before = bean.getCurrentThreadAllocatedBytes();
        c.choose(sampler, position);
        least = Math.min(least, bean.getCurrentThreadAllocatedBytes() - before - empty);
      }
      assertThat(least).as(c.sampling.toString()).isZero();
    }
  }

  private static final double DICE_0_0 = 0.6524484863740322;
  private static final double DICE_42_1000 = 0.6952598398323256;
  private static final double DICE_M1_5 = 0.15403342580516755;

  private static int choose(Sampling sampling, long @Nullable [] mask, float... logits) {
    return new Sampler(sampling, logits.length).choose(logits, 0, logits.length, mask, NONE, 0, 0);
  }

  /** Settings and arguments, with many ties among the scores. */
  private record Case(Sampling sampling, float[] logits, long @Nullable [] mask, int[] history) {
    static Case random(SplittableRandom random) {
      return random(random, 1 + random.nextInt(700));
    }

    static Case random(SplittableRandom random, int size) {
      float[] logits = new float[size];
      boolean ties = random.nextBoolean();
      for (int i = 0; i < size; i++) {
        float value = (float) random.nextGaussian() * 3;
        logits[i] = ties ? Math.round(value) : value;
      }
      long[] mask = random.nextBoolean() ? null : new long[(size + 63) / 64];
      if (mask != null) {
        for (int i = 0; i < mask.length; i++) {
          mask[i] = random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(-1, 1);
        }
        mask[0] |= 1;
      }
      int[] history = random.ints(random.nextInt(50), 0, size).toArray();
      return new Case(settings(random, size), logits, mask, history);
    }

    private static Sampling settings(SplittableRandom random, int size) {
      return Sampling.builder()
          .temperature(random.nextInt(4) == 0 ? 0 : random.nextDouble(0.1, 2))
          .topK(random.nextBoolean() ? 0 : random.nextInt(1, size + 2))
          .topP(random.nextBoolean() ? 1 : random.nextDouble(0.05, 1))
          .minP(random.nextBoolean() ? 0 : random.nextDouble(0.5))
          .repetitionPenalty(random.nextBoolean() ? 1 : 1.3)
          .presencePenalty(random.nextBoolean() ? 0 : 0.5)
          .frequencyPenalty(random.nextBoolean() ? 0 : -0.25)
          .penaltyWindow(random.nextInt(-1, 30))
          .logitBias(random.nextBoolean() ? Map.of() : Map.of(random.nextInt(size), 2.5f))
          .seed(random.nextLong())
          .logprobs(random.nextInt(-1, 4))
          .build();
    }

    int choose(Sampler sampler, int position) {
      return sampler.choose(logits, 0, logits.length, mask, history, history.length, position);
    }
  }
}
