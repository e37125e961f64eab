package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.Reading.QueuePlace;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
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

/** Journals, receipts and the queue as other processes find them. */
class JournalFilesTest extends RealWorkspace {
  private static final JsonObject RECEIPT = JsonObject.create().put("seed", 7L);

  private static void generate(JobStore store, Claim claim) {
    store.freeze(claim, JsonObject.create().put("model", "m"));
    store.journal(claim, new Piece(List.of(1, 2), "some "));
    store.journal(claim, new Piece(List.of(3), "text"));
  }

  private JsonObject meta(JobState place, JobId id) throws IOException {
    return Json.object(Files.readString(place(place, id).resolve(Meta.FILE)));
  }

  @Test
  void aPlainJobsJournalStandsBesideItsLogUntilItCompletes() throws IOException {
    JobStore store = own();
    JobId id = store.submit(Specs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    generate(store, claim);
    Path dir = place(JobState.IN_PROGRESS, id);
    assertThat(lines(dir.resolve("journal.jsonl")))
        .containsExactly(
            "{\"epoch\":" + claim.hold().token().epoch() + ",\"entry\":5}",
            "{\"claim\":2,\"epoch\":" + claim.hold().token().epoch() + "}",
            "{\"tokens\":[1,2],\"text\":\"some \"}",
            "{\"tokens\":[3],\"text\":\"text\"}");
    assertThat(workspace.reading().draft(id, 1, 1, 0).text()).isEqualTo("some text");
    store.complete(claim, TaskResult.of("some text").withReceipt(RECEIPT));
    assertThat(Files.exists(place(JobState.COMPLETED, id).resolve("journal.jsonl"))).isFalse();
    assertThat(meta(JobState.COMPLETED, id).object("receipt")).isEqualTo(RECEIPT);
    assertThat(meta(JobState.COMPLETED, id).values()).doesNotContainKey("receipt_claim");
  }

  @Test
  void aBatchsJournalsGoAsTheirTasksComplete() throws IOException {
    JobStore store = own();
    JobId id = store.submit(Specs.job(Specs.stage("a", "one", "two")));
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
  void aJobCancelledWithoutItsWorkerKeepsWhatItHadAndItsLateAnswerCounts() throws IOException {
    JobStore store = own();
    JobId id = store.submit(Specs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    generate(store, claim);
    assertThat(workspace.controls().abort(id, Rig.ANNA)).isEqualTo(Answer.DONE);
    assertThat(workspace.reading().draft(id, 1, 1, 0).text()).isEqualTo("some text");
    assertThat(store.journal(claim, new Piece(List.of(4), "!"))).isEqualTo(Pulse.CANCEL);
    Failure late = Failure.of("cancelled").withPartial("some te", RECEIPT);
    assertThat(store.fail(claim, late)).isInstanceOf(Answer.Cancelled.class);
    Path dir = place(JobState.ABORTED, id);
    assertThat(dir.resolve("response.txt")).hasContent("some te");
    assertThat(meta(JobState.ABORTED, id).object("receipt")).isEqualTo(RECEIPT);
    assertThat(meta(JobState.ABORTED, id).string("mode")).isEqualTo("text");
    assertThat(store.spec(id)).isPresent();
  }

  @Test
  void aFailedJobsReceiptIsInItsMetadata() throws IOException {
    JobStore store = own();
    JobId id = store.submit(Specs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    store.fail(claim, Failure.permanent("broken").withPartial("half", RECEIPT));
    assertThat(meta(JobState.FAILED, id).object("receipt")).isEqualTo(RECEIPT);
    assertThat(meta(JobState.FAILED, id).string("status")).isEqualTo("failed");
  }

  @Test
  void aLeverOfAnotherProcessIsHeardAtOnce() throws InterruptedException {
    JobStore store = own();
    JobId id = store.submit(Specs.plain("x"));
    Claim claim = claim(store, 1).getFirst();
    CountDownLatch told = new CountDownLatch(1);
    store.onLever(
        job -> {
          if (job.equals(id)) {
            told.countDown();
          }
        });
    assertThat(workspace.controls().pause(id, Rig.ANNA)).isEqualTo(Answer.DONE);
    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(store.heartbeat(claim, false)).isEqualTo(Pulse.PAUSE);
  }

  @Test
  void aWatcherThatThrowsStopsNothing() {
    JobStore store = own();
    JobId id = store.submit(Specs.plain("x"));
    claim(store, 1);
    store.onLever(
        job -> {
          throw new IllegalStateException("no");
        });
    assertThat(store.pause(id, Rig.ANNA)).isEqualTo(Answer.DONE);
    assertThat(log.lines()).anyMatch(line -> line.contains("were not told at once"));
  }

  @Test
  void theOwnerIsAskedForAJobsPlace() {
    JobStore store = own();
    JobId done = store.submit(Specs.plain("done"));
    complete(store, claim(store, 1).getFirst());
    JobId first = workspace.submitting().submit(Specs.job(Specs.stage("a", "1")));
    JobId urgent = workspace.submitting().submit(Specs.plain("high priority"));
    await("both", () -> place(urgent).map(QueuePlace::waiting).equals(Optional.of(2)));
    assertThat(place(urgent).orElseThrow().ahead()).isZero();
    assertThat(place(first).orElseThrow().ahead()).isEqualTo(1);
    assertThat(place(first).orElseThrow().eta()).isNotNull().isPositive();
    assertThat(place(done)).isEmpty();
    assertThat(place(new JobId("1_2_3"))).isEmpty();
  }

  private Optional<QueuePlace> place(JobId id) {
    return workspace.reading().queuePlace(id);
  }

  @Test
  void withoutAnOwnerAgeIsWhatCounts() {
    JobId first = workspace.submitting().submit(Specs.job(Specs.stage("a", "1")));
    JobId second = workspace.submitting().submit(Specs.plain("high priority"));
    assertThat(place(first)).contains(new QueuePlace(0, 2, null));
    assertThat(place(second)).contains(new QueuePlace(1, 2, null));
  }

  @Test
  void anOwnerThatDoesNotAnswerIsNotWaitedForLong() throws IOException {
    JobId id = workspace.submitting().submit(Specs.plain("x"));
    Reading hasty =
        new OutsideReader(
            new FsSettings(
                root,
                new RealDisk(root),
                Clock.systemUTC(),
                IdGenerator.forThisProcess()::next,
                RandomGenerator.getDefault()),
            Duration.ofMillis(1));
    try (OwnerLock lock = OwnerLock.tryAcquire(root).orElseThrow()) {
      assertThat(lock.isIntact()).isTrue();
      assertThat(hasty.queuePlace(id)).contains(new QueuePlace(0, 1, null));
    }
    assertThat(places.own("inbox")).isEmptyDirectory();
    assertThat(places.own("answers")).isEmptyDirectory();
  }

  @Test
  void aPlainJobThatNamesNoRecoveryCeilingHasTheOwners() throws IOException {
    JobId bare = new JobId("1794733669168034_1_0");
    plant(JobState.PENDING, bare, "prompt.txt", "x");
    JobId said =
        workspace.submitting().submit(Specs.with(Specs.indestructible(), Specs.plain("y")));
    Workspace strict = workspace.withRecoveryCeiling(0);
    for (int life = 0; life < 2; life++) {
      try (JobStore store = strict.own().orElseThrow()) {
        store.claim(new dev.millrace.core.store.Demand(Rig.TYPES, 5, "worker", null));
      }
    }
    assertThat(strict.reading().state(bare)).contains(JobState.FAILED);
    assertThat(strict.reading().state(said)).contains(JobState.IN_PROGRESS);
  }

  @Test
  void whatAPlainJobHadMadeWhenItsOwnerFailedItIsKept() throws IOException {
    Workspace strict = workspace.withRecoveryCeiling(0);
    JobId id = workspace.submitting().submit(Specs.plain("x"));
    try (JobStore store = strict.own().orElseThrow()) {
      Claim claim = claim(store, 1).getFirst();
      generate(store, claim);
      store.release(claim, "shutdown");
      store.journal(claim(store, 1).getFirst(), Piece.EMPTY);
    }
    try (JobStore store = strict.own().orElseThrow()) {
      assertThat(store.state(id)).contains(JobState.FAILED);
    }
    assertThat(place(JobState.FAILED, id).resolve("response.txt")).hasContent("some text");
    assertThat(log.lines())
        .anyMatch(line -> line.contains(id + ": task 1/1 failed: Job exceeded recovery ceiling"));
  }

  @Test
  void aNewOwnerSaysWhatItReleased() {
    JobStore store = own();
    store.submit(Specs.job(Specs.stage("a", "one", "two")));
    claim(store, 2);
    close(store);
    assertThat(log.lines()).noneMatch(line -> line.startsWith("released"));
    close(own());
    close(own());
    assertThat(log.lines()).containsOnlyOnce("released 2 tasks after a crash of the owner");
  }

  @Test
  void theDirectoryOfJournalsGoesWithTheLastOfThem() {
    JobStore store = own();
    JobId id = store.submit(Specs.job(Specs.stage("a", "one", "two")));
    List<Claim> claims = claim(store, 2);
    generate(store, claims.getFirst());
    complete(store, claims.getFirst());
    store.fail(claims.getLast(), Failure.permanent("broken before it had a journal"));
    assertThat(place(JobState.FAILED, id).resolve("stages/1-a/results.jsonl")).exists();
    assertThat(place(JobState.FAILED, id).resolve("stages/1-a/journal")).doesNotExist();
  }
}
