package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Additions;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.ManualClock;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.SimFiles.Loss;
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

/** What it costs to read, whom it keeps waiting, and that nothing is told too soon. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadingTest {

  /** A disk that tells of each file that is read, and what of it. */
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
    new Places(root).create(disk);
    ManualClock clock = new ManualClock();
    return FsStore.openUnlocked(
        new FsSettings(root, disk, clock, new IdGenerator(clock, 7)::next, () -> 1L << 63));
  }

  @Test
  void aPageIsReadWhileTheJobGoesOn(@TempDir Path root) throws Exception {
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
    JobId id = store.submit(Specs.job(Specs.stage("a", "1", "2")));
    Demand one = new Demand(Set.of("a"), 1, "worker", null);
    store.complete(store.claim(one).getFirst(), TaskResult.of("first"));
    gate.set(new CountDownLatch(1));
    CompletableFuture<List<TaskView>> page =
        CompletableFuture.supplyAsync(() -> store.tasks(id, 1, 1, 9));
    reached.await();
    Claim second = store.claim(one).getFirst(); // it need not wait
    assertThat(store.complete(second, TaskResult.of("second"))).isEqualTo(Answer.DONE);
    assertThat(store.state(id)).contains(JobState.COMPLETED);
    gate.get().countDown();
    assertThat(page.get()).extracting(TaskView::input).containsExactly("1", "2");
    assertThat(page.get().getFirst().result()).isEqualTo(TaskResult.of("first"));
    store.close();
  }

  @Test
  void jobsThatHaveEndedAreNotReadAgainForEachPage() throws IOException {
    Rig rig = Rig.fresh();
    List<JobId> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(rig.submit(Specs.job(Specs.stage("a", "1", "2", "3"))));
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
  void describingAJobThatHasEndedReadsOnlyWhatIsNew() throws IOException {
    Rig rig = Rig.fresh();
    JobId id = rig.submit(Specs.job(Specs.stage("a", "1", "2", "3")));
    rig.claim(9).forEach(rig::complete);
    AtomicLong read = new AtomicLong();
    Disk disk =
        watched(
            rig.disk,
            (file, bytes) -> read.addAndGet(file.endsWith(EventLog.FILE) ? bytes.length : 0));
    EndedJobs ended = new EndedJobs(disk, Rig.PLACES, new GroupCommit(disk), rig.clock::instant);
    JsonObject note = JsonObject.create().put("a", 1);
    long whole = rig.disk.size(Rig.PLACES.of(JobState.COMPLETED, id).resolve(EventLog.FILE));
    for (int time = 0; time < 4; time++) {
      read.set(0);
      assertThat(ended.record(id, turn -> Additions.describe(turn, 0, 0, note, Rig.ANNA)))
          .contains(new EndedJobs.Recorded(Answer.DONE, true));
      assertThat(read).as("time %s", time).hasValueBetween(1L, time == 0 ? whole : whole / 2);
    }
    assertThat(rig.store.find(id).orElseThrow().header().metadata())
        .isEqualTo(Json.object("{\"a\":1}"));
  }

  @Test
  void whatIsToldOfAJobThatHasEndedIsDurable() {
    Rig rig = Rig.fresh();
    JobId id = rig.submit(Specs.plain("x"));
    rig.claim(1).forEach(rig::complete);
    assertThat(rig.store.find(id)).isPresent();
    rig.disk.failBy(
        op ->
            op.what().syncs() && op.path().endsWith(EventLog.FILE) ? new IOException("bad") : null);
    assertThatThrownBy(
            () -> rig.store.describe(id, 0, 0, JsonObject.create().put("a", 1), Rig.ANNA))
        .isInstanceOf(StoreBroken.class);
    rig.disk.heal();
    assertThatThrownBy(() -> rig.store.find(id)).isInstanceOf(StoreBroken.class);
    assertThatThrownBy(() -> rig.store.task(id, 1, 1)).isInstanceOf(StoreBroken.class);
    assertThatThrownBy(() -> rig.store.events(id, 0, 9)).isInstanceOf(StoreBroken.class);
  }

  @Test
  void whoIsToldOfAPrunedJobDoesNotSeeItAgain() {
    Rig rig = Rig.fresh();
    JobId one = rig.submit(Specs.plain("x"));
    JobId two = rig.submit(Specs.job(Specs.stage("a", "1", "2")));
    rig.claim(9).forEach(rig::complete);
    List<JobId> told = new ArrayList<>();
    rig.store.onChange(
        id -> {
          SimDisk found = rig.disk.afterPowerLoss(Loss.NOTHING_SURVIVES, new SplittableRandom(1));
          assertThat(new FsReader(found, Rig.PLACES).state(id)).as("of %s", id).isEmpty();
          told.add(id);
        });
    assertThat(rig.prune(JobState.COMPLETED)).isEqualTo(2);
    assertThat(told).containsExactlyInAnyOrder(one, two);
  }

  @Test
  void aDescriptionOfNothingIsNotTold() {
    Rig rig = Rig.fresh();
    JobId id = rig.submit(Specs.plain("x"));
    rig.claim(1).forEach(rig::complete);
    List<JobId> told = new ArrayList<>();
    rig.store.onChange(told::add);
    assertThat(rig.store.describe(id, 7, 0, JsonObject.create(), Rig.ANNA))
        .isInstanceOf(Answer.Missing.class);
    assertThat(told).isEmpty();
    rig.describe(id, 1, 0, "x");
    assertThat(told).containsExactly(id);
  }

  @Test
  void whatIsKeptHasABound() {
    Recent<String> recent = new Recent<>();
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
