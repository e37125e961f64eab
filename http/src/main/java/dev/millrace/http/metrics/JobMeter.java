package dev.millrace.http.metrics;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.Subscription;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long jobs take from creation to end, and how their stages and tasks end. It polls
 * the changed jobs on its own thread, so that no request waits for it. Jobs that end while too many
 * others do are not measured; {@code millrace_jobs_unmeasured_total} counts them.
 */
final class JobMeter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int MAX_JOBS = 50_000;
  private static final Duration INTERVAL = Duration.ofMillis(250);
  private static final Duration RECENT = Duration.ofMinutes(1);
  private static final double[] SECONDS = {
    0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 1800, 7200, 43_200, 172_800
  };

  private final JobStore store;
  private final InstantSource clock;
  private final BoundedTypeLabels types;
  private final Histogram latency;
  private final Counter stages;
  private final Counter tasks;
  private final Counter unmeasured;
  private final Set<JobId> changed = ConcurrentHashMap.newKeySet();
  private final Map<JobId, Boolean> counted = // used by one thread; an ended job may change again
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Boolean> eldest) {
          return size() > MAX_JOBS;
        }
      };
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Subscription subscription;

  JobMeter(
      PrometheusRegistry registry, BoundedTypeLabels types, JobStore store, InstantSource clock) {
    this.store = store;
    this.types = types;
    this.clock = clock;
    Histogram.Builder builder =
        Histogram.builder()
            .name("millrace_job_seconds")
            .help("From a job's creation to its end, by how it ended.")
            .labelNames("outcome")
            .classicOnly()
            .classicUpperBounds(SECONDS);
    builder.withoutExemplars();
    this.latency = builder.register(registry);
    this.stages =
        counter("millrace_stages_ended_total", "Stages of jobs that ended, by their state.")
            .labelNames("type", "outcome")
            .register(registry);
    this.tasks =
        counter("millrace_tasks_ended_total", "Tasks of jobs that ended, by their state.")
            .labelNames("type", "outcome")
            .register(registry);
    this.unmeasured =
        counter(
                "millrace_jobs_unmeasured_total",
                "Job changes that were not measured, because there were too many.")
            .register(registry);
    this.subscription = store.onChange(this::changed);
    MonitoredThreads.service("millrace-meter").start(this::poll);
  }

  private static Counter.Builder counter(String name, String help) {
    Counter.Builder builder = Counter.builder().name(name).help(help);
    builder.withoutExemplars();
    return builder;
  }

  private void changed(JobId job) {
    if (changed.size() < MAX_JOBS) {
      changed.add(job);
    } else {
      unmeasured.inc();
    }
  }

  private void poll() {
    try {
      while (!closed.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
        measure();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt; jobs are no longer measured");
    }
  }

  private void measure() {
    for (Iterator<JobId> all = changed.iterator(); all.hasNext(); ) {
      JobId job = all.next();
      all.remove(); // before it is read: later changes are reported again
      try {
        measure(job);
      } catch (StoreException e) {
        LOG.log(Level.DEBUG, "job " + job + " is not measured", e);
      } catch (RuntimeException | Error e) { // measure the other jobs anyway
        LOG.log(Level.WARNING, "job " + job + " is not measured", e);
      }
    }
  }

  private void measure(JobId job) {
    Optional<JobState> state = store.state(job);
    if (state.isEmpty() || !state.get().isFinal() || counted.containsKey(job)) {
      return;
    }
    Optional<JobView> view = store.find(job);
    Instant end = view.map(JobView::completedAt).orElse(null);
    if (view.isEmpty() || end == null) {
      return;
    }
    counted.put(job, true);
    if (end.plus(RECENT).isAfter(clock.instant())) { // else only its metadata changed
      long nanos = Duration.between(view.get().createdAt(), end).toNanos();
      latency.labelValues(label(state.get())).observe(Math.max(0, nanos) / 1e9);
      view.get().stages().forEach(this::count);
    }
  }

  private void count(StageView stage) {
    String type = types.label(stage.type());
    stage
        .tasks()
        .forEach(
            (state, count) -> {
              if (state.isFinal()) {
                tasks.labelValues(type, label(state)).inc(count);
              }
            });
    if (stage.state().isFinal()) { // a stage that never began did not end either
      stages.labelValues(type, label(stage.state())).inc();
    }
  }

  private static String label(Enum<?> state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void close() {
    subscription.close();
    closed.countDown();
  }
}
