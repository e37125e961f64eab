package dev.millrace.store.fs.internal.crash;

import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.each;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.hooked;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.job;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.open;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.plain;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.stage;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.task;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.util.List;

/** Crash scenarios for additions to jobs and changes of them after the submission. */
final class OpenJobScenarios {
  private static final JobId CHOSEN = JobId.of(1_767_225_600_000_000L, 77, 1);

  private OpenJobScenarios() {}

  private static StageSpec mixed(String type) {
    return StageSpec.of(type, List.of(task("one", 2), TaskSpec.of("two"), task("three", 2)));
  }

  private static void ended(SimulatedStore rig) {
    rig.submit(plain("x"));
    rig.complete(rig.claim(1).getFirst());
    rig.submit(plain("y"));
    rig.abort(rig.jobs.get(1));
  }

  static List<CrashScenario> all() {
    return List.of(
        new CrashScenario(
            "submit a job without stages, and its first",
            CrashScenario::nothing,
            rig -> {
              rig.submit(open());
              rig.addStage(rig.jobs.getFirst(), mixed("a"));
            }),
        new CrashScenario(
            "add a stage and tasks to a job that was never touched",
            rig -> rig.submit(open(stage("a", "1"))),
            rig -> {
              rig.addTasks(rig.jobs.getFirst(), 1, TaskSpec.of("2"), task("3", 4));
              rig.addStage(rig.jobs.getFirst(), each("b", "again {{result}}"));
            }),
        new CrashScenario(
            "add to a job that runs",
            rig -> {
              rig.submit(open(stage("a", "1")));
              rig.addStage(rig.jobs.getFirst(), stage("b"));
              rig.claim(1);
            },
            rig -> {
              rig.addTasks(rig.jobs.getFirst(), 2, TaskSpec.of("2"), TaskSpec.of("3"));
              rig.addTasks(rig.jobs.getFirst(), 2, TaskSpec.of("4"));
              rig.complete(rig.claims.getFirst());
            }),
        new CrashScenario(
            "add to a job that is paused",
            rig -> {
              rig.submit(open(stage("a")));
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.addTasks(rig.jobs.getFirst(), 1, TaskSpec.of("1"))),
        new CrashScenario(
            "close an empty stage",
            rig -> rig.submit(open(stage("a"))),
            rig -> rig.addTasks(rig.jobs.getFirst(), 1)),
        new CrashScenario(
            "another priority, other metadata",
            rig -> rig.submit(plain("x")),
            rig -> {
              rig.prioritize(rig.jobs.getFirst(), Priority.VERY_LOW);
              rig.describe(rig.jobs.getFirst(), 1, 1, "task");
            }),
        new CrashScenario(
            "describe what has ended",
            OpenJobScenarios::ended,
            rig -> {
              rig.describe(rig.jobs.get(0), 0, 0, "job");
              rig.describe(rig.jobs.get(1), 1, 0, "stage");
            }),
        new CrashScenario(
            "delete what has ended", OpenJobScenarios::ended, rig -> rig.delete(rig.jobs.get(0))),
        new CrashScenario(
            "lease and complete",
            rig -> rig.submit(job(stage("a", "1", "2"))),
            rig -> rig.complete(rig.lease(2, TestJobSpecs.MINUTE).getFirst())),
        new CrashScenario(
            "submit twice under an id",
            CrashScenario::nothing,
            rig -> {
              rig.submitAs(hooked(plain("x")), CHOSEN);
              rig.submitAs(hooked(plain("x")), CHOSEN);
            }));
  }
}
