package dev.millrace.store.fs.internal.crash;

import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.each;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.gate;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.job;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.plain;
import static dev.millrace.store.fs.internal.fixture.TestJobSpecs.stage;

import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.util.List;

/** Retries: a new job with all that it adopts, or none. */
final class RetryScenarios {
  private RetryScenarios() {}

  static List<CrashScenario> all() {
    return List.of(
        new CrashScenario(
            "retry a job that failed in its second stage",
            RetryScenarios::failed,
            rig -> rig.retry(rig.jobs.getFirst())),
        new CrashScenario(
            "retry a prompt that completed while its job was paused",
            RetryScenarios::completedAndAborted,
            rig -> rig.retry(rig.jobs.getFirst())),
        new CrashScenario(
            "work on a retry whose ended job was deleted",
            rig -> {
              failed(rig);
              rig.retry(rig.jobs.getFirst());
              rig.delete(rig.jobs.getFirst());
            },
            rig -> rig.claim(1).forEach(rig::complete)));
  }

  /** Its first stage and a task behind the gate are completed. */
  private static void failed(SimulatedStore rig) {
    rig.submit(job(stage("a", "one", "two"), gate(each("b", "{{result}}")), stage("c", "last")));
    rig.claim(2).forEach(rig::complete);
    rig.approve(rig.jobs.getFirst(), 2);
    List<Claim> claims = rig.claim(2);
    rig.generate(claims.getFirst());
    rig.complete(claims.getFirst());
    rig.fail(claims.getLast(), Failure.permanent("broken"));
  }

  private static void completedAndAborted(SimulatedStore rig) {
    rig.submit(plain("x"));
    Claim claim = rig.claim(1).getFirst();
    rig.pause(rig.jobs.getFirst());
    rig.complete(claim);
    rig.abort(rig.jobs.getFirst());
  }
}
