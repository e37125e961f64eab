package dev.millrace.bench.database;

import dev.millrace.bench.database.ClaimSampler.Cost;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What it costs to claim and complete a batch in a database, compared with another one. Batches of
 * both alternate, so that a slow moment of the machine affects both.
 */
public final class ClaimCosts {
  private static final double GOAL = 1.5;

  /** Of the samples, so many only warm up. */
  private static final int WARM_UP = 10;

  private final String baseName;
  private final String name;
  private final List<Cost> base = new ArrayList<>();
  private final List<Cost> costs = new ArrayList<>();

  public ClaimCosts(String baseName, String name) {
    this.baseName = baseName;
    this.name = name;
  }

  /** How many jobs have to wait in each of the two. */
  public static int jobs(int samples) {
    return (samples + WARM_UP) * ClaimSampler.BATCH;
  }

  public ClaimCosts measure(PostgresSettings first, PostgresSettings second, int samples)
      throws ExecutionException, InterruptedException {
    try (ClaimSampler one = new ClaimSampler(first);
        ClaimSampler other = new ClaimSampler(second)) {
      for (int i = 0; i < samples + WARM_UP; i++) {
        if (i == WARM_UP) {
          base.clear();
          costs.clear();
        }
        boolean baseFirst = i % 2 == 0;
        Cost before = baseFirst ? one.sample() : other.sample();
        Cost after = baseFirst ? other.sample() : one.sample();
        add(baseFirst ? before : after, baseFirst ? after : before);
      }
    }
    return this;
  }

  public void print() {
    System.out.printf(
        Locale.ROOT, "%n%-48s %10s %10s %10s%n", "a batch of 100, ms", "claim", "complete", "both");
    printRow(baseName, base);
    printRow(name, costs);
    System.out.printf(
        Locale.ROOT,
        "%-48s %9.2fx %9.2fx %9.2fx%n",
        "median of the ratios",
        ratio(Cost::claimMillis),
        ratio(Cost::completeMillis),
        ratio(Cost::millis));
    System.out.printf(
        Locale.ROOT,
        "%-48s %10s %10s %10s%n",
        String.format(Locale.ROOT, "the goal of %.1fx", GOAL),
        verdict(Cost::claimMillis),
        "",
        verdict(Cost::millis));
  }

  /** A quick completion must not hide a slow claim: each is judged. */
  private String verdict(ToDoubleFunction<Cost> part) {
    return isWithinGoal(part) ? "within" : "BEYOND";
  }

  boolean isWithinGoal(ToDoubleFunction<Cost> part) {
    return ratio(part) <= GOAL;
  }

  /** Adds what a batch of each has taken. */
  void add(Cost first, Cost second) {
    base.add(first);
    costs.add(second);
  }

  private static void printRow(String name, List<Cost> costs) {
    System.out.printf(
        Locale.ROOT,
        "%-48s %10.2f %10.2f %10.2f%n",
        name,
        median(costs, Cost::claimMillis),
        median(costs, Cost::completeMillis),
        median(costs, Cost::millis));
  }

  private static double median(List<Cost> costs, ToDoubleFunction<Cost> part) {
    return InterleavedRounds.median(costs.stream().map(cost -> part.applyAsDouble(cost)).toList());
  }

  private double ratio(ToDoubleFunction<Cost> part) {
    return InterleavedRounds.median(
        IntStream.range(0, costs.size())
            .mapToObj(i -> part.applyAsDouble(costs.get(i)) / part.applyAsDouble(base.get(i)))
            .toList());
  }
}
