package dev.millrace.store.fs;

import static dev.millrace.store.fs.internal.fixture.RealWorkspaceCase.claim;
import static dev.millrace.store.fs.internal.fixture.RealWorkspaceCase.complete;
import static dev.millrace.store.fs.internal.fixture.RealWorkspaceCase.completeAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SmallDisk;
import dev.millrace.store.fs.internal.fixture.SmallDisk.Kind;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk without a free byte is not a dead end: what frees space works. */
class FullDiskTest {
  private static final Set<JobState> ENDED =
      EnumSet.of(JobState.COMPLETED, JobState.FAILED, JobState.ABORTED);

  /** More than are in the trash at once. */
  private static final int JOBS = 101;

  @TempDir Path dir;

  private CapturedLog log;
  private SmallDisk disk;
  private Workspace workspace;

  @BeforeEach
  void captureTheLog() {
    log = CapturedLog.open();
  }

  @AfterEach
  void unmount() {
    log.close();
    if (disk != null) {
      disk.close();
    }
  }

  private JobStore own(Kind kind) throws Exception {
    disk = SmallDisk.mount(kind, dir);
    workspace = Workspace.open(disk.directory().resolve("ws"));
    return workspace.own().orElseThrow();
  }

  /** A workspace with ended jobs and one that waits, after a server has run. */
  private JobStore withJobs(Kind kind, int jobs) throws Exception {
    JobStore store = own(kind);
    for (int i = 0; i < jobs; i++) {
      store.submit(TestJobSpecs.plain("job " + i));
    }
    completeAll(store);
    store.submit(TestJobSpecs.plain("waits"));
    store.sweep();
    return store;
  }

  private int prune() {
    return workspace.controls().prune(Instant.now().plusSeconds(60), ENDED);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void pruneWorksWithoutAServer(Kind kind) throws Exception {
    withJobs(kind, JOBS).close();
    disk.fill();
    assertThat(prune()).isEqualTo(JOBS);
    assertThat(workspace.reader().list(JobReader.Query.all())).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void pruneDeleteAndOtherLeversWorkWithAServer(Kind kind) throws Exception {
    try (JobStore store = withJobs(kind, JOBS)) {
      List<JobId> jobs = store.list(JobReader.Query.all());
      disk.fill();
      assertThat(store.delete(jobs.getFirst())).isEqualTo(Outcome.DONE);
      disk.fill();
      assertThat(workspace.controls().abort(jobs.getLast(), Cause.user(null, null)))
          .isEqualTo(Outcome.DONE);
      disk.fill();
      assertThat(prune()).isEqualTo(JOBS);
      assertThat(store.list(JobReader.Query.all())).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aServerStartsAndAnnouncesItself(Kind kind) throws Exception {
    withJobs(kind, 1).close();
    disk.fill();
    try (JobStore _ = workspace.own().orElseThrow()) {
      workspace.announce(JsonObject.create().put("started_at", "now"));
      disk.fill();
      assertThat(workspace.owner().ready()).isTrue();
      assertThat(prune()).isEqualTo(1);
    }
  }

  @Test
  void pruneWorksWithoutAnInode() throws Exception {
    withJobs(Kind.TMPFS, 3).close();
    disk.fillInodes();
    assertThat(prune()).isEqualTo(3);
  }

  @Test
  void nothingNewIsAcceptedAndTheStoreSaysSoUntilThereIsSpace() throws Exception {
    try (JobStore store = withJobs(Kind.TMPFS, 1)) {
      Claim running = claim(store, 1).getFirst();
      assertThat(store.health().trouble()).isNull();
      assertThat(store.health().freeBytes()).isBetween(1L << 20, 64L << 20);
      disk.fill();
      store.sweep();
      assertThat(store.health().trouble()).isEqualTo(Trouble.FULL);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> store.submit(TestJobSpecs.plain("more")))
            .isInstanceOfSatisfying(
                StoreException.class, e -> assertThat(e.trouble()).isEqualTo(Trouble.FULL))
            .hasMessageContaining("No space left on device");
      }
      assertThat(store.health().failures()).isEqualTo(3);
      assertThat(store.health().freeBytes()).isZero();
      disk.free();
      assertThat(complete(store, running)).isEqualTo(Outcome.DONE);
      while (store.health().trouble() != null) { // a trial each second
        store.sweep();
        Thread.onSpinWait();
      }
      store.submit(TestJobSpecs.plain("more"));
      assertThat(log.lines())
          .filteredOn(line -> line.startsWith("the store"))
          .hasSize(2)
          .satisfiesExactly(
              begins -> assertThat(begins).startsWith("the store fails (nothing new is accepted"),
              ends -> assertThat(ends).startsWith("the store works again after"));
    }
  }

  @Test
  void aReadOnlyFileSystemCanBeReadAndGetsASentence() throws Exception {
    withJobs(Kind.TMPFS, 1).close();
    disk.remountReadOnly();
    assertThat(workspace.owner().held()).isFalse();
    assertThat(workspace.reader().list(JobReader.Query.all())).hasSize(2);
    assertThatThrownBy(() -> workspace.own())
        .hasMessageContaining("Read-only file system")
        .hasMessageContaining("remount it writable")
        .hasMessageNotContaining("errno");
    assertThatThrownBy(this::prune)
        .hasMessageContaining("Read-only file system")
        .hasMessageNotContaining("errno");
  }
}
