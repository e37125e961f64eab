package dev.millrace.core.store.memory;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.rules.AdditionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.fixture.ContractSettings;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The part of {@link MemoryStore} for users: submissions, levers, additions, notes. */
abstract class MemoryControls extends MemoryUpdates
    implements JobSubmitter, JobControls, NoteStore {
  private final Map<String, java.util.SortedMap<String, String>> shelves;

  MemoryControls(ContractSettings settings, Contents contents) {
    super(settings, contents);
    this.shelves = contents.shelves;
  }

  @Override
  public JobId submit(JobSpec spec) {
    return alone(
        () -> {
          requireSmallInputs(spec);
          JobId id = settings.ids().get();
          submit(spec, id);
          return id;
        });
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    return alone(
        () -> {
          requireSmallInputs(spec);
          if (jobs.containsKey(id)) {
            return false;
          }
          if (!spec.webhooks().isEmpty()) {
            writeNote(WEBHOOKS, id.value(), "{\"after\":0}");
          }
          MemoryJob job = new MemoryJob(id, spec, now());
          jobs.put(id, job);
          folds.put(id, job.fold());
          step(
              id,
              update -> {
                update.record(new Fact.Submitted());
                return update.runCascade();
              });
          return true;
        });
  }

  private static void requireSmallInputs(JobSpec spec) {
    spec.stages().forEach(stage -> MemoryJob.requireSmallInputs(stage.type(), stage.tasks()));
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          if (fold == null) {
            return new Outcome.Missing("no job " + id);
          }
          keepTexts(jobs.get(id), fold, lever);
          Outcome outcome =
              step(
                  id,
                  update ->
                      LeverRules.apply(
                          update, lever, JobHeader.of(id, jobs.get(id).submitted), cause));
          if (lever instanceof Lever.Delete && outcome.isDone()) {
            forget(List.of(id));
          }
          return outcome;
        });
  }

  /** Keeps what is added before the stage opens, perhaps in the same update. */
  private static void keepTexts(MemoryJob job, JobFold fold, Lever lever) {
    if (lever instanceof Lever.AddStage(StageSpec spec)) {
      MemoryJob.requireSmallInputs(spec.type(), spec.tasks());
      if (AdditionRules.allowsStage(fold, spec).isDone()) {
        job.add(spec);
      }
    } else if (lever instanceof Lever.AddTasks(int stage, List<TaskSpec> tasks)
        && AdditionRules.allowsTasks(fold, stage, tasks).isDone()) {
      MemoryJob.requireSmallInputs(fold.stage(stage).plan().type(), tasks);
      job.add(stage, tasks);
    }
  }

  private void forget(List<JobId> ids) {
    jobs.keySet().removeAll(ids);
    folds.keySet().removeAll(ids);
    ids.forEach(this::touched);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return alone(
        () -> {
          List<JobId> old =
              jobs.keySet().stream()
                  .filter(id -> states.contains(folds.get(id).state()))
                  .filter(id -> folds.get(id).state().isFinal())
                  .filter(id -> folds.get(id).completedAt().isBefore(before))
                  .toList();
          forget(old);
          return old.size();
        });
  }

  @Override
  public synchronized Optional<String> readNote(String collection, String name) {
    NoteStore.requireName(name);
    return Optional.ofNullable(shelf(collection).get(name));
  }

  @Override
  public synchronized List<String> noteNames(String collection) {
    return List.copyOf(shelf(collection).keySet());
  }

  private Map<String, String> shelf(String collection) {
    return shelves.getOrDefault(NoteStore.requireName(collection), new TreeMap<>());
  }

  @Override
  public synchronized void writeNote(String collection, String name, String text) {
    NoteStore.requireText(text);
    shelves
        .computeIfAbsent(NoteStore.requireName(collection), _ -> new TreeMap<>())
        .put(NoteStore.requireName(name), text);
  }

  @Override
  public synchronized void deleteNote(String collection, String name) {
    NoteStore.requireName(name);
    shelf(collection).remove(name);
  }
}
