package dev.millrace.http.metrics;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.WorkListener;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;

/** Measures how long tasks wait and run, and how attempts end. Thread-safe. */
final class TaskMeter implements WorkListener {
  private static final double[] SECONDS = {
    0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200
  };

  private final BoundedTypeLabels types;
  private final InstantSource clock;
  private final Histogram waits;
  private final Histogram runs;
  private final Counter attempts;
  private final Counter losses;
  private final Counter swept;

  TaskMeter(PrometheusRegistry registry, BoundedTypeLabels types, InstantSource clock) {
    this.types = types;
    this.clock = clock;
    this.waits =
        histogram("millrace_task_wait_seconds", "From a task's creation to its first claim.")
            .labelNames("type")
            .register(registry);
    this.runs =
        histogram("millrace_task_run_seconds", "From a claim to the report of its worker.")
            .labelNames("type", "outcome")
            .register(registry);
    this.attempts =
        counter("millrace_task_attempts_total", "Attempts that a worker reported, by outcome.")
            .labelNames("type", "outcome")
            .register(registry);
    this.losses =
        counter(
                "millrace_lease_losses_total",
                "Heartbeats and reports of workers that had lost their claim.")
            .labelNames("type")
            .register(registry);
    this.swept =
        counter(
                "millrace_swept_tasks_total",
                "Tasks that were moved by timeouts and expired leases.")
            .register(registry);
  }

  private static Histogram.Builder histogram(String name, String help) {
    Histogram.Builder builder =
        Histogram.builder().name(name).help(help).classicOnly().classicUpperBounds(SECONDS);
    builder.withoutExemplars();
    return builder;
  }

  private static Counter.Builder counter(String name, String help) {
    Counter.Builder builder = Counter.builder().name(name).help(help);
    builder.withoutExemplars();
    return builder;
  }

  @Override
  public void claimed(Claim claim) {
    if (claim.attempt() == 1) {
      waits
          .labelValues(types.label(claim.type()))
          .observe(seconds(claim.view().createdAt(), claim.view().updatedAt()));
    }
  }

  @Override
  public void answered(Claim claim, Answer answer, Outcome outcome) {
    String type = types.label(claim.type());
    String ended =
        switch (outcome) {
          case Outcome.Done _ -> answer.name().toLowerCase(Locale.ROOT);
          case Outcome.Cancelled _ -> "cancelled";
          case Outcome.Refused _, Outcome.Fenced _, Outcome.Missing _ -> "late";
        };
    if (outcome instanceof Outcome.Fenced) {
      losses.labelValues(type).inc();
    }
    attempts.labelValues(type, ended).inc();
    runs.labelValues(type, ended).observe(seconds(claim.view().updatedAt(), clock.instant()));
  }

  @Override
  public void signalled(Claim claim, ClaimSignal signal) {
    // Without a lease nothing was lost: a heartbeat of this process has met the task's own end.
    if (signal == ClaimSignal.LOST && claim.lease() != null) {
      losses.labelValues(types.label(claim.type())).inc();
    }
  }

  @Override
  public void swept(int tasks) {
    if (tasks > 0) {
      swept.inc(tasks);
    }
  }

  private static double seconds(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toNanos()) / 1e9;
  }
}
