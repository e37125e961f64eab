package dev.millrace.bench.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Runs several contenders in interleaved rounds: machines are noisy, so only runs of the same round
 * are compared, and only as ratios.
 */
public final class InterleavedRounds {

  /** One measurement: how many per second. */
  @FunctionalInterface
  public interface Contender {
    double perSecond() throws Exception;
  }

  private final Map<String, Contender> contenders = new LinkedHashMap<>();
  private final Map<String, List<Double>> rates = new LinkedHashMap<>();

  public InterleavedRounds add(String name, Contender contender) {
    contenders.put(name, contender);
    rates.put(name, new ArrayList<>());
    return this;
  }

  /** One round to warm up, then {@code rounds} that count. */
  public InterleavedRounds run(int rounds) throws Exception {
    for (Contender contender : contenders.values()) {
      contender.perSecond();
    }
    return runWarm(rounds);
  }

  /** Rounds that all count, each in the reverse order of the one before: a drift favours nobody. */
  public InterleavedRounds runWarm(int rounds) throws Exception {
    List<String> order = new ArrayList<>(contenders.keySet());
    for (int round = 0; round < rounds; round++) {
      for (String name : order) {
        rates.get(name).add(contenders.get(name).perSecond());
      }
      Collections.reverse(order);
    }
    return this;
  }

  /** A row for each contender; its ratio to the first is the median of those of the rounds. */
  public void print(String unit) {
    List<Double> base = rates.values().iterator().next();
    System.out.printf(Locale.ROOT, "%-44s %12s %8s%n", "", unit + "/s", "ratio");
    rates.forEach(
        (name, values) ->
            System.out.printf(
                Locale.ROOT,
                "%-44s %12.0f %7.2fx  %s%n",
                name,
                median(values),
                ratio(values, base),
                values.stream().map(value -> String.format(Locale.ROOT, "%.0f", value)).toList()));
  }

  /**
   * The ratios of a contender to another one, round by round, and whether their median is enough;
   * nothing if one of them did not run.
   */
  public void printGoal(String name, String base, double least) {
    if (!rates.containsKey(name) || !rates.containsKey(base)) {
      return;
    }
    List<Double> ratios = ratios(rates.get(name), rates.get(base));
    double median = median(ratios);
    System.out.printf(
        Locale.ROOT,
        "%-57s %7.2fx  %s %.1fx  %s%n",
        name + " / " + base,
        median,
        median >= least ? "reaches" : "MISSES",
        least,
        ratios.stream().map(value -> String.format(Locale.ROOT, "%.2f", value)).toList());
  }

  private static double ratio(List<Double> values, List<Double> base) {
    return median(ratios(values, base));
  }

  private static List<Double> ratios(List<Double> values, List<Double> base) {
    return IntStream.range(0, values.size()).mapToObj(i -> values.get(i) / base.get(i)).toList();
  }

  public static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[sorted.length / 2];
  }

  public static double percentile(long[] values, double share) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[(int) Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  }
}
