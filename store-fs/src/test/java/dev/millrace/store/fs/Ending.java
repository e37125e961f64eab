package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** Brings every job to its end, and checks that it is the right one. */
final class Ending {
  private static final int ROUNDS = 100;
  private static final Map<JobSpec, Outcome> UNDISTURBED = new ConcurrentHashMap<>();

  private record Outcome(JobState end, String results) {}

  private Ending() {}

  /** What comes of each job if nothing else goes wrong. */
  static Map<JobId, JobState> expected(Reading store) {
    Map<JobId, JobState> ends = new TreeMap<>();
    for (JobId id : store.list(Reading.Query.all())) {
      JobView view = store.find(id).orElseThrow();
      boolean failed =
          view.state() == JobState.FAILED
              || view.stages().stream()
                  .anyMatch(
                      stage ->
                          stage.state() == StageState.FAILED
                              || stage.tasks().containsKey(TaskState.FAILED));
      ends.put(
          id,
          view.state() == JobState.ABORTED
              ? JobState.ABORTED
              : failed ? JobState.FAILED : undisturbed(store.spec(id).orElseThrow()).end());
    }
    return ends;
  }

  /** Resumes, approves, claims and completes until everything has ended. */
  static void drive(Rig rig) {
    for (int round = 0; round < ROUNDS; round++) {
      boolean all = true;
      for (JobId id : rig.store.list(Reading.Query.all())) {
        all &= rig.store.state(id).orElseThrow().isFinal();
        unblock(rig, id);
      }
      if (all) {
        return;
      }
      List<Claim> some = rig.claim(100);
      some.forEach(rig::complete);
      if (some.isEmpty()) {
        rig.sweep(); // whoever held a lease does not come back
      }
      rig.later(Specs.MINUTE.multipliedBy(10));
    }
    throw new AssertionError("not ended after " + ROUNDS + " rounds: " + Sight.of(rig.store));
  }

  private static void unblock(Rig rig, JobId id) {
    if (rig.store.state(id).orElseThrow() == JobState.PAUSED) {
      rig.resume(id);
    }
    boolean turn = true;
    JobView job = rig.store.find(id).orElseThrow();
    if (job.header().open() && job.stages().isEmpty() && !job.state().isFinal()) {
      rig.addStage(id, Specs.stage("a", "at last"));
    }
    for (JobView.StageView stage : job.stages()) {
      if (turn && stage.state() == StageState.WAITING) {
        rig.approve(id, stage.number());
      }
      if (job.header().open()
          && stage.state() == StageState.PENDING
          && stage.spec().each() == null) {
        grow(rig, id, stage);
      }
      turn = stage.state() == StageState.COMPLETED;
    }
  }

  /** An empty stage gets nothing more, any other one more task: after those that count. */
  private static void grow(Rig rig, JobId id, JobView.StageView stage) {
    if (stage.total() == 0) {
      rig.addTasks(id, stage.number());
      return;
    }
    TaskView last = rig.store.task(id, stage.number(), stage.total()).orElseThrow();
    if (!"more".equals(last.input())) {
      rig.addTasks(id, stage.number(), TaskSpec.of("more"));
    }
  }

  /** Each job ended as it should, and what completed has the results of an undisturbed run. */
  static void check(Rig rig, Map<JobId, JobState> expected) {
    Map<JobId, JobState> ends = new TreeMap<>();
    for (JobId id : rig.store.list(Reading.Query.all())) {
      JobState end = rig.store.state(id).orElseThrow();
      ends.put(id, end);
      if (end == JobState.COMPLETED) {
        JobSpec spec = rig.store.spec(id).orElseThrow();
        assertThat(outcome(rig.store, id))
            .as("results of %s", id)
            .isEqualTo(undisturbed(spec).results());
      }
    }
    assertThat(ends).isEqualTo(expected);
    Checks.hold(rig.disk, Rig.PLACES, rig.store);
  }

  private static Outcome undisturbed(JobSpec asked) {
    JobSpec spec = asked.open() ? Specs.sealed(asked) : asked; // as it would be, submitted whole
    return UNDISTURBED.computeIfAbsent(
        spec,
        _ -> {
          Rig rig = Rig.fresh();
          JobId id = rig.submit(spec);
          drive(rig);
          return new Outcome(rig.store.state(id).orElseThrow(), outcome(rig.store, id));
        });
  }

  private static String outcome(Reading store, JobId id) {
    List<String> lines = new ArrayList<>();
    for (JobView.StageView stage : store.find(id).orElseThrow().stages()) {
      for (TaskView task : store.tasks(id, stage.number(), 1, 1_000)) {
        lines.add(task.state() + " " + task.input() + " -> " + task.result());
      }
    }
    return String.join("\n", lines);
  }
}
