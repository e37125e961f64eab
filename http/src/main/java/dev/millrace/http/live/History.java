package dev.millrace.http.live;

import dev.millrace.api.live.LiveRates;
import dev.millrace.api.live.ThroughputHistory;
import dev.millrace.api.live.ThroughputHistory.Sample;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.stats.StatusCounts;
import dev.millrace.core.task.TaskState;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.ModelStats;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the server did in the last hour, a sample every five seconds, in memory. It starts when the
 * server does. Thread-safe.
 */
final class History implements AutoCloseable {
  static final Duration INTERVAL = Duration.ofSeconds(5);

  /** How far back it goes. */
  static final int MAX_MINUTES = 60;

  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final Sources sources;
  private final InstantSource clock;
  private final Deque<Sample> samples = new ArrayDeque<>(); // guarded by this
  private final CountDownLatch closed = new CountDownLatch(1);
  private boolean failing; // the last sample; of its thread

  /**
   * Where the numbers come from.
   *
   * @param models gives null if there are none
   */
  record Sources(
      Supplier<LiveRates> rates,
      Supplier<StatusCounts> counts,
      Supplier<@Nullable InferenceStats> models) {}

  History(Sources sources, InstantSource clock) {
    this.sources = sources;
    this.clock = clock;
  }

  /** Starts to sample in the background. */
  History start() {
    MonitoredThreads.virtualService("millrace-history").start(this::run);
    return this;
  }

  private void run() {
    try {
      while (!closed.await(INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
        sampleSafely();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt: no more samples of the throughput are taken");
    }
  }

  /** Takes a sample if it can. A database may be away for hours: only the first miss is logged. */
  void sampleSafely() {
    try {
      sample();
      failing = false;
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "a sample of the throughput is missing", e); // the store says it itself
    } catch (RuntimeException | Error e) { // the next may succeed
      Level level = failing ? Level.DEBUG : Level.WARNING;
      LOG.log(level, "samples of the throughput are missing", e);
      failing = true;
    }
  }

  /** Takes a sample now. */
  void sample() {
    StatusCounts counts = sources.counts().get();
    InferenceStats stats = sources.models().get();
    List<ModelStats> models = stats == null ? List.of() : stats.models();
    add(
        new Sample(
            clock.instant().getEpochSecond(),
            sources.rates().get(),
            queued(counts, TaskState.PENDING) + queued(counts, TaskState.RETRIED),
            queued(counts, TaskState.IN_PROGRESS),
            share(models, ModelStats::running, ModelStats::slots),
            share(models, ModelStats::pagesUsed, ModelLoads::pages)));
  }

  private synchronized void add(Sample sample) {
    samples.addLast(sample);
    if (samples.size() > count(MAX_MINUTES)) {
      samples.removeFirst();
    }
  }

  private static int count(int minutes) {
    return (int) (Duration.ofMinutes(minutes).toSeconds() / INTERVAL.toSeconds());
  }

  private static long queued(StatusCounts counts, TaskState state) {
    return counts.queue().entrySet().stream()
        .filter(each -> each.getKey().state() == state)
        .mapToLong(each -> each.getValue())
        .sum();
  }

  private static @Nullable Double share(
      List<ModelStats> models, ToLongFunction<ModelStats> part, ToLongFunction<ModelStats> whole) {
    long all = models.stream().mapToLong(whole).sum();
    return all == 0 ? null : ModelLoads.share(models.stream().mapToLong(part).sum(), all);
  }

  /** The samples of the last minutes. */
  synchronized ThroughputHistory last(int minutes) {
    List<Sample> all = List.copyOf(samples);
    return new ThroughputHistory(
        INTERVAL, all.subList(Math.max(0, all.size() - count(minutes)), all.size()));
  }

  @Override
  public void close() {
    closed.countDown();
  }
}
