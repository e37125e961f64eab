package dev.millrace.core.store;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Additions;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.Levers;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The half of a {@link MemoryStore} that users see: submitting, levers, additions, notes. */
abstract class MemoryControls extends MemorySteps implements Submitting, Controls, Notebook {
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
            keep(WEBHOOKS, id.value(), "{\"after\":0}");
          }
          MemoryJob job = new MemoryJob(id, spec, now());
          jobs.put(id, job);
          folds.put(id, job.fold());
          step(
              id,
              turn -> {
                turn.record(new Fact.Submitted());
                return turn.settle();
              });
          return true;
        });
  }

  private static void requireSmallInputs(JobSpec spec) {
    spec.stages().forEach(stage -> MemoryJob.requireSmallInputs(stage.type(), stage.tasks()));
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return answer(id, turn -> Levers.pull(turn, JobEvent.PAUSE, cause));
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return answer(id, turn -> Levers.pull(turn, JobEvent.RESUME, cause));
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return answer(id, turn -> Levers.pull(turn, JobEvent.ABORT, cause));
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return answer(id, turn -> Levers.approve(turn, stage, cause));
  }

  @Override
  public Answer hold(JobId id, int stage, Cause cause) {
    return answer(id, turn -> Levers.hold(turn, stage, cause));
  }

  @Override
  public Added addStage(JobId id, StageSpec spec, Cause cause) {
    MemoryJob.requireSmallInputs(spec.type(), spec.tasks());
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          if (fold != null && Additions.allowsStage(fold, spec).done()) {
            jobs.get(id).add(spec); // before it opens, in the same turn perhaps
          }
          Answer answer = answer(id, turn -> Additions.addStage(turn, spec, cause));
          return new Added(answer, answer.done() ? fold.stageCount() : 0);
        });
  }

  @Override
  public Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          int first = 0;
          if (fold != null && Additions.allowsTasks(fold, stage, tasks).done()) {
            MemoryJob.requireSmallInputs(fold.stage(stage).plan().type(), tasks);
            first = fold.stage(stage).size() + 1;
            jobs.get(id).add(stage, tasks);
          }
          return new Added(
              answer(id, turn -> Additions.addTasks(turn, stage, tasks, cause)), first);
        });
  }

  @Override
  public Answer prioritize(JobId id, Priority priority, Cause cause) {
    return answer(id, turn -> Additions.prioritize(turn, priority, priority(id), cause));
  }

  @Override
  public Answer describe(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    return answer(id, turn -> Additions.describe(turn, stage, task, metadata, cause));
  }

  @Override
  public Answer delete(JobId id) {
    return alone(
        () -> {
          JobFold fold = folds.get(id);
          if (fold == null) {
            return new Answer.Missing("no job " + id);
          }
          Answer allowed = Additions.allowsDelete(fold);
          if (allowed.done()) {
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
  public synchronized Optional<String> note(String shelf, String name) {
    Notebook.requireName(name);
    return Optional.ofNullable(shelf(shelf).get(name));
  }

  @Override
  public synchronized List<String> names(String shelf) {
    return List.copyOf(shelf(shelf).keySet());
  }

  private Map<String, String> shelf(String shelf) {
    return shelves.getOrDefault(Notebook.requireName(shelf), new TreeMap<>());
  }

  @Override
  public synchronized void keep(String shelf, String name, String text) {
    Notebook.requireText(text);
    shelves
        .computeIfAbsent(Notebook.requireName(shelf), _ -> new TreeMap<>())
        .put(Notebook.requireName(name), text);
  }

  @Override
  public synchronized void drop(String shelf, String name) {
    Notebook.requireName(name);
    shelf(shelf).remove(name);
  }
}
