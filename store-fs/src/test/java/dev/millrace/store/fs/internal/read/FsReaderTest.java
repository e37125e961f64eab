package dev.millrace.store.fs.internal.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.RecentJobCache;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The cost of reads, which threads they block, and that nothing is shown before it is durable. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FsReaderTest {

  /** A disk that reports each read. */
  private static Disk watched(Disk disk, BiConsumer<Path, byte[]> reads) {
    return (Disk)
        Proxy.newProxyInstance(
            Disk.class.getClassLoader(),
            new Class<?>[] {Disk.class},
            (_, method, arguments) -> {
              try {
                Object answer = method.invoke(disk, arguments);
                if (answer instanceof byte[] bytes) {
                  reads.accept((Path) arguments[0], bytes);
                }
                return answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static FsStore open(Path root, Disk disk) throws IOException {
    new WorkspaceLayout(root).create(disk);
    ManualClock clock = new ManualClock();
    return FsStore.openUnlocked(
        new FsSettings(root, disk, clock, new JobIdGenerator(clock, 7)::next, () -> 1L << 63));
  }

  @Test
  void aPageIsReadWhileTheJobRuns(@TempDir Path root) throws Exception {
    AtomicReference<CountDownLatch> gate = new AtomicReference<>(new CountDownLatch(0));
    CountDownLatch reached = new CountDownLatch(1);
    Disk slow =
        watched(
            new RealDisk(root),
            (file, _) -> {
              if (file.endsWith("results.jsonl") && gate.get().getCount() > 0) {
                reached.countDown();
                try {
                  gate.get().await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              }
            });
    FsStore store = open(root, slow);
    JobId id = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    ClaimRequest one = new ClaimRequest(Set.of("a"), 1, "worker", null);
    store.complete(store.claim(one).getFirst(), TaskResult.of("first"));
    gate.set(new CountDownLatch(1));
    CompletableFuture<List<TaskView>> page =
        CompletableFuture.supplyAsync(() -> store.tasks(id, 1, 1, 9));
    reached.await();
    Claim second = store.claim(one).getFirst(); // it need not wait
    assertThat(store.complete(second, TaskResult.of("second"))).isEqualTo(Outcome.DONE);
    assertThat(store.state(id)).contains(JobState.COMPLETED);
    gate.get().countDown();
    assertThat(page.get()).extracting(TaskView::input).containsExactly("1", "2");
    assertThat(page.get().getFirst().result()).isEqualTo(TaskResult.of("first"));
    store.close();
  }

  @Test
  void jobsThatHaveEndedAreNotReadAgainForEachPage() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2", "3"))));
    }
    rig.claim(9).forEach(rig::complete);
    for (JobId id : ids) {
      assertThat(rig.store.task(id, 1, 2)).isPresent();
    }
    rig.disk.failBy(
        op ->
            op.what() == SimDisk.What.READ && op.path().endsWith(EventLog.FILE)
                ? new IOException("its log was read again")
                : null);
    for (int time = 0; time < 2; time++) {
      for (JobId id : ids) {
        assertThat(rig.store.task(id, 1, 3).orElseThrow().result().text()).isEqualTo("<3>");
      }
    }
  }

  @Test
  void newMetadataOfAnEndedJobReadsOnlyNewEntries() throws IOException {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2", "3")));
    rig.claim(9).forEach(rig::complete);
    AtomicLong read = new AtomicLong();
    Disk disk =
        watched(
            rig.disk,
            (file, bytes) -> read.addAndGet(file.endsWith(EventLog.FILE) ? bytes.length : 0));
    FsStore store =
        FsStore.openUnlocked(
            new FsSettings(
                SimulatedStore.ROOT, disk, rig.clock, rig.settings.ids(), rig.settings.random()));
    JsonObject note = JsonObject.create().put("a", 1);
    long whole =
        rig.disk.size(SimulatedStore.PLACES.of(JobState.COMPLETED, id).resolve(EventLog.FILE));
    for (int time = 0; time < 4; time++) {
      read.set(0);
      assertThat(store.replaceMetadata(id, 0, 0, note, SimulatedStore.ANNA))
          .isEqualTo(Outcome.DONE);
      assertThat(read).as("time %s", time).hasValueBetween(1L, time == 0 ? whole : whole / 2);
    }
    assertThat(rig.store.find(id).orElseThrow().header().metadata())
        .isEqualTo(Json.object("{\"a\":1}"));
  }

  @Test
  void whatIsShownOfAnEndedJobIsDurable() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.plain("x"));
    rig.claim(1).forEach(rig::complete);
    assertThat(rig.store.find(id)).isPresent();
    rig.disk.failBy(
        op ->
            op.what().syncs() && op.path().endsWith(EventLog.FILE) ? new IOException("bad") : null);
    assertThatThrownBy(
            () ->
                rig.store.replaceMetadata(
                    id, 0, 0, JsonObject.create().put("a", 1), SimulatedStore.ANNA))
        .isInstanceOf(StoreBrokenException.class);
    rig.disk.heal();
    assertThatThrownBy(() -> rig.store.find(id)).isInstanceOf(StoreBrokenException.class);
    assertThatThrownBy(() -> rig.store.task(id, 1, 1)).isInstanceOf(StoreBrokenException.class);
    assertThatThrownBy(() -> rig.store.events(id, 0, 9)).isInstanceOf(StoreBrokenException.class);
  }

  @Test
  void aWatcherOfAPrunedJobDoesNotSeeItAgain() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId one = rig.submit(TestJobSpecs.plain("x"));
    JobId two = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    rig.claim(9).forEach(rig::complete);
    List<JobId> told = new ArrayList<>();
    rig.store.onChange(
        id -> {
          SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
          assertThat(new FsReader(found, SimulatedStore.PLACES, Threading.SYSTEM).state(id))
              .as("of %s", id)
              .isEmpty();
          told.add(id);
        });
    assertThat(rig.prune(JobState.COMPLETED)).isEqualTo(2);
    assertThat(told).containsExactlyInAnyOrder(one, two);
  }

  @Test
  void metadataOfAnUnknownEntityIsNotNotified() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = rig.submit(TestJobSpecs.plain("x"));
    rig.claim(1).forEach(rig::complete);
    List<JobId> told = new ArrayList<>();
    rig.store.onChange(told::add);
    assertThat(rig.store.replaceMetadata(id, 7, 0, JsonObject.create(), SimulatedStore.ANNA))
        .isInstanceOf(Outcome.Missing.class);
    assertThat(told).isEmpty();
    rig.describe(id, 1, 0, "x");
    assertThat(told).containsExactly(id);
  }

  @Test
  void theCacheIsBounded() {
    RecentJobCache<String> recent = new RecentJobCache<>();
    JobId large = JobId.of(1, 1, 0);
    recent.put(large, "large", 1_000_000_000);
    assertThat(recent.get(large)).as("the last one is kept in any case").isEqualTo("large");
    for (int i = 1; i <= 100; i++) {
      recent.put(JobId.of(1, 1, i), "job " + i, 1_000_000);
    }
    assertThat(recent.get(large)).isNull();
    assertThat(recent.get(JobId.of(1, 1, 68))).isNull();
    assertThat(recent.get(JobId.of(1, 1, 69))).isEqualTo("job 69");
    recent.put(JobId.of(1, 1, 200), "new", 1_000_000);
    assertThat(recent.get(JobId.of(1, 1, 69))).as("it was asked for last").isNotNull();
    assertThat(recent.get(JobId.of(1, 1, 70))).isNull();
    recent.put(JobId.of(1, 1, 69), "again", 31_000_000);
    assertThat(recent.get(JobId.of(1, 1, 69))).isEqualTo("again");
    assertThat(recent.get(JobId.of(1, 1, 200))).isNotNull();
    assertThat(recent.get(JobId.of(1, 1, 100))).isNull();
  }
}
