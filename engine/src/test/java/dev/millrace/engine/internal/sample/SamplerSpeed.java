package dev.millrace.engine.internal.sample;

import dev.millrace.engine.api.Sampling;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;

/** Measures choices over a vocabulary of 128256 tokens, in CPU time of the thread. */
final class SamplerSpeed {
  private static final int VOCABULARY = 128_256;

  private SamplerSpeed() {}

  public static void main(String[] args) {
    float[] logits = new float[VOCABULARY];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < VOCABULARY; i++) {
      logits[i] = (float) random.nextGaussian() * 3;
    }
    var warm = Sampling.builder().temperature(0.8).seed(7);
    measure("greedy", Sampling.greedy(), logits);
    measure("temperature", warm.build(), logits);
    measure("top-k 40", warm.topK(40).build(), logits);
    measure("top-k 40 top-p 0.95 min-p 0.05", warm.topP(0.95).minP(0.05).build(), logits);
    measure("top-p 0.95", warm.topK(0).minP(0).build(), logits);
    measure("top-p 0.95 logprobs 5", warm.logprobs(5).build(), logits);
    measure("greedy logprobs 5", Sampling.builder().logprobs(5).build(), logits);
  }

  private static void measure(String name, Sampling sampling, float[] logits) {
    var bean = ManagementFactory.getThreadMXBean();
    Sampler sampler = new Sampler(sampling, VOCABULARY);
    long best = Long.MAX_VALUE;
    for (int round = 0; round < 6; round++) {
      long start = bean.getCurrentThreadCpuTime();
      for (int i = 0; i < 200; i++) {
        sampler.choose(logits, 0, VOCABULARY, null, new int[0], 0, i);
      }
      best = Math.min(best, bean.getCurrentThreadCpuTime() - start);
    }
    System.out.printf("%-34s %7.1f us%n", name, best / 200e3);
  }
}
