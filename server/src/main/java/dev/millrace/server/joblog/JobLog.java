package dev.millrace.server.joblog;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.server.TaskListener;
import dev.millrace.server.TaskOutcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Logs a line when a job begins and a line when it ends, however many tasks it has. It learns of
 * claims and changes from the store, so that jobs of workers elsewhere are logged, too; the tokens
 * are those of this server's own tasks. A thread of its own reads the jobs and writes the lines, so
 * that no task waits for it.
 */
public final class JobLog implements AutoCloseable {
  private static final Optional<Runnable> NOTHING = Optional.of(() -> {});
  private static final int MAX_REMEMBERED = 10_000;
  private static final Duration RECENT = Duration.ofMinutes(1);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** How long the end of a job may wait for the figures of its last task. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final JobStore store;
  private final ProcessTimeline timeline;
  private final Logger log;
  private final Instant start;
  private final Map<JobId, JobFigures> begun = new ConcurrentHashMap<>();
  private final Set<JobId> changed = ConcurrentHashMap.newKeySet();
  private final BlockingQueue<Optional<Runnable>> queue =
      new LinkedBlockingQueue<>(); // an empty one ends the thread
  private final Map<JobId, Instant> late =
      new HashMap<>(); // steady times; used by the thread alone
  private final Map<JobId, Boolean> ended = // used by the thread alone; an ended job may change
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<JobId, Boolean> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };
  private final Subscription changes;
  private final Subscription claims;
  private final Thread thread;

  private JobLog(JobStore store, Clock clock, Logger log) {
    this.store = store;
    this.timeline = new ProcessTimeline(clock);
    this.log = log;
    this.start = timeline.opened();
    this.changes = store.onChange(this::changed);
    this.claims =
        store.onWork(
            new WorkListener() {
              @Override
              public void claimed(Claim claim) {
                JobLog.this.claimed(claim.job());
              }
            });
    this.thread = MonitoredThreads.service("millrace-job-log").start(this::run);
  }

  /** Logs the jobs of a store from now on. */
  public static JobLog of(JobStore store) {
    return of(store, Clock.systemUTC(), System.getLogger("dev.millrace.server"));
  }

  static JobLog of(JobStore store, Clock clock, Logger log) {
    return new JobLog(store, clock, log);
  }

  /** The listener to register for the server's own tasks. */
  public TaskListener taskListener() {
    return new TaskListener() {
      @Override
      public void started(Claim claim) {
        figures(claim.job()).started(timeline.now().steady());
      }

      @Override
      public void finished(Claim claim, TaskOutcome outcome, Outcome answer) {
        JobFigures figures = begun.get(claim.job());
        if (figures != null) {
          figures.finished(timeline.now().steady(), answer.isDone() ? outcome : null);
          changed(claim.job()); // its end may have waited for this
        }
      }
    };
  }

  private JobFigures figures(JobId job) {
    return begun.computeIfAbsent(job, _ -> new JobFigures());
  }

  private void claimed(JobId job) {
    JobFigures figures = figures(job);
    if (figures.begin()) {
      queue.add(Optional.of(() -> store.find(job).ifPresent(view -> begin(view, figures))));
    }
  }

  private void changed(JobId job) {
    changed.add(job);
  }

  private void run() {
    try {
      long next = System.nanoTime();
      for (Optional<Runnable> step = NOTHING; step.isPresent(); ) {
        run(step.get());
        if (System.nanoTime() - next >= 0) {
          endChanged();
          next = System.nanoTime() + TICK.toNanos();
        }
        Optional<Runnable> arrived = queue.poll(TICK.toNanos(), TimeUnit.NANOSECONDS);
        step = arrived == null ? NOTHING : arrived;
      }
      endChanged();
      List.copyOf(late.keySet()).forEach(job -> run(() -> end(job)));
    } catch (InterruptedException e) {
      log.log(Level.WARNING, "unexpected interrupt; jobs are no longer logged");
    }
  }

  /** Looks at the jobs that changed since the last time, however often they did. */
  private void endChanged() {
    for (Iterator<JobId> all = changed.iterator(); all.hasNext(); ) {
      JobId job = all.next();
      all.remove(); // before it is read: later changes are reported again
      run(() -> endIfEnded(job));
    }
    Instant now = timeline.now().steady();
    for (Map.Entry<JobId, Instant> each : Map.copyOf(late).entrySet()) {
      if (now.isAfter(each.getValue())) {
        run(() -> end(each.getKey())); // its last task has not reported in time
      }
    }
  }

  private void run(Runnable step) {
    try {
      step.run();
    } catch (StoreException e) {
      log.log(Level.DEBUG, "a job is not logged", e);
    } catch (RuntimeException | Error e) { // log the other jobs anyway
      log.log(Level.WARNING, "a job is not logged", e);
    }
  }

  private void begin(JobView view, JobFigures figures) {
    if (figures.takeBegin()) {
      boolean resumed = view.startedAt() != null && view.startedAt().isBefore(start);
      log.log(Level.INFO, JobLogText.begin(view, resumed));
    }
  }

  private void endIfEnded(JobId job) {
    JobState state = store.state(job).orElse(null);
    if (state == null) {
      begun.remove(job); // it was deleted
    } else if (state.isFinal()) {
      JobFigures figures = begun.get(job);
      if (figures != null && figures.isRunning()) {
        late.putIfAbsent(job, timeline.now().steady().plus(PATIENCE));
      } else {
        end(job);
      }
    }
  }

  private void end(JobId job) {
    late.remove(job);
    JobFigures figures = begun.remove(job);
    JobView view = store.find(job).orElse(null);
    Instant end = view == null ? null : view.completedAt();
    if (end == null || ended.containsKey(job)) {
      return;
    }
    ended.put(job, true);
    if (figures != null
        || end.plus(RECENT).isAfter(timeline.now().wall())) { // else it only changed
      Level level = view.state() == JobState.FAILED ? Level.WARNING : Level.INFO;
      if (figures != null) {
        begin(view, figures); // an earlier change of the job may be looked at only now
      }
      log.log(level, JobLogText.end(view, figures == null ? new JobFigures() : figures));
    }
  }

  /** Logs what has happened so far, and stops. */
  @Override
  public void close() {
    changes.close();
    claims.close();
    queue.add(Optional.empty());
    try {
      if (!thread.join(CLOSE_TIMEOUT)) {
        log.log(Level.DEBUG, "the log of jobs does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
