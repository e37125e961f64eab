package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Op;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A lever on an ended job is appended, and something goes wrong before the sync. */
class EndedJobLeverTest {
  private static final Cause CAUSE = Cause.user("anna", null).withOp("the-op");

  private SimulatedStore rig;
  private JobId id;

  private void endJob(boolean canSyncAll) {
    rig = SimulatedStore.fresh(canSyncAll);
    id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1")));
    rig.complete(rig.claim(1).getFirst());
  }

  private Outcome describe(SimulatedStore at) {
    return at.store.replaceMetadata(id, 0, 0, JsonObject.create().put("said", "this"), CAUSE);
  }

  /** Appends the entry; what comes after that does not happen. */
  private void appendOnly() {
    boolean[] thrown = {false};
    rig.disk.failBy(op -> isAppend(op) && !thrown[0] ? thrown(thrown) : null, 1000);
    assertThatThrownBy(() -> describe(rig)).isInstanceOf(OutOfMemoryError.class);
    rig.disk.heal();
  }

  private static boolean isAppend(Op op) {
    return op.what() == What.PUT_BYTES && op.path().endsWith(EventLog.FILE);
  }

  private static Error thrown(boolean[] thrown) {
    thrown[0] = true;
    return new OutOfMemoryError("simulated");
  }

  private SimulatedStore nextOwner(SimDisk disk) {
    return new SimulatedStore(disk, rig.clock.instant(), 9);
  }

  private static String log(SimulatedStore at, JobId id) {
    return at.store.events(id, 0, 99).toString();
  }

  private void requireDurable(SimulatedStore at) {
    SimDisk after = at.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
    assertThat(log(nextOwner(after), id)).contains("the-op");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRepeatedRequestIsDurableWhenTheNextOwnerAnswersIt(boolean canSyncAll) {
    endJob(canSyncAll);
    appendOnly();
    SimulatedStore next = nextOwner(rig.disk.afterKill());
    assertThat(describe(next)).isEqualTo(Outcome.DONE);
    requireDurable(next);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRepeatedRequestIsDurableWhenTheSameProcessAnswersIt(boolean canSyncAll) {
    endJob(canSyncAll);
    appendOnly();
    assertThat(describe(rig)).isEqualTo(Outcome.DONE);
    requireDurable(rig);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatTheNextOwnerShowsIsDurable(boolean canSyncAll) {
    endJob(canSyncAll);
    appendOnly();
    SimulatedStore next = nextOwner(rig.disk.afterKill());
    assertThat(log(next, id)).contains("the-op");
    requireDurable(next);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anEndedJobIsSyncedOnceAtMostToBeRead(boolean canSyncAll) {
    endJob(canSyncAll);
    SimulatedStore next = nextOwner(rig.disk.afterKill());
    log(next, id);
    int before = next.disk.operations();
    log(next, id);
    next.store.find(id);
    next.store.tasks(id, 1, 1, 10);
    assertThat(next.disk.operations()).isEqualTo(before);
  }
}
