package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What workers may answer, and that only the answer of the present claim counts. */
abstract class OutcomeContract extends ContractCase {

  @Test
  void aCompletedTaskCompletesStageAndJobAndKeepsItsResult() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    clock.advance(SECOND);
    complete(claim, "the result");

    assertThat(view(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(view(id).completedAt()).isEqualTo(clock.instant());
    assertThat(view(id).stages().getFirst().completedAt()).isEqualTo(clock.instant());
    assertThat(task(id, 1, 1).result()).isEqualTo(TaskResult.of("the result"));
    assertThat(task(id, 1, 1).completedAt()).isEqualTo(clock.instant());
    assertThat(task(id, 1, 1).attempts()).isZero();
    List<Object> before = everything(id);
    crash();
    assertThat(everything(id)).isEqualTo(before);
  }

  @Test
  void resultsOfAnyKindAndTextSurvive() {
    List<String> texts =
        List.of(
            "", "\n", "two\r\nlines\n", "\"quotes\" \\ \0 \u2028 é 😀", "long ".repeat(100_000));
    JobId id = submit(ContractJobs.tasks("a", texts.size()), ContractJobs.tasks("embed", 1));
    List<Claim> claims = claim(10, "a");
    for (int i = texts.size() - 1; i >= 0; i--) {
      complete(claims.get(i), texts.get(i));
    }
    TaskResult vector = new TaskResult(TaskResult.Kind.EMBEDDING, "[0.5,-1.0]");
    assertThat(store.complete(claimOne("embed"), vector).isDone()).isTrue();
    crash();
    assertThat(store.tasks(id, 1, 1, 10))
        .extracting(task -> task.result().text())
        .containsExactlyElementsOf(texts);
    assertThat(task(id, 2, 1).result()).isEqualTo(vector);
  }

  @Test
  void aFailedTaskIsTriedAgainAfterItsBackoff() {
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x")));
    fail(claimOne("a"), "first trouble");

    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    assertThat(task(id, 1, 1).attempts()).isEqualTo(1);
    assertThat(task(id, 1, 1).error()).isEqualTo("first trouble");
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    assertNothingToClaim("a");
    clock.advance(SECOND.minusMillis(1));
    assertNothingToClaim("a");
    clock.advance(Duration.ofMillis(1));
    Claim second = claimOne("a");
    assertThat(second.attempt()).isEqualTo(2);
    complete(second, "at last");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
    assertThat(task(id, 1, 1).error()).isNull();
  }

  @Test
  void theLastFailureFailsTaskStageAndJob() {
    JobId id =
        submit(ContractJobs.with(ContractJobs.attempts(2), stage("a", "x", "y")), stage("b", "z"));
    Claim first = claimOne("a");
    Claim sibling = claimOne("a");
    fail(first, "one");
    clock.advance(SECOND);
    fail(claimOne("a"), "two");

    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.FAILED);
    assertThat(task(id, 1, 1).attempts()).isEqualTo(2);
    assertThat(taskState(id, 1, 2)).isEqualTo(TaskState.ABORTED);
    assertThat(taskState(id, 2, 1)).as("of a stage that never began").isEqualTo(TaskState.PENDING);
    assertThat(stageState(id, 1)).isEqualTo(StageState.FAILED);
    assertThat(stageState(id, 2)).isEqualTo(StageState.CREATED);
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(view(id).error()).isEqualTo("stage 1 (a): task 1: two");
    assertThat(view(id).completedAt()).isEqualTo(clock.instant());
    assertThat(store.heartbeat(sibling, false)).isEqualTo(ClaimSignal.CANCEL);
    assertEveryAnswerIs(Outcome.Cancelled.class, sibling);
  }

  @Test
  void aPermanentFailureUsesNoFurtherAttempts() {
    JobId id = submit(ContractJobs.with(ContractJobs.attempts(5), stage("a", "x")));
    store.fail(claimOne("a"), Failure.permanent("hopeless"));
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(task(id, 1, 1).error()).isEqualTo("hopeless");
  }

  @Test
  void backoffsGrowAndStayInTheirBand() {
    Backoff backoff = new Backoff(Duration.ofSeconds(10), 3.0, Duration.ofSeconds(100), 0.2);
    JobId id =
        submit(ContractJobs.with(new TaskPolicy(6, backoff, null, null, 3), stage("a", "x")));
    long[] full = {10_000, 30_000, 90_000, 100_000, 100_000};
    for (long expected : full) {
      fail(claimOne("a"), "again");
      LogEntry last = events(id).getLast();
      Fact.Detail detail = ((Fact.TaskChanged) last.fact()).detail();
      Instant until = ((Fact.Detail.Retrying) detail).notBefore();
      assertThat(Duration.between(last.at(), until).toMillis())
          .isBetween(expected * 8 / 10, expected * 12 / 10);
      clock.advanceTo(until.minusMillis(1));
      crash();
      assertNothingToClaim("a");
      clock.advanceTo(until);
    }
    fail(claimOne("a"), "the end");
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aReleasedTaskCostsNoAttemptAndCanBeClaimedAtOnce() {
    JobId id = submit(stage("a", "x"));
    for (int i = 0; i < 10; i++) {
      assertThat(store.release(claimOne("a"), "shutdown").isDone()).isTrue();
      assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
    }
    Claim claim = claimOne("a");
    assertThat(claim.attempt()).isEqualTo(1);
    complete(claim, "done");
    assertThat(state(id)).isEqualTo(JobState.COMPLETED);
  }

  @Test
  void anAnswerIsAcceptedOnce() {
    submit(ContractJobs.with(ContractJobs.attempts(3), ContractJobs.tasks("a", 3)));
    List<Claim> claims = claim(3, "a");
    complete(claims.get(0), "once");
    assertEveryAnswerIs(Outcome.Fenced.class, claims.get(0));
    fail(claims.get(1), "once");
    assertEveryAnswerIs(Outcome.Fenced.class, claims.get(1));
    store.release(claims.get(2), "once");
    assertEveryAnswerIs(Outcome.Fenced.class, claims.get(2));
    assertThat(store.heartbeat(claims.get(2), false)).isEqualTo(ClaimSignal.LOST);
  }

  @Test
  void answersToAFormerOwnersClaimAreFenced() {
    JobId id = submit(stage("a", "x"));
    Claim former = claimOne("a");
    store.release(former, "pause");
    Claim present = claimOne("a");
    assertThat(present.key().token()).isNotEqualTo(former.key().token());
    assertEveryAnswerIs(Outcome.Fenced.class, former);
    complete(present, "mine");
    assertThat(task(id, 1, 1).result()).isEqualTo(TaskResult.of("mine"));
  }

  @Test
  void anUnknownTokenIsFenced() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    FencingToken token = claim.key().token();
    for (FencingToken forged :
        List.of(
            new FencingToken(token.epoch(), token.number() + 1),
            new FencingToken(token.epoch() + 1, token.number()),
            new FencingToken(-1, -1))) {
      assertEveryAnswerIs(Outcome.Fenced.class, forged(claim, id, new ClaimKey(1, 1, forged)));
    }
    complete(claim, "the real one");
  }

