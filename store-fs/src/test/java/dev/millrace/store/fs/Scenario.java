package dev.millrace.store.fs;

import static dev.millrace.store.fs.Specs.attempts;
import static dev.millrace.store.fs.Specs.each;
import static dev.millrace.store.fs.Specs.gate;
import static dev.millrace.store.fs.Specs.held;
import static dev.millrace.store.fs.Specs.job;
import static dev.millrace.store.fs.Specs.plain;
import static dev.millrace.store.fs.Specs.queueTimeout;
import static dev.millrace.store.fs.Specs.runTimeout;
import static dev.millrace.store.fs.Specs.stage;
import static dev.millrace.store.fs.Specs.templates;
import static dev.millrace.store.fs.Specs.with;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Something a program does with a store, once it is crashed at every step.
 *
 * @param before what was done before, undisturbed
 * @param act what is disturbed
 */
record Scenario(String name, Consumer<Rig> before, Consumer<Rig> act) {

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

  static Stream<Scenario> all() {
    return Stream.of(
            submitting(),
            working(),
            failing(),
            pausing(),
            gating(),
            ending(),
            deleting(),
            OpenScenarios.all())
        .flatMap(List::stream);
  }

  static void nothing(Rig rig) {}

  private static List<Scenario> submitting() {
    return List.of(
        new Scenario("submit a plain job", Scenario::nothing, rig -> rig.submit(plain("héllo"))),
        new Scenario(
            "submit two at once",
            Scenario::nothing,
            rig -> {
              rig.submit(plain("one"));
              rig.submit(plain("two"));
            }),
        new Scenario("submit two stages", Scenario::nothing, rig -> rig.submit(TWO_STAGES)),
        new Scenario("submit on hold", Scenario::nothing, rig -> rig.submit(held(plain("x")))),
        new Scenario(
            "submit a gate", Scenario::nothing, rig -> rig.submit(job(gate(stage("a", "x"))))));
  }

