package dev.millrace.store.fs.internal.nonowner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.fixture.ChildProcess;
import dev.millrace.store.fs.internal.fixture.OwnerProcess;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import dev.millrace.store.fs.internal.inbox.InboxRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Levers from a process that does not own the workspace. */
@Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class NonOwnerControlsTest extends RealWorkspaceCase {
  private static final int ROUNDS = Boolean.getBoolean("millrace.proof") ? 300 : 12;
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());

  private JobControls controls() {
    return workspace.controls();
  }

  private JobId submit() {
    return workspace
        .submitter()
        .submit(TestJobSpecs.job(TestJobSpecs.gate(TestJobSpecs.stage("x", "1"))));
  }

  /** Every lever has its effect and its outcome. */
  private void everyLeverWorks() {
    JobReader reading = workspace.reader();
    JobId id = submit();
    assertThat(controls().approve(id, 1, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(stage(id)).isEqualTo(StageState.PENDING);
    assertThat(controls().hold(id, 1, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(stage(id)).isEqualTo(StageState.WAITING);
    assertThat(controls().hold(id, 1, SimulatedStore.ANNA)).isInstanceOf(Outcome.Refused.class);
    assertThat(controls().pause(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(reading.state(id)).contains(JobState.PAUSED);
    assertThat(controls().resume(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(reading.state(id)).contains(JobState.PENDING);
    assertThat(controls().abort(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(reading.state(id)).contains(JobState.ABORTED);
    assertThat(controls().resume(id, SimulatedStore.ANNA))
        .isEqualTo(
            new Outcome.Refused(
                "job: cannot RESUME from ABORTED; legal: nothing, ABORTED is final"));
    assertThat(controls().abort(new JobId("1_2_3"), SimulatedStore.ANNA))
        .isInstanceOf(Outcome.Missing.class);
    WorkspaceInvariants.logAddsUp(reading, id);
    assertThat(controls().prune(Instant.now().plusSeconds(1), Set.of(JobState.ABORTED)))
        .isEqualTo(1);
    assertThat(reading.state(id)).isEmpty();
    aJobGrowsFromOutside(reading);
    await("an empty inbox", () -> left("inbox").isEmpty()); // it is deleted after the reply came
    assertThat(left("answers")).isEmpty();
  }

  private void aJobGrowsFromOutside(JobReader reading) {
    JobId id = workspace.submitter().submit(TestJobSpecs.open());
    assertThat(
            controls()
                .addStage(
                    id, TestJobSpecs.gate(TestJobSpecs.stage("x", "1", "2")), SimulatedStore.ANNA))
        .isEqualTo(new Added(Outcome.DONE, 1));
    assertThat(controls().addTasks(id, 1, List.of(TestJobSpecs.task("3", 3)), SimulatedStore.ANNA))
        .isEqualTo(new Added(Outcome.DONE, 3));
    assertThat(reading.task(id, 1, 3).orElseThrow().maxAttempts()).isEqualTo(3);
    assertThat(controls().addTasks(id, 2, List.of(), SimulatedStore.ANNA).outcome())
        .isInstanceOf(Outcome.Missing.class);
    assertThat(controls().prioritize(id, Priority.HIGH, SimulatedStore.ANNA))
        .isEqualTo(Outcome.DONE);
    assertThat(controls().prioritize(id, Priority.HIGH, SimulatedStore.ANNA))
        .isEqualTo(new Outcome.Refused(Reason.SAME, "the job's priority is HIGH already"));
    JsonObject said = JsonObject.create().put("said", "so");
    assertThat(controls().replaceMetadata(id, 0, 0, said, SimulatedStore.ANNA))
        .isEqualTo(Outcome.DONE);
    assertThat(reading.find(id).orElseThrow().header())
        .extracting(JobHeader::priority, JobHeader::metadata)
        .containsExactly(Priority.HIGH, said);
    assertThat(controls().delete(id))
        .isInstanceOfSatisfying(
            Outcome.Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.JOB_NOT_ENDED));
    assertThatThrownBy(
            () ->
                controls()
                    .addTasks(
                        id, 1, List.of(new TaskSpec("{{results}}", true)), SimulatedStore.ANNA))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be a template");
    assertThat(reading.queueStats().jobs()).containsEntry(JobState.PENDING, 1);
    assertThat(controls().abort(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(controls().replaceMetadata(id, 1, 1, said, SimulatedStore.ANNA))
        .isEqualTo(Outcome.DONE);
    WorkspaceInvariants.logAddsUp(reading, id);
    assertThat(controls().delete(id)).isEqualTo(Outcome.DONE);
    assertThat(controls().delete(id)).isInstanceOf(Outcome.Missing.class);
    assertThat(reading.state(id)).isEmpty();
  }

  @Test
  void anAdditionThatIsCarriedOutTwiceHappensOnce() {
    JobStore store = own();
    JobId id = workspace.submitter().submit(TestJobSpecs.open(TestJobSpecs.stage("x", "1")));
    store.queuePosition(id);
    Map<InboxRequest, Object> requests = new LinkedHashMap<>();
    requests.put(
        InboxRequest.of(
            id,
            new Lever.AddTasks(1, List.of(TestJobSpecs.task("2", 2), TestJobSpecs.task("3", 3))),
            SimulatedStore.ANNA),
        new Outcome.Done(2));
    requests.put(
        InboxRequest.of(id, new Lever.AddStage(TestJobSpecs.stage("y", "4")), SimulatedStore.ANNA),
        new Outcome.Done(2));
    requests.put(
        InboxRequest.of(id, new Lever.AddTasks(2, List.of(TaskSpec.of("5"))), SimulatedStore.ANNA),
        new Outcome.Done(2));
    requests.put(
        InboxRequest.of(id, new Lever.Prioritize(Priority.HIGH), SimulatedStore.ANNA),
        Outcome.DONE);
    requests.put(
        InboxRequest.of(id, new Lever.Describe(2, 1, JsonObject.create()), SimulatedStore.ANNA),
        Outcome.DONE);
    for (int round = 0; round < 2; round++) {
      int op = 0;
      for (Map.Entry<InboxRequest, Object> each : requests.entrySet()) {
        InboxRequest request = InboxRequest.read(each.getKey().write("op" + op++, Instant.now()));
        assertThat(request.run(store)).as("%s", request).isEqualTo(each.getValue());
      }
    }
    assertThat(store.find(id).orElseThrow().stages())
        .extracting(s -> s.total())
        .containsExactly(3, 2);
    assertThat(store.abort(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    int op = 0;
    for (Map.Entry<InboxRequest, Object> each : requests.entrySet()) {
      InboxRequest request = InboxRequest.read(each.getKey().write("op" + op++, Instant.now()));
      assertThat(request.run(store)).as("%s, long after", request).isEqualTo(each.getValue());
    }
    WorkspaceInvariants.logAddsUp(store, id);
  }

  private StageState stage(JobId id) {
    return workspace.reader().find(id).orElseThrow().stages().getFirst().state();
  }

  private List<Path> left(String where) {
    try (Stream<Path> files = Files.list(layout.internalPath(where))) {
      return files.toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void withoutAnOwnerALeverIsCarriedOutAtOnce() {
    everyLeverWorks();
    assertThat(workspace.owner().held()).isFalse();
  }

  @Test
  void anOwnerInTheSameProcessIsAsked() {
    own();
    everyLeverWorks();
  }

  @Test
  void anOwnerInAnotherProcessIsAsked() throws Exception {
    try (ChildProcess owner = new ChildProcess(OwnerProcess.class, line -> {}, root, 1)) {
      assertThat(owner.line()).isEqualTo("ready");
      everyLeverWorks();
      assertThat(owner.alive()).isTrue();
    }
  }

  @Test
  void anErrorOfTheOwnerIsThrownByTheRequester() throws IOException {
    JobId id = submit();
    own();
    Path op = Files.createDirectory(place(JobState.PENDING, id).resolve("op.json.tmp"));
    assertThatThrownBy(() -> controls().pause(id, SimulatedStore.ANNA))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("op.json.tmp is not a regular file");
    Files.delete(op);
    assertThat(controls().pause(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
  }

  @Test
  void malformedRequestsAreAnsweredAndDeleted() throws Exception {
    Path inbox = layout.internalPath("inbox");
    Files.write(inbox.resolve("1.json"), new byte[] {(byte) 0xff});
    Files.writeString(inbox.resolve("2.json"), "{\"lever\":\"explode\",\"op\":\"two\"}");
    Files.writeString(inbox.resolve("3.json"), "");
    Files.createDirectories(inbox.resolve("4.json").resolve("within"));
    Files.createSymbolicLink(inbox.resolve("5.json"), root.resolve(".nrvnad.lock"));
    fifo(inbox.resolve("6.json"));
    Files.writeString(inbox.resolve("7.tmp"), "half a requ");
    own();
    await("an empty inbox", () -> left("inbox").size() == 1);
    assertThat(left("answers")).hasSize(6);
    everyAnswerIsAnError();
    assertThat(root.resolve(".nrvnad.lock")).exists();
  }

  private void everyAnswerIsAnError() {
    assertThat(left("answers"))
        .allSatisfy(answer -> assertThat(answer).content().contains("\"answer\":\"error\""));
  }

  @Test
  void aRequestWhoseOwnerIsKilledIsCarriedOutByTheRequester() throws Exception {
    try (ChildProcess owner = new ChildProcess(OwnerProcess.class, line -> {}, root, 1)) {
      owner.line();
      JobId id = submit();
      owner.freeze();
      CompletableFuture<Outcome> paused =
          CompletableFuture.supplyAsync(() -> controls().pause(id, SimulatedStore.ANNA));
      await(
          "the request",
          () -> left("inbox").stream().anyMatch(f -> f.toString().endsWith(".json")));
      owner.kill();
      assertThat(paused.get(60, TimeUnit.SECONDS)).isEqualTo(Outcome.DONE);
      assertThat(workspace.reader().state(id)).contains(JobState.PAUSED);
      assertThat(count(id, JobEvent.PAUSE)).isEqualTo(1);
      assertThat(left("inbox")).isEmpty();
    }
  }

  private long count(JobId id, Enum<?> event) {
    return workspace.reader().events(id, 0, 1_000).stream()
        .filter(
            entry ->
                switch (entry.fact()) {
                  case Fact.JobChanged fact -> fact.event() == event;
                  case Fact.StageChanged fact ->
                      fact.event() == event && fact.cause().who() != null;
                  default -> false;
                })
        .count();
  }

  /** The owner dies at any moment around the request; another may start at once or not. */
  @Test
  void aLeverHappensOnceWheneverItsOwnerIsKilled() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    ChildProcess next = new ChildProcess(OwnerProcess.class, line -> {}, root, 1);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        ChildProcess owner = next;
        owner.line();
        next = new ChildProcess(OwnerProcess.class, line -> {}, root, 1);
        JobId id = submit();
        String as = "seed " + SEED + ", round " + round;
        oneLever(random.nextInt(4), id, owner, random.nextInt(8_000_000), as);
      }
    } finally {
      next.kill();
    }
  }

  private void oneLever(int which, JobId id, ChildProcess owner, int nanos, String as)
      throws Exception {
    List<Enum<?>> events =
        List.of(JobEvent.PAUSE, JobEvent.ABORT, StageEvent.APPROVE, JobEvent.PAUSE);
    List<Supplier<Outcome>> levers =
        List.of(
            () -> controls().pause(id, SimulatedStore.ANNA),
            () -> controls().abort(id, SimulatedStore.ANNA),
            () -> controls().approve(id, 1, SimulatedStore.ANNA),
            () -> controls().pause(id, SimulatedStore.ANNA));
    CompletableFuture<Outcome> answer = CompletableFuture.supplyAsync(levers.get(which));
    LockSupport.parkNanos(nanos);
    owner.kill();
    assertThat(answer.get(60, TimeUnit.SECONDS)).as(as).isEqualTo(Outcome.DONE);
    assertThat(count(id, events.get(which))).as(as).isEqualTo(1);
    WorkspaceInvariants.logAddsUp(workspace.reader(), id);
  }

  private static Lever lever(String name) {
    return LeverJson.read(name, JsonObject.create().put("stage", 1));
  }

  @Test
  void aRequestThatIsCarriedOutTwiceHappensOnce() {
    JobStore store = own();
    JobId id = submit();
    for (String lever : List.of("approve", "hold", "pause", "resume", "abort")) {
      InboxRequest request =
          InboxRequest.read(
              InboxRequest.of(id, lever(lever), SimulatedStore.ANNA).write(lever, Instant.now()));
      List<?> before = store.events(id, 0, 1_000);
      assertThat(request.run(store)).isEqualTo(Outcome.DONE);
      int after = store.events(id, 0, 1_000).size();
      assertThat(after).isGreaterThan(before.size());
      assertThat(request.run(store)).as(lever).isEqualTo(Outcome.DONE);
      assertThat(store.events(id, 0, 1_000)).hasSize(after);
    }
    for (String lever : List.of("approve", "hold", "pause", "resume")) {
      InboxRequest request =
          InboxRequest.read(
              InboxRequest.of(id, lever(lever), SimulatedStore.ANNA).write(lever, Instant.now()));
      assertThat(request.run(store)).as("%s, long after", lever).isEqualTo(Outcome.DONE);
    }
    assertThat(store.state(id)).contains(JobState.ABORTED);
  }
}