  @Test
  void anAnswerForAnUnknownTaskIsMissing() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    FencingToken token = claim.key().token();
    JobId nobody = new JobId("1_2_3");
    for (Claim odd :
        List.of(
            forged(claim, nobody, claim.key()),
            forged(claim, id, new ClaimKey(2, 1, token)),
            forged(claim, id, new ClaimKey(1, 2, token)),
            forged(claim, id, new ClaimKey(0, 0, token)))) {
      assertThat(store.complete(odd, TaskResult.of("x"))).isInstanceOf(Outcome.Missing.class);
      assertThat(store.fail(odd, Failure.of("x"))).isInstanceOf(Outcome.Missing.class);
      assertThat(store.release(odd, "x")).isInstanceOf(Outcome.Missing.class);
      assertThat(store.heartbeat(odd, true)).isEqualTo(ClaimSignal.LOST);
      store.log(odd, "info", "x");
    }
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.IN_PROGRESS);
  }

  private static Claim forged(Claim claim, JobId job, ClaimKey key) {
    return new Claim(
        job,
        key,
        claim.type(),
        claim.data(),
        claim.createdAt(),
        Claim.Limits.NONE,
        null,
        claim.view());
  }

  @Test
  void aWorkersLinesAreInTheJobsLog() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    store.log(claim, "info", "half way");
    store.log(claim, "error", "odd: \"\n😀");
    complete(claim, "done");
    crash();
    assertThat(events(id))
        .extracting(LogEntry::fact)
        .contains(
            new Fact.WorkerLogLine(1, 1, "info", "half way"),
            new Fact.WorkerLogLine(1, 1, "error", "odd: \"\n😀"));
  }

  @Test
  void secretsOfWorkersAreNotKept() {
    JobId id = submit(stage("a", "x"));
    Claim released = claimOne("a");
    store.log(released, "info", "login with password=hunter2");
    store.release(released, "no answer from https://me:hunter2@host/");
    store.fail(claimOne("a"), Failure.permanent("token: hunter2 was refused"));
    crash();
    assertThat(events(id).toString())
        .contains("login with password=[redacted]", "https://me:[redacted]@host/")
        .doesNotContain("hunter2");
    assertThat(view(id).error()).contains("token: [redacted] was refused");
  }

  @Test
  void resultsComeWithTheirReceipts() {
    JsonObject receipt = JsonObject.create().put("seed", 7L).put("model", "m");
    TaskResult result = TaskResult.of("text").withReceipt(receipt);
    JobId plain = submit(stage("generate", "x"));
    assertThat(store.complete(claimOne("generate"), result)).isEqualTo(Outcome.DONE);
    JobId staged = submit(ContractJobs.tasks("a", 2), ContractJobs.tasks("b", 1));
    List<Claim> claims = claim(2, "a");
    store.complete(claims.get(0), TaskResult.of("none"));
    store.complete(claims.get(1), result);
    for (int i = 0; i < 2; i++) {
      assertThat(task(plain, 1, 1).result()).isEqualTo(result);
      assertThat(task(staged, 1, 1).result()).isEqualTo(TaskResult.of("none"));
      assertThat(task(staged, 1, 2).result()).isEqualTo(result);
      crash();
    }
  }

  @Test
  void theReceiptIsThatOfTheAttemptThatCompleted() {
    JsonObject first = JsonObject.create().put("attempt", 1L);
    for (JsonObject second : new JsonObject[] {null, JsonObject.create().put("attempt", 2L)}) {
      JobId id = submit(ContractJobs.with(ContractJobs.attempts(2), stage("generate", "x")));
      Failure failure = Failure.of("broken").withPartial("half", first);
      assertThat(store.fail(claimOne("generate"), failure)).isEqualTo(Outcome.DONE);
      clock.advance(SECOND);
      TaskResult result = new TaskResult(TaskResult.Kind.RESULT, "whole", second);
      store.complete(claimOne("generate"), result);
      assertThat(task(id, 1, 1).result()).isEqualTo(result);
    }
  }
}
