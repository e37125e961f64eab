package dev.millrace.store.fs.internal.crash;

import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.attempts;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.each;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.gate;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.held;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.job;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.plain;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.queueTimeout;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.runTimeout;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.stage;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.templates;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.with;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A use of a store that is crashed at every step.
 *
 * @param before what is done before, undisturbed
 * @param act what is disturbed
 */
record CrashScenario(String name, Consumer<SimulatedStore> before, Consumer<SimulatedStore> act) {

  @Override
  public String toString() {
    return name;
  }

  private static final JobSpec TWO_STAGES =
      job(stage("a", "one", "two"), each("b", "again {{result}} of {{input}}"));
  private static final JobSpec GATED =
      job(
          stage("a", "one"),
          gate(templates("b", "first {{results[1]}}", "all {{results}}")),
          stage("c", "last"));

  static Stream<CrashScenario> all() {
    return Stream.of(
            submitting(),
            working(),
            failing(),
            pausing(),
            gating(),
            ending(),
            deleting(),
            OpenJobScenarios.all(),
            RetryScenarios.all())
        .flatMap(List::stream);
  }

  static void nothing(SimulatedStore rig) {}

  private static List<CrashScenario> submitting() {
    return List.of(
        new CrashScenario(
            "submit a plain job", CrashScenario::nothing, rig -> rig.submit(plain("héllo"))),
        new CrashScenario(
            "submit two at once",
            CrashScenario::nothing,
            rig -> {
              rig.submit(plain("one"));
              rig.submit(plain("two"));
            }),
        new CrashScenario(
            "submit two stages", CrashScenario::nothing, rig -> rig.submit(TWO_STAGES)),
        new CrashScenario(
            "submit on hold", CrashScenario::nothing, rig -> rig.submit(held(plain("x")))),
        new CrashScenario(
            "submit a gate",
            CrashScenario::nothing,
            rig -> rig.submit(job(gate(stage("a", "x"))))));
  }

