package dev.millrace.http.metrics;

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
 * How long jobs take from their creation to their end, however they end, and what became of their
 * stages and tasks. Looks now and then at the
 * jobs that changed, on a thread of its own: nobody's answer waits for it. A job that ends while too
 * many others do is not counted here, and {@code millrace_jobs_unmeasured_total} says so.
 */
final class JobMeter implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int MOST = 50_000;
  private static final Duration PACE = Duration.ofMillis(250);
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
  private final Map<JobId, Boolean> counted = // one thread's: a job that ended may change again
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Boolean> eldest) {
          return size() > MOST;
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
        counter("millrace_jobs_unmeasured_total", "Changes of jobs that were too many to look at.")
            .register(registry);
    this.subscription = store.onChange(this::changed);
    Thread.ofPlatform().daemon().name("millrace-meter").start(this::watch);
  }

  private static Counter.Builder counter(String name, String help) {
    Counter.Builder builder = Counter.builder().name(name).help(help);
    builder.withoutExemplars();
    return builder;
  }

  private void changed(JobId job) {
    if (changed.size() < MOST) {
      changed.add(job);
    } else {
      unmeasured.inc();
    }
  }

  private void watch() {
    try {
      while (!closed.await(PACE.toNanos(), TimeUnit.NANOSECONDS)) {
        look();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "interrupted by a stranger: jobs are not measured any more");
    }
  }

  private void look() {
    for (Iterator<JobId> all = changed.iterator(); all.hasNext(); ) {
      JobId job = all.next();
      all.remove(); // before it is looked at: what happens from now on is told again
      try {
        look(job);
      } catch (StoreException e) {
        LOG.log(Level.DEBUG, "job " + job + " is not measured", e);
      } catch (RuntimeException | Error e) { // the others are to be measured all the same
        LOG.log(Level.WARNING, "job " + job + " is not measured", e);
      }
    }
  }

  private void look(JobId job) {
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
    if (end.plus(RECENT).isAfter(clock.instant())) { // else somebody only described it anew
      long nanos = Duration.between(view.get().createdAt(), end).toNanos();
      latency.labelValues(word(state.get())).observe(Math.max(0, nanos) / 1e9);
      view.get().stages().forEach(this::count);
    }
  }

  private void count(StageView stage) {
    String type = types.label(stage.type());
    stage.tasks().forEach((state, count) -> tasks.labelValues(type, word(state)).inc(count));
    stages.labelValues(type, word(stage.state())).inc();
  }

  private static String word(Enum<?> state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void close() {
    subscription.close();
    closed.countDown();
  }
}
