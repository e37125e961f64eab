package dev.millrace.core.store.memory;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** How a {@link MemoryStore} changes: one step at a time, followed by notifications. */
abstract class MemoryUpdates extends MemoryReader {
  final ContractSettings settings;

  /** Counts changes that may have made a task claimable. */
  long work = 1;

  /** When backoffs end: only time makes their tasks claimable. */
  final NavigableSet<Instant> backoffs = new TreeSet<>();

  private final List<Consumer<JobId>> watchers = new CopyOnWriteArrayList<>();
  private volatile Consumer<JobId> levers = _ -> {};
  private final Set<JobId> changed = new LinkedHashSet<>();
  private final Set<JobId> pulled = new LinkedHashSet<>();

  MemoryUpdates(ContractSettings settings, Contents contents) {
    super(contents);
    this.settings = settings;
  }

  Instant now() {
    return settings.clock().instant().truncatedTo(ChronoUnit.MICROS);
  }

  /** Runs {@code act} alone; after the outermost call, notifies of what it changed. */
  final <T> T alone(Supplier<T> act) {
    boolean outermost = !Thread.holdsLock(this);
    List<JobId> tell = List.of();
    List<JobId> leverJobs = List.of();
    T answer;
    synchronized (this) {
      answer = act.get();
      if (outermost) {
        tell = List.copyOf(changed);
        leverJobs = List.copyOf(pulled);
        changed.clear();
        pulled.clear();
      }
    }
    leverJobs.forEach(id -> levers.accept(id));
    tell.forEach(id -> watchers.forEach(watcher -> watcher.accept(id)));
    return answer;
  }

  /** One update of a job: when it returns, what it recorded is in the log. */
  final <T> T step(JobId id, Function<JobUpdate, T> act) {
    return alone(
        () -> {
          MemoryJob job = jobs.get(id);
          JobFold fold = folds.get(id);
          Set<String> stopping = stopping(fold);
          Set<List<Integer>> running = running(fold);
          JobUpdate update = new JobUpdate(fold, now(), job::open);
          T answer = act.apply(update);
          if (!update.entries().isEmpty()) {
            job.log.addAll(update.entries());
            update.entries().forEach(entry -> recorded(entry, running));
            if (!running.isEmpty() && !stopping.containsAll(stopping(fold))) {
              pulled.add(id);
            }
            touched(id);
          }
          return answer;
        });
  }

  private void recorded(LogEntry entry, Set<List<Integer>> running) {
    if (entry.fact() instanceof Fact.TaskChanged(int stage, int task, var _, Detail detail)) {
      running.remove(List.of(stage, task)); // it knows
      if (detail instanceof Detail.Retrying(String _, Instant notBefore)) {
        backoffs.add(notBefore);
      }
    }
  }

  final void touched(JobId id) {
    changed.add(id);
    work++;
    notifyAll();
  }

  final Outcome answer(JobId id, Function<JobUpdate, Outcome> act) {
    return alone(() -> jobs.containsKey(id) ? step(id, act) : new Outcome.Missing("no job " + id));
  }

  private static Set<List<Integer>> running(JobFold fold) {
    Set<List<Integer>> running = new HashSet<>();
    for (StageFold stage : fold.stages()) {
      for (int task = 1; stage.count(TaskState.IN_PROGRESS) > 0 && task <= stage.size(); task++) {
        if (stage.task(task).state() == TaskState.IN_PROGRESS) {
          running.add(List.of(stage.number(), task));
        }
      }
    }
    return running;
  }

  /** The states of a job and its stages that stop its tasks. */
  private static Set<String> stopping(JobFold fold) {
    Set<String> names = new HashSet<>();
    if (Set.of(JobState.PAUSED, JobState.ABORTED, JobState.FAILED).contains(fold.state())) {
      names.add(fold.state().name());
    }
    fold.stages().stream()
        .filter(stage -> stage.state() == StageState.WAITING)
        .forEach(stage -> names.add("stage " + stage.number()));
    return names;
  }

  public void onLever(Consumer<JobId> watcher) {
    levers = watcher;
  }

  public Subscription onChange(Consumer<JobId> watcher) {
    Consumer<JobId> own = watcher::accept; // the same watcher may be added twice
    watchers.add(own);
    return () -> watchers.remove(own);
  }
}
