package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.VisibleState;
import java.util.List;

/** Brings all jobs to their ends, whatever was done to them before. */
final class RemainingJobsRunner {
  private static final int ROUNDS = 100;

  private RemainingJobsRunner() {}

  static void finish(SimulatedStore rig) {
    for (int round = 0; round < ROUNDS; round++) {
      boolean all = true;
      for (JobId id : rig.store.list(JobReader.Query.all())) {
        JobView job = rig.store.find(id).orElseThrow();
        all &= job.state().isFinal();
        unblock(rig.store, job);
      }
      if (all) {
        return;
      }
      List<Claim> claims = rig.claim(1_000);
      claims.forEach(claim -> rig.store.complete(claim, SimulatedStore.answerOf(claim)));
      rig.sweep(); // the workers of old leases do not come back
      rig.later(TestJobSpecs.MINUTE.multipliedBy(30));
    }
    throw new AssertionError(
        "not ended after " + ROUNDS + " rounds: " + VisibleState.of(rig.store));
  }

  private static void unblock(JobStore store, JobView job) {
    JobId id = job.header().id();
    if (job.state() == JobState.PAUSED) {
      store.resume(id, SimulatedStore.ANNA);
    }
    if (job.header().open() && job.stages().isEmpty() && !job.state().isFinal()) {
      store.addStage(id, TestJobSpecs.stage("a", "at last"), SimulatedStore.ANNA);
    }
    for (JobView.StageView stage : job.stages()) {
      if (stage.state() == StageState.WAITING) {
        store.approve(id, stage.number(), SimulatedStore.ANNA); // refused where it is too early
      } else if (stage.total() == 0 && !stage.state().isFinal()) {
        store.addTasks(id, stage.number(), List.of(), SimulatedStore.ANNA);
      }
    }
  }
}