  private static List<CrashScenario> working() {
    return List.of(
        new CrashScenario("claim", rig -> rig.submit(plain("x")), rig -> rig.claim(1)),
        new CrashScenario(
            "claim of several jobs",
            rig -> {
              rig.submit(plain("x"));
              rig.submit(TWO_STAGES);
              rig.submit(plain("y"));
            },
            rig -> rig.claim(10)),
        new CrashScenario(
            "claim one more of a running job",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(1);
            },
            rig -> rig.claim(1)),
        new CrashScenario(
            "complete a plain job",
            rig -> {
              rig.submit(plain("x"));
              rig.claim(1);
            },
            rig -> rig.complete(rig.claims.getFirst())),
        new CrashScenario(
            "complete a task of a batch",
            rig -> {
              rig.submit(job(stage("a", "1", "2", "3", "4")));
              rig.claim(3);
            },
            rig -> {
              rig.complete(rig.claims.get(1));
              rig.complete(rig.claims.get(0));
            }),
        new CrashScenario(
            "complete the last task of a stage",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
              rig.complete(rig.claims.get(1));
            },
            rig -> rig.complete(rig.claims.get(0))),
        new CrashScenario(
            "complete the last task of a job",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2).forEach(rig::complete);
              rig.claim(2);
              rig.complete(rig.claims.get(2));
            },
            rig -> rig.complete(rig.claims.get(3))),
        new CrashScenario(
            "journal and complete a plain job",
            rig -> {
              rig.submit(plain("x"));
              rig.generate(rig.claim(1).getFirst());
              rig.release(rig.claims.getFirst());
              rig.claim(1);
            },
            rig -> {
              rig.generate(rig.claims.get(1));
              rig.complete(rig.claims.get(1));
            }),
        new CrashScenario(
            "journal and complete tasks of a batch",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
            },
            rig -> {
              rig.claims.forEach(rig::generate);
              rig.complete(rig.claims.get(1));
              rig.complete(rig.claims.get(0));
            }),
        new CrashScenario(
            "a whole job",
            CrashScenario::nothing,
            rig -> {
              rig.submit(plain("x"));
              rig.complete(rig.claim(1).getFirst());
            }));
  }

  private static List<CrashScenario> failing() {
    return List.of(
        new CrashScenario(
            "fail with attempts left",
            rig -> {
              rig.submit(with(attempts(2), plain("x")));
              rig.claim(1);
            },
            rig ->
                rig.fail(
                    rig.claims.getFirst(),
                    new Failure("broken", true, "half", JsonObject.create().put("n", 1)))),
        new CrashScenario(
            "fail for good",
            rig -> {
              rig.submit(plain("x"));
              rig.claim(1);
            },
            rig -> rig.fail(rig.claims.getFirst(), new Failure("broken", true, "half"))),
        new CrashScenario(
            "fail a stage for good",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
              rig.complete(rig.claims.getFirst());
            },
            rig -> rig.fail(rig.claims.get(1), Failure.permanent("broken"))),
        new CrashScenario(
            "fail to render a template",
            rig -> {
              rig.submit(job(stage("a", "1"), each("b", "{{result.name}}")));
              rig.claim(1);
            },
            rig -> rig.complete(rig.claims.getFirst())),
        new CrashScenario(
            "release",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
            },
            rig -> rig.release(rig.claims.getFirst())),
        new CrashScenario(
            "sweep",
            rig -> {
              rig.submit(with(queueTimeout(TestJobSpecs.MINUTE), plain("x")));
              rig.submit(with(queueTimeout(TestJobSpecs.MINUTE), TWO_STAGES));
              rig.submit(with(runTimeout(TestJobSpecs.MINUTE), plain("z")));
              rig.claim(3);
              rig.later(TestJobSpecs.MINUTE);
              rig.submit(with(queueTimeout(TestJobSpecs.MINUTE), TWO_STAGES));
              rig.later(TestJobSpecs.MINUTE);
            },
            SimulatedStore::sweep));
  }

  private static List<CrashScenario> pausing() {
    return List.of(
        new CrashScenario(
            "pause a job that waits",
            rig -> rig.submit(plain("x")),
            rig -> rig.pause(rig.jobs.getFirst())),
        new CrashScenario(
            "pause a job that runs",
            CrashScenario::halfDone,
            rig -> rig.pause(rig.jobs.getFirst())),
        new CrashScenario(
            "resume a job that had started",
            rig -> {
              halfDone(rig);
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.resume(rig.jobs.getFirst())),
        new CrashScenario(
            "resume a job that had not started",
            rig -> {
              rig.submit(plain("x"));
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.resume(rig.jobs.getFirst())),
        new CrashScenario(
            "resume a job that was submitted on hold",
            rig -> rig.submit(held(plain("x"))),
            rig -> rig.resume(rig.jobs.getFirst())),
        new CrashScenario(
            "resume a job whose last task finished",
            rig -> {
              rig.submit(job(stage("a", "1")));
              rig.claim(1);
              rig.pause(rig.jobs.getFirst());
              rig.complete(rig.claims.getFirst());
            },
            rig -> rig.resume(rig.jobs.getFirst())),
        new CrashScenario(
            "pause and resume again and again",
            rig -> rig.submit(plain("x")),
            rig -> {
              JobId id = rig.jobs.getFirst();
              rig.pause(id);
              rig.resume(id);
              rig.pause(id);
              rig.resume(id);
            }),
        new CrashScenario(
            "complete a task of a paused job",
            rig -> {
              halfDone(rig);
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.complete(rig.claims.get(1))));
  }

  private static List<CrashScenario> gating() {
    return List.of(
        new CrashScenario(
            "hold a stage", CrashScenario::halfDone, rig -> rig.hold(rig.jobs.getFirst(), 1)),
        new CrashScenario(
            "approve a gate",
            rig -> {
              rig.submit(GATED);
              rig.complete(rig.claim(1).getFirst());
            },
            rig -> rig.approve(rig.jobs.getFirst(), 2)),
        new CrashScenario(
            "approve the first stage",
            rig -> rig.submit(job(gate(stage("a", "x")))),
            rig -> rig.approve(rig.jobs.getFirst(), 1)));
  }

  private static void halfDone(SimulatedStore rig) {
    rig.submit(TWO_STAGES);
    rig.claim(2);
    rig.complete(rig.claims.getFirst());
  }

  private static List<CrashScenario> ending() {
    return List.of(
        new CrashScenario(
            "abort a job that waits",
            rig -> rig.submit(plain("x")),
            rig -> rig.abort(rig.jobs.getFirst())),
        new CrashScenario(
            "abort a job that runs",
            CrashScenario::halfDone,
            rig -> rig.abort(rig.jobs.getFirst())),
        new CrashScenario(
            "abort a job that journals",
            rig -> {
              rig.submit(plain("x"));
              rig.generate(rig.claim(1).getFirst());
            },
            rig -> rig.abort(rig.jobs.getFirst())),
        new CrashScenario(
            "abort a job that is paused",
            rig -> {
              halfDone(rig);
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.abort(rig.jobs.getFirst())));
  }

  private static List<CrashScenario> deleting() {
    return List.of(
        new CrashScenario(
            "prune",
            rig -> {
              rig.submit(plain("done"));
              rig.submit(plain("failed"));
              rig.claim(2);
              rig.complete(rig.claims.get(0));
              rig.fail(rig.claims.get(1), Failure.of("broken"));
              rig.submit(TWO_STAGES);
              rig.abort(rig.jobs.get(2));
              rig.submit(plain("stays"));
            },
            rig -> rig.prune(JobState.COMPLETED, JobState.FAILED, JobState.ABORTED)));
  }
}
