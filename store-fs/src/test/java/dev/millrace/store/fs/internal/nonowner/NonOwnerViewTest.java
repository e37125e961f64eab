package dev.millrace.store.fs.internal.nonowner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.QueuePosition;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.Workspace;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.OwnerLock;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Journals, receipts and the queue as other processes see them. */
class NonOwnerViewTest extends RealWorkspaceCase {
  private static final JsonObject RECEIPT = JsonObject.create().put("seed", 7L);

  private static void generate(JobStore store, Claim claim) {
    store.freeze(claim, JsonObject.create().put("model", "m"));
    store.appendJournal(claim, new OutputChunk(List.of(1, 2), "some "));
    store.appendJournal(claim, new OutputChunk(List.of(3), "text"));
  }

  private JsonObject meta(JobState place, JobId id) throws IOException {
    return Json.object(Files.readString(place(place, id).resolve(JobMetaFile.FILE)));
  }

  @Test
  void aPlainJobHasItsJournalUntilItCompletes() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    generate(store, claim);
    Path dir = place(JobState.IN_PROGRESS, id);
    assertThat(lines(dir.resolve("journal.jsonl")))
        .containsExactly(
            "{\"epoch\":" + claim.key().token().epoch() + ",\"entry\":5}",
            "{\"claim\":2,\"epoch\":" + claim.key().token().epoch() + "}",
            "{\"tokens\":[1,2],\"text\":\"some \"}",
            "{\"tokens\":[3],\"text\":\"text\"}");
    assertThat(workspace.reader().outputSoFar(id, 1, 1, 0).text()).isEqualTo("some text");
    store.complete(claim, TaskResult.of("some text").withReceipt(RECEIPT));
    assertThat(Files.exists(place(JobState.COMPLETED, id).resolve("journal.jsonl"))).isFalse();
    assertThat(meta(JobState.COMPLETED, id).object("receipt")).isEqualTo(RECEIPT);
    assertThat(meta(JobState.COMPLETED, id).values()).doesNotContainKey("receipt_claim");
  }

  @Test
  void journalsOfABatchAreDeletedAsItsTasksComplete() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    List<Claim> claims = claim(store, 2);
    claims.forEach(claim -> generate(store, claim));
    Path journal = place(JobState.IN_PROGRESS, id).resolve("stages/1-a/journal");
    assertThat(journal.resolve("1.jsonl")).exists();
    complete(store, claims.get(0));
    assertThat(journal.resolve("1.jsonl")).doesNotExist();
    assertThat(journal.resolve("2.jsonl")).exists();
    complete(store, claims.get(1));
    assertThat(place(JobState.COMPLETED, id).resolve("stages/1-a/journal")).doesNotExist();
    assertThat(place(JobState.COMPLETED, id).resolve("stages/1-a/results.jsonl")).exists();
  }

  @Test
  void aCancelledJobKeepsItsOutputAndTheLateAnswer() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    generate(store, claim);
    assertThat(workspace.controls().abort(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(workspace.reader().outputSoFar(id, 1, 1, 0).text()).isEqualTo("some text");
    assertThat(workspace.reader().partialOutput(id, 1, 1)).contains("some text");
    assertThat(store.appendJournal(claim, new OutputChunk(List.of(4), "!")))
        .isEqualTo(ClaimSignal.CANCEL);
    Failure late = Failure.of("cancelled").withPartial("some te", RECEIPT);
    assertThat(store.fail(claim, late)).isInstanceOf(Outcome.Cancelled.class);
    Path dir = place(JobState.ABORTED, id);
    assertThat(dir.resolve("response.txt")).hasContent("some te");
    assertThat(workspace.reader().partialOutput(id, 1, 1)).contains("some te");
    assertThat(meta(JobState.ABORTED, id).object("receipt")).isEqualTo(RECEIPT);
    assertThat(meta(JobState.ABORTED, id).string("mode")).isEqualTo("text");
    assertThat(store.spec(id)).isPresent();
  }

  @Test
  void aFailedJobsReceiptIsInItsMetadata() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    store.fail(claim, Failure.permanent("broken").withPartial("half", RECEIPT));
    assertThat(meta(JobState.FAILED, id).object("receipt")).isEqualTo(RECEIPT);
    assertThat(meta(JobState.FAILED, id).string("status")).isEqualTo("failed");
  }

  @Test
  void aLeverOfAnotherProcessIsNotifiedAtOnce() throws InterruptedException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    CountDownLatch told = new CountDownLatch(1);
    store.onLever(
        job -> {
          if (job.equals(id)) {
            told.countDown();
          }
        });
    assertThat(workspace.controls().pause(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(store.heartbeat(claim, false)).isEqualTo(ClaimSignal.PAUSE);
  }

  @Test
  void aWatcherThatThrowsStopsNothing() {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.plain("x"));
    claim(store, 1);
    store.onLever(
        job -> {
          throw new IllegalStateException("no");
        });
    assertThat(store.pause(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(log.lines()).anyMatch(line -> line.contains("were not notified at once"));
  }

  @Test
  void theOwnerIsAskedForAQueuePosition() {
    JobStore store = own();
    JobId done = store.submit(TestJobSpecs.plain("done"));
    complete(store, claim(store, 1).getFirst());
    JobId first = workspace.submitter().submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1")));
    JobId urgent = workspace.submitter().submit(TestJobSpecs.plain("high priority"));
    await("both", () -> place(urgent).map(QueuePosition::waiting).equals(Optional.of(2)));
    assertThat(place(urgent).orElseThrow().ahead()).isZero();
    assertThat(place(first).orElseThrow().ahead()).isEqualTo(1);
    assertThat(place(first).orElseThrow().eta()).isNotNull().isPositive();
    assertThat(place(done)).isEmpty();
    assertThat(place(new JobId("1_2_3"))).isEmpty();
  }

  private Optional<QueuePosition> place(JobId id) {
    return workspace.reader().queuePosition(id);
  }

  @Test
  void withoutAnOwnerThePositionIsByAge() {
    JobId first = workspace.submitter().submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1")));
    JobId second = workspace.submitter().submit(TestJobSpecs.plain("high priority"));
    assertThat(place(first)).contains(new QueuePosition(0, 2, null));
    assertThat(place(second)).contains(new QueuePosition(1, 2, null));
  }

  @Test
  void anOwnerThatDoesNotAnswerIsNotWaitedForLong() throws IOException {
    JobId id = workspace.submitter().submit(TestJobSpecs.plain("x"));
    JobReader hasty =
        new NonOwnerReader(
            new FsSettings(
                root,
                new RealDisk(root),
                Clock.systemUTC(),
                JobIdGenerator.forThisProcess()::next,
                RandomGenerator.getDefault()),
            Duration.ofMillis(1));
    try (OwnerLock lock = OwnerLock.tryAcquire(root).orElseThrow()) {
      assertThat(lock.isIntact()).isTrue();
      assertThat(hasty.queuePosition(id)).contains(new QueuePosition(0, 1, null));
    }
    assertThat(layout.internalPath("inbox")).isEmptyDirectory();
    assertThat(layout.internalPath("answers")).isEmptyDirectory();
  }

  @Test
  void aPlainJobWithoutARecoveryCeilingGetsTheOwners() throws IOException {
    JobId plain = new JobId("1794733669168034_1_0");
    writeJobDirectory(JobState.PENDING, plain, "prompt.txt", "x");
    JobId said =
        workspace
            .submitter()
            .submit(TestJobSpecs.with(TestJobSpecs.indestructible(), TestJobSpecs.plain("y")));
    Workspace strict = workspace.withRecoveryCeiling(0);
    for (int life = 0; life < 2; life++) {
      try (JobStore store = strict.own().orElseThrow()) {
        store.claim(
            new dev.millrace.core.store.ClaimRequest(SimulatedStore.TYPES, 5, "worker", null));
      }
    }
    assertThat(strict.reader().state(plain)).contains(JobState.FAILED);
    assertThat(strict.reader().state(said)).contains(JobState.IN_PROGRESS);
  }

  @Test
  void theOutputOfAPlainJobThatTheOwnerFailedIsKept() throws IOException {
    Workspace strict = workspace.withRecoveryCeiling(0);
    JobId id = workspace.submitter().submit(TestJobSpecs.plain("x"));
    try (JobStore store = strict.own().orElseThrow()) {
      Claim claim = claim(store, 1).getFirst();
      generate(store, claim);
      store.release(claim, "shutdown");
      store.appendJournal(claim(store, 1).getFirst(), OutputChunk.EMPTY);
    }
    try (JobStore store = strict.own().orElseThrow()) {
      assertThat(store.state(id)).contains(JobState.FAILED);
    }
    assertThat(place(JobState.FAILED, id).resolve("response.txt")).hasContent("some text");
    assertThat(log.lines())
        .anyMatch(line -> line.contains(id + ": task 1/1 failed: Job exceeded recovery ceiling"));
  }

  @Test
  void aNewOwnerLogsWhatItReleased() {
    JobStore store = own();
    store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    claim(store, 2);
    close(store);
    assertThat(log.lines()).noneMatch(line -> line.startsWith("released"));
    close(own());
    close(own());
    assertThat(log.lines()).containsOnlyOnce("released 2 tasks after a crash of the owner");
  }

  @Test
  void theDirectoryOfJournalsIsDeletedWithTheLastJournal() {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    List<Claim> claims = claim(store, 2);
    generate(store, claims.getFirst());
    complete(store, claims.getFirst());
    store.fail(claims.getLast(), Failure.permanent("broken before it had a journal"));
    assertThat(place(JobState.FAILED, id).resolve("stages/1-a/results.jsonl")).exists();
    assertThat(place(JobState.FAILED, id).resolve("stages/1-a/journal")).doesNotExist();
  }
}
