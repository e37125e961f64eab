package dev.millrace.core.store.memory;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.rules.AdditionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobSubmitter;
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
  public Outcome pause(JobId id, Cause cause) {
    return answer(id, update -> LeverRules.applyToJob(update, JobEvent.PAUSE, cause));
  }

  @Override
  public Outcome resume(JobId id, Cause cause) {
    return answer(id, update -> LeverRules.applyToJob(update, JobEvent.RESUME, cause));
  }

  @Override
  public Outcome abort(JobId id, Cause cause) {
    return answer(id, update -> LeverRules.applyToJob(update, JobEvent.ABORT, cause));
  }

  @Override
  public Outcome approve(JobId id, int stage, Cause cause) {
    return answer(id, update -> LeverRules.approve(update, stage, cause));
  }

  @Override
  public Outcome hold(JobId id, int stage, Cause cause) {
    return answer(id, update -> LeverRules.hold(update, stage, cause));
  }

  @Override
  public Added addStage(JobId id, StageSpec spec, Cause cause) {
    MemoryJob.requireSmallInputs(spec.type(), spec.tasks());
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          if (fold != null && AdditionRules.allowsStage(fold, spec).isDone()) {
            jobs.get(id).add(spec); // before it opens, perhaps in the same update
          }
          Outcome outcome = answer(id, update -> AdditionRules.addStage(update, spec, cause));
          return new Added(outcome, outcome.isDone() ? fold.stageCount() : 0);
        });
  }

  @Override
  public Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          int first = 0;
          if (fold != null && AdditionRules.allowsTasks(fold, stage, tasks).isDone()) {
            MemoryJob.requireSmallInputs(fold.stage(stage).plan().type(), tasks);
            first = fold.stage(stage).size() + 1;
            jobs.get(id).add(stage, tasks);
          }
          return new Added(
              answer(id, update -> AdditionRules.addTasks(update, stage, tasks, cause)), first);
        });
  }

  @Override
  public Outcome prioritize(JobId id, Priority priority, Cause cause) {
    return answer(id, update -> AdditionRules.prioritize(update, priority, priority(id), cause));
  }

  @Override
  public Outcome replaceMetadata(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return answer(
        id, update -> AdditionRules.replaceMetadata(update, stage, task, metadata, cause));
  }

  @Override
  public Outcome delete(JobId id) {
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          if (fold == null) {
            return new Outcome.Missing("no job " + id);
          }
          Outcome allowed = AdditionRules.allowsDelete(fold);
          if (allowed.isDone()) {
            forget(List.of(id));
          }
          return allowed;
        });
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
