package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.random.StatusCountsCheck;
import dev.millrace.core.store.stats.StatusCounts.QueueGroup;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** The counts of a workspace: kept by its owner, built once for the jobs that were there before. */
class StatusCountKeeperTest extends RealWorkspaceCase {
  private static final int THREADS = 4;

  private static JobSpec twoStages(int tasks) {
    List<TaskSpec> first = Collections.nCopies(tasks, TaskSpec.of("x"));
    return JobSpec.of(
        List.of(StageSpec.of("a", first), StageSpec.of("b", List.of(TaskSpec.of("y")))));
  }

  private static void await(JobStore store) {
    await("the pass", () -> store.statusCounts().complete());
  }

  @Test
  void jobsFromBeforeTheStartAreCountedByOnePass() {
    JobStore before = own();
    JobId failing = before.submit(twoStages(2));
    List<Claim> claims = claim(before, 2);
    complete(before, claims.getFirst());
    before.fail(claims.getLast(), Failure.permanent("broken"));
    before.submit(JobSpec.prompt("generate", "x"));
    completeAll(before);
    before.submit(twoStages(3));
    close(before);
    JobStore store = own();
    StatusCountsCheck.requireCounted(store);
    assertThat(store.statusCounts().jobs())
        .isEqualTo(Map.of(JobState.FAILED, 1L, JobState.COMPLETED, 1L, JobState.PENDING, 1L));
    store.delete(failing);
    assertThat(store.statusCounts().jobs()).doesNotContainKey(JobState.FAILED);
    store.prune(Instant.now().plusSeconds(60), Set.of(JobState.values()));
    assertThat(store.statusCounts().jobs()).isEqualTo(Map.of(JobState.PENDING, 1L));
    StatusCountsCheck.requireCounted(store);
  }

  @Test
  void jobsOfOtherProgramsAreCounted() throws IOException {
    JobStore store = own();
    await(store);
    JobId id = new JobId("1736699999_12345_0");
    Files.move(
        writeJobDirectory(JobState.CREATED, id, "prompt.txt", "x"), place(JobState.PENDING, id));
    await("the job", () -> store.statusCounts().jobs().containsKey(JobState.PENDING));
    StatusCountsCheck.requireCounted(store);
    assertThat(store.statusCounts().oldest().keySet())
        .extracting(QueueGroup::type)
        .containsExactly("generate");
    Files.move(place(JobState.PENDING, id), place(JobState.ABORTED, id));
    await("its end", () -> store.statusCounts().jobs().equals(Map.of(JobState.ABORTED, 1L)));
    StatusCountsCheck.requireCounted(store);
  }

  @Test
  void damagedJobIsCountedByItsState() throws IOException {
    JobStore before = own();
    JobId id = before.submit(JobSpec.prompt("generate", "x"));
    completeAll(before);
    close(before);
    Path log = place(JobState.COMPLETED, id).resolve("events.jsonl");
    Files.writeString(log, "{\"n\":7}\n" + Files.readString(log));
    JobStore store = own();
    await(store);
    assertThat(store.statusCounts().jobs()).isEqualTo(Map.of(JobState.COMPLETED, 1L));
    assertThat(store.statusCounts().tasks()).isEmpty();
  }

  /** The pass and the changes of several threads meet on the same jobs. */
  @RepeatedTest(3)
  void passAndChangesMeetWithoutCountingTwice() throws Exception {
    long seed = System.nanoTime();
    System.out.println("StatusCountKeeperTest: seed " + seed);
    SimulatedStore before = SimulatedStore.fresh(true);
    for (int i = 0; i < 200; i++) {
      before.submit(twoStages(1 + i % 3));
    }
    before.claim(100).forEach(before::complete);
    before.store.close();
    try (JobStore store = FsStore.openUnlocked(before.settings);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        SplittableRandom random = new SplittableRandom(seed + thread);
        running.add(threads.submit(() -> change(store, before.jobs, random)));
      }
      assertThat(store.statusCounts()).as("counting starts amid the changes").isNotNull();
      for (Future<?> each : running) {
        each.get();
      }
      StatusCountsCheck.requireCounted(store);
    }
  }

  private static void change(JobStore store, List<JobId> ids, SplittableRandom random) {
    for (int i = 0; i < 60; i++) {
      JobId id = ids.get(random.nextInt(ids.size()));
      switch (random.nextInt(8)) {
        case 0 -> store.submit(twoStages(2));
        case 1 -> store.pause(id, Cause.user("u", null));
        case 2 -> store.abort(id, Cause.user("u", null));
        case 3, 4 -> store.delete(id);
        default -> claim(store, 3).forEach(claim -> complete(store, claim));
      }
    }
  }

  @Test
  void countsAreReadWithoutTheDisk() {
    AtomicInteger operations = new AtomicInteger();
    AtomicInteger ofCounting = new AtomicInteger();
    int ofThePass;
    RealDisk real = new RealDisk(root);
    Disk counted =
        (Disk)
            Proxy.newProxyInstance(
                Disk.class.getClassLoader(),
                new Class<?>[] {Disk.class},
                (_, method, arguments) -> {
                  operations.incrementAndGet();
                  if (Thread.currentThread().getName().equals("millrace-count")) {
                    ofCounting.incrementAndGet();
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    ContractSettings with = ContractSettings.of(new ManualClock());
    try (JobStore store =
        FsStore.openUnlocked(
            new FsSettings(root, counted, with.clock(), with.ids(), with.random()))) {
      for (int i = 0; i < 20; i++) {
        store.submit(twoStages(2));
      }
      claim(store, 5).forEach(claim -> complete(store, claim));
      await(store);
      assertThat(store.list(JobReader.Query.all())).hasSize(20);
      int before = operations.get();
      assertThat(before).isPositive();
      assertThat(store.statusCounts().jobs().values().stream().mapToLong(n -> n).sum())
          .isEqualTo(20);
      assertThat(operations.get()).isEqualTo(before);
      ofThePass = ofCounting.get();
      store.list(JobReader.Query.all()).forEach(id -> store.abort(id, Cause.user("u", null)));
      store.prune(Instant.MAX, Set.of(JobState.values()));
      assertThat(store.statusCounts().jobs()).isEmpty();
    } // waits until everything is counted
    assertThat(ofCounting.get()).as("deleted jobs are not looked for").isEqualTo(ofThePass);
  }
}
