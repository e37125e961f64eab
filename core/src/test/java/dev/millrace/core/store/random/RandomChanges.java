package dev.millrace.core.store.random;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Random changes of existing jobs and of notes. */
final class RandomChanges {
  /** The collection of the notes. */
  static final String SHELF = "random";

  private final SplittableRandom random;
  private final StorePair pair;
  private final List<JobId> ids;
  private final Set<JobId> touched;

  /**
   * @param ids of all jobs
   * @param touched gets those that a step may have changed
   */
  RandomChanges(SplittableRandom random, StorePair pair, List<JobId> ids, Set<JobId> touched) {
    this.random = random;
    this.pair = pair;
    this.ids = ids;
    this.touched = touched;
  }

  void submitAs(JobSpec spec) {
    boolean again = !ids.isEmpty() && random.nextInt(3) == 0;
    JobId id =
        again ? recent() : JobId.of(pair.clock.instant().toEpochMilli() * 1_000, 8, ids.size());
    if (pair.same("submit " + spec + " as " + id, side -> side.store.submit(spec, id)) && !again) {
      ids.add(id);
    }
    touched.add(id);
  }

  /** Runs a recent job again, if it has ended; sometimes under an id, which may be taken. */
  void retry() {
    JobId id = recent();
    RetryRequest any = new RetryRequest(id, random.nextInt(5) == 0, null);
    boolean named = random.nextInt(4) == 0;
    boolean again = named && random.nextInt(3) == 0;
    JobId wanted =
        again ? recent() : JobId.of(pair.clock.instant().toEpochMilli() * 1_000, 9, ids.size());
    RetryRequest request = named ? any.as(wanted) : any;
    RetryResult result =
        pair.same(request.toString(), side -> side.store.retry(request), this::shown);
    if (result.fresh()) {
      ids.add(result.id());
      touched.add(result.id());
    }
    touched.add(id);
  }

  JobId recent() {
    return ids.get(Math.max(0, ids.size() - 1 - random.nextInt(12)));
  }

  void grow() {
    JobId id = recent();
    touched.add(id);
    Cause cause = Cause.user("user", null);
    if (random.nextInt(3) == 0) {
      StageSpec spec = RandomJobSpecs.stage(random);
      pair.same(
          "add " + spec + " to " + id, side -> side.store.addStage(id, spec, cause), this::shown);
      return;
    }
    int stage = 1 + random.nextInt(3);
    List<TaskSpec> tasks = RandomJobSpecs.tasks(random);
    pair.same(
        "add " + tasks + " to " + id + "/" + stage,
        side -> side.store.addTasks(id, stage, tasks, cause),
        added -> tasks.isEmpty() ? kind(added.outcome()) : shown(added));
  }

  private Object shown(JobControls.Added added) {
    return List.of(kind(added.outcome()), added.first());
  }

  /** Of a job that existed before, more tasks may be known by now. */
  private Object shown(RetryResult result) {
    return List.of(
        kind(result.outcome()),
        String.valueOf(result.id()),
        result.adopted(),
        result.fresh() ? result.tasks() : -1);
  }

  private Object kind(Outcome outcome) {
    return outcome instanceof Outcome.Refused refused ? refused.reason() : outcome.getClass();
  }

  void amend() {
    JobId id = recent();
    touched.add(id);
    Cause cause = Cause.user("user", null);
    switch (random.nextInt(4)) {
      case 0 -> pair.same("delete " + id, side -> side.store.delete(id), this::kind);
      case 1 -> {
        Priority priority = Priority.values()[random.nextInt(5)];
        pair.same(
            "prioritize " + id + " " + priority,
            side -> side.store.prioritize(id, priority, cause),
            this::kind);
        touched.addAll(ids); // their queue positions
      }
      default -> {
        int stage = random.nextInt(4);
        int task = random.nextInt(3);
        JsonObject metadata = RandomJobSpecs.metadata(random);
        pair.same(
            "describe " + id + "/" + stage + "/" + task + " " + metadata,
            side -> side.store.replaceMetadata(id, stage, task, metadata, cause),
            this::kind);
      }
    }
  }

  void keep() {
    String name = "note-" + random.nextInt(5);
    if (random.nextInt(3) == 0) {
      pair.same("drop " + name, side -> done(() -> side.store.deleteNote(SHELF, name)));
    } else {
      String text = "text " + random.nextInt();
      pair.same("keep " + name, side -> done(() -> side.store.writeNote(SHELF, name, text)));
    }
    pair.same("note " + name, side -> side.store.readNote(SHELF, name));
  }

  private static boolean done(Runnable act) {
    act.run();
    return true;
  }
}