  private static List<Scenario> working() {
    return List.of(
        new Scenario("claim", rig -> rig.submit(plain("x")), rig -> rig.claim(1)),
        new Scenario(
            "claim of several jobs",
            rig -> {
              rig.submit(plain("x"));
              rig.submit(TWO_STAGES);
              rig.submit(plain("y"));
            },
            rig -> rig.claim(10)),
        new Scenario(
            "claim one more of a running job",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(1);
            },
            rig -> rig.claim(1)),
        new Scenario(
            "complete a plain job",
            rig -> {
              rig.submit(plain("x"));
              rig.claim(1);
            },
            rig -> rig.complete(rig.claims.getFirst())),
        new Scenario(
            "complete a task of a batch",
            rig -> {
              rig.submit(job(stage("a", "1", "2", "3", "4")));
              rig.claim(3);
            },
            rig -> {
              rig.complete(rig.claims.get(1));
              rig.complete(rig.claims.get(0));
            }),
        new Scenario(
            "complete the last task of a stage",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
              rig.complete(rig.claims.get(1));
            },
            rig -> rig.complete(rig.claims.get(0))),
        new Scenario(
            "complete the last task of a job",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2).forEach(rig::complete);
              rig.claim(2);
              rig.complete(rig.claims.get(2));
            },
            rig -> rig.complete(rig.claims.get(3))),
        new Scenario(
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
        new Scenario(
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
        new Scenario(
            "a whole job",
            Scenario::nothing,
            rig -> {
              rig.submit(plain("x"));
              rig.complete(rig.claim(1).getFirst());
            }));
  }

  private static List<Scenario> failing() {
    return List.of(
        new Scenario(
            "fail with attempts left",
            rig -> {
              rig.submit(with(attempts(2), plain("x")));
              rig.claim(1);
            },
            rig ->
                rig.fail(
                    rig.claims.getFirst(),
                    new Failure("broken", true, "half", JsonObject.create().put("n", 1)))),
        new Scenario(
            "fail for good",
            rig -> {
              rig.submit(plain("x"));
              rig.claim(1);
            },
            rig -> rig.fail(rig.claims.getFirst(), new Failure("broken", true, "half"))),
        new Scenario(
            "fail a stage for good",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
              rig.complete(rig.claims.getFirst());
            },
            rig -> rig.fail(rig.claims.get(1), Failure.permanent("broken"))),
        new Scenario(
            "fail to render a template",
            rig -> {
              rig.submit(job(stage("a", "1"), each("b", "{{result.name}}")));
              rig.claim(1);
            },
            rig -> rig.complete(rig.claims.getFirst())),
        new Scenario(
            "release",
            rig -> {
              rig.submit(TWO_STAGES);
              rig.claim(2);
            },
            rig -> rig.release(rig.claims.getFirst())),
        new Scenario(
            "sweep",
            rig -> {
              rig.submit(with(queueTimeout(Specs.MINUTE), plain("x")));
              rig.submit(with(queueTimeout(Specs.MINUTE), TWO_STAGES));
              rig.submit(with(runTimeout(Specs.MINUTE), plain("z")));
              rig.claim(3);
              rig.later(Specs.MINUTE);
              rig.submit(with(queueTimeout(Specs.MINUTE), TWO_STAGES));
              rig.later(Specs.MINUTE);
            },
            Rig::sweep));
  }

  private static List<Scenario> pausing() {
    return List.of(
        new Scenario(
            "pause a job that waits",
            rig -> rig.submit(plain("x")),
            rig -> rig.pause(rig.jobs.getFirst())),
        new Scenario(
            "pause a job that runs", Scenario::halfDone, rig -> rig.pause(rig.jobs.getFirst())),
        new Scenario(
            "resume a job that had started",
            rig -> {
              halfDone(rig);
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.resume(rig.jobs.getFirst())),
        new Scenario(
            "resume a job that had not started",
            rig -> {
              rig.submit(plain("x"));
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.resume(rig.jobs.getFirst())),
        new Scenario(
            "resume a job that was submitted on hold",
            rig -> rig.submit(held(plain("x"))),
            rig -> rig.resume(rig.jobs.getFirst())),
        new Scenario(
            "resume a job whose last task finished",
            rig -> {
              rig.submit(job(stage("a", "1")));
              rig.claim(1);
              rig.pause(rig.jobs.getFirst());
              rig.complete(rig.claims.getFirst());
            },
            rig -> rig.resume(rig.jobs.getFirst())),
        new Scenario(
            "pause and resume again and again",
            rig -> rig.submit(plain("x")),
            rig -> {
              JobId id = rig.jobs.getFirst();
              rig.pause(id);
              rig.resume(id);
              rig.pause(id);
              rig.resume(id);
            }),
        new Scenario(
            "complete a task of a paused job",
            rig -> {
              halfDone(rig);
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.complete(rig.claims.get(1))));
  }

  private static List<Scenario> gating() {
    return List.of(
        new Scenario("hold a stage", Scenario::halfDone, rig -> rig.hold(rig.jobs.getFirst(), 1)),
        new Scenario(
            "approve a gate",
            rig -> {
              rig.submit(GATED);
              rig.complete(rig.claim(1).getFirst());
            },
            rig -> rig.approve(rig.jobs.getFirst(), 2)),
        new Scenario(
            "approve the first stage",
            rig -> rig.submit(job(gate(stage("a", "x")))),
            rig -> rig.approve(rig.jobs.getFirst(), 1)));
  }

  private static void halfDone(Rig rig) {
    rig.submit(TWO_STAGES);
    rig.claim(2);
    rig.complete(rig.claims.getFirst());
  }

  private static List<Scenario> ending() {
    return List.of(
        new Scenario(
            "abort a job that waits",
            rig -> rig.submit(plain("x")),
            rig -> rig.abort(rig.jobs.getFirst())),
        new Scenario(
            "abort a job that runs", Scenario::halfDone, rig -> rig.abort(rig.jobs.getFirst())),
        new Scenario(
            "abort a job that journals",
            rig -> {
              rig.submit(plain("x"));
              rig.generate(rig.claim(1).getFirst());
            },
            rig -> rig.abort(rig.jobs.getFirst())),
        new Scenario(
            "abort a job that is paused",
            rig -> {
              halfDone(rig);
              rig.pause(rig.jobs.getFirst());
            },
            rig -> rig.abort(rig.jobs.getFirst())));
  }

  private static List<Scenario> deleting() {
    return List.of(
        new Scenario(
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
