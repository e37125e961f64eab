package dev.millrace.core.store;

import static dev.millrace.core.store.Jobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Reading.Draft;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a task settles and produces before it answers, and what it answers about that. */
abstract class JournalContract extends ContractCase {
  private static final JsonObject TERMS =
      Json.object("{\"model\":\"m\",\"seed\":7,\"parameters\":{\"stop\":[\"a\"]}}");

  private static Piece piece(String text, int... tokens) {
    List<Integer> ids = new ArrayList<>();
    for (int token : tokens) {
      ids.add(token);
    }
    return new Piece(ids, text);
  }

  private String draft(JobId id, int stage, int task) {
    return store.draft(id, stage, task, 0).text();
  }

  private Claim frozen() {
    Claim claim = claimOne("generate");
    assertThat(store.freeze(claim, TERMS)).isEqualTo(Answer.DONE);
    return claim;
  }

  @Test
  void aFirstClaimHasNothingToGoOnFrom() {
    submit(stage("generate", "x"));
    Claim claim = claimOne("generate");
    assertThat(claim.frozen()).isNull();
    assertThat(claim.prior()).isEmpty();
    assertThat(claim.createdAt()).isEqualTo(clock.instant());
  }

  @Test
  void anotherAttemptGoesByTheTermsAndOnFromTheTokensOfTheFirst() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    assertThat(store.journal(claim, piece("He", 1, 2))).isEqualTo(Pulse.CONTINUE);
    assertThat(store.journal(claim, piece("", 3))).isEqualTo(Pulse.CONTINUE);
    assertThat(store.journal(claim, piece("llo \"\n😀", 4))).isEqualTo(Pulse.CONTINUE);
    assertThat(store.release(claim, "shutdown")).isEqualTo(Answer.DONE);

    clock.advance(MINUTE);
    Claim second = claimOne("generate");
    assertThat(second.frozen()).isEqualTo(TERMS);
    assertThat(second.prior()).containsExactly(1, 2, 3, 4);
    assertThat(second.createdAt()).isEqualTo(clock.instant().minus(MINUTE));
    store.journal(second, piece("!", 5));
    crash();
    Claim third = claimOne("generate");
    assertThat(third.frozen()).isEqualTo(TERMS);
    assertThat(third.prior()).containsExactly(1, 2, 3, 4, 5);
    assertThat(draft(id, 1, 1)).isEqualTo("Hello \"\n😀!");
  }

  @Test
  void everyTaskHasItsOwnJournal() {
    JobId id = submit(Jobs.tasks("a", 3), Jobs.each("b", "{{result}}"));
    List<Claim> claims = claim(3, "a");
    for (int i = 0; i < 3; i++) {
      store.freeze(claims.get(i), JsonObject.create().put("n", i));
      store.journal(claims.get(i), piece("task " + i, i));
    }
    crash();
    List<Claim> again = claim(3, "a");
    for (int i = 0; i < 3; i++) {
      assertThat(again.get(i).prior()).containsExactly(i);
      assertThat(again.get(i).frozen()).isEqualTo(JsonObject.create().put("n", (long) i));
      assertThat(draft(id, 1, i + 1)).isEqualTo("task " + i);
    }
    again.forEach(claim -> complete(claim, "done"));
    Claim next = claim(3, "b").getFirst();
    assertThat(next.frozen()).isNull();
    store.freeze(next, TERMS);
    store.journal(next, piece("b", 9));
    store.release(next, "x");
    assertThat(claimOne("b").prior()).containsExactly(9);
    assertThat(draft(id, 2, 1)).isEqualTo("b");
  }

  @Test
  void newTermsDropWhatWasJournaledUnderOthers() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.journal(claim, piece("old", 1));
    JsonObject other = JsonObject.create().put("model", "other");
    assertThat(store.freeze(claim, other)).isEqualTo(Answer.DONE);
    assertThat(draft(id, 1, 1)).isEmpty();
    crash();
    claim = claimOne("generate");
    assertThat(claim.frozen()).isEqualTo(other);
    assertThat(claim.prior()).isEmpty();
    store.journal(claim, piece("new", 2));
    crash();
    assertThat(claimOne("generate").prior()).containsExactly(2);
    assertThat(draft(id, 1, 1)).isEqualTo("new");
  }

  @Test
  void withoutTermsAJournalIsThatOfOneClaim() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = claimOne("generate");
    store.journal(claim, piece("one", 1));
    assertThat(draft(id, 1, 1)).isEqualTo("one");
    store.release(claim, "x");
    assertThat(draft(id, 1, 1)).isEqualTo("one");
    Claim second = claimOne("generate");
    assertThat(second.prior()).isEmpty();
    assertThat(draft(id, 1, 1)).isEmpty();
    store.journal(second, piece("two", 2));
    assertThat(draft(id, 1, 1)).isEqualTo("two");
  }

  @Test
  void whoFollowsADraftSeesEveryPieceOnceAndABeginningAnew() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    assertThat(store.draft(id, 1, 1, 0).pieces()).isEmpty();
    store.journal(claim, piece("a", 1));
    Draft first = store.draft(id, 1, 1, 0);
    assertThat(first.from()).isZero();
    assertThat(first.pieces()).containsExactly(piece("a", 1));
    assertThat(store.draft(id, 1, 1, first.next()))
        .isEqualTo(new Draft(first.next(), first.next(), List.of()));
    store.journal(claim, piece("b", 2));
    store.journal(claim, piece("c", 3));
    Draft second = store.draft(id, 1, 1, first.next());
    assertThat(second.from()).isEqualTo(first.next());
    assertThat(second.pieces()).containsExactly(piece("b", 2), piece("c", 3));

    store.freeze(claim, TERMS);
    store.journal(claim, piece("new, and longer than all of the old", 4, 5, 6, 7));
    Draft anew = store.draft(id, 1, 1, second.next());
    assertThat(anew.from()).isZero();
    assertThat(anew.text()).isEqualTo("new, and longer than all of the old");
  }

  @Test
  void aDraftOfWhatIsUnknownOrCompletedIsEmpty() {
    JobId id = submit(stage("generate", "x"));
    assertThat(draft(id, 1, 1)).isEmpty();
    assertThat(draft(id, 1, 2)).isEmpty();
    assertThat(draft(id, 2, 1)).isEmpty();
    assertThat(draft(new JobId("1_2_3"), 1, 1)).isEmpty();
    Claim claim = frozen();
    store.journal(claim, piece("half", 1));
    complete(claim, "whole");
    assertThat(draft(id, 1, 1)).isEmpty();
  }

  @Test
  void pauseAndResumeKeepTheJournal() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.journal(claim, piece("half", 1));
    store.pause(id, ANNA);
    assertThat(store.journal(claim, piece(" way", 2))).isEqualTo(Pulse.PAUSE);
    assertThat(draft(id, 1, 1)).isEqualTo("half way");
    store.release(claim, "paused");
    crash();
    assertThat(draft(id, 1, 1)).isEqualTo("half way");
    store.resume(id, ANNA);
    assertThat(claimOne("generate").prior()).containsExactly(1, 2);
  }

  @Test
  void theJournalIsWhatIsLeftOfATaskThatFailedOrWasCancelled() {
    JobId aborted = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.journal(claim, piece("half", 1));
    store.abort(aborted, ANNA);
    assertThat(store.journal(claim, piece(" too late", 2))).isEqualTo(Pulse.CANCEL);
    assertThat(store.freeze(claim, TERMS)).isInstanceOf(Answer.Cancelled.class);
    assertThat(draft(aborted, 1, 1)).isEqualTo("half");

    JobId failed = submit(stage("generate", "y"));
    claim = frozen();
    store.journal(claim, piece("some", 1));
    fail(claim, "broken");
    crash();
    assertThat(draft(failed, 1, 1)).isEqualTo("some");
    assertThat(draft(aborted, 1, 1)).isEqualTo("half");
  }

  @Test
  void anotherAttemptAfterAFailureHasTermsAndTokens() {
    submit(Jobs.with(Jobs.attempts(2), stage("generate", "x")));
    Claim claim = frozen();
    store.journal(claim, piece("some", 1));
    fail(claim, "broken");
    clock.advance(SECOND);
    Claim second = claimOne("generate");
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.frozen()).isEqualTo(TERMS);
    assertThat(second.prior()).containsExactly(1);
  }

  @Test
  void nobodyElseFreezesOrJournals() {
    JobId id = submit(stage("generate", "x"));
    Claim former = claimOne("generate");
    store.release(former, "x");
    Claim present = frozen();
    store.journal(present, piece("mine", 1));
    assertThat(store.journal(former, piece("late", 2))).isEqualTo(Pulse.LOST);
    assertThat(store.freeze(former, TERMS)).isInstanceOf(Answer.Fenced.class);
    assertThat(draft(id, 1, 1)).isEqualTo("mine");
    store.prune(clock.instant(), java.util.Set.of());
    assertThat(store.journal(present, piece("!", 3))).isEqualTo(Pulse.CONTINUE);
  }

  @Test
  void termsAreInTheLogAndTokensAreNot() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    int entries = events(id).size();
    for (int i = 0; i < 100; i++) {
      store.journal(claim, piece("token", i));
    }
    assertThat(events(id)).hasSize(entries);
    assertThat(events(id).getLast().fact()).isEqualTo(new Fact.Frozen(1, 1, TERMS));
  }

  /** A life in which the task was at work and got nowhere. */
  private void crashAtWork() {
    assertThat(store.journal(claimOne("generate"), Piece.EMPTY)).isEqualTo(Pulse.CONTINUE);
    crash();
  }

  @Test
  void aCrashAfterNewTokensIsNotCounted() {
    JobId id = submit(Jobs.with(Jobs.ceiling(0), stage("generate", "x")));
    Claim claim = frozen();
    for (int i = 0; i < 5; i++) {
      store.journal(claim, Piece.EMPTY);
      store.journal(claim, piece("t", i));
      crash();
      assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
      claim = claimOne("generate");
      assertThat(claim.prior()).hasSize(i + 1);
    }
    store.journal(claim, Piece.EMPTY);
    crash();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(draft(id, 1, 1)).isEqualTo("ttttt");
  }

  @Test
  void newTokensForgiveEarlierCrashes() {
    JobId id = submit(Jobs.with(Jobs.ceiling(1), stage("generate", "x")));
    store.release(frozen(), "shutdown");
    for (int i = 0; i < 3; i++) {
      crashAtWork();
      store.journal(claimOne("generate"), piece("t", i));
      crash();
      assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    }
    assertThat(events(id).stream().map(Entry::fact).filter(Fact.Progress.class::isInstance))
        .hasSize(3);
    crashAtWork();
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    crashAtWork();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void withoutTermsNewTokensAreProgressAllTheSame() {
    JobId id = submit(Jobs.with(Jobs.ceiling(0), stage("generate", "x")));
    store.journal(claimOne("generate"), piece("t", 1));
    crash();
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    claimOne("generate");
    crash();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aCrashIsNotCountedAgainstATaskThatOnlyWaitedForItsTurn() {
    JobId id = submit(Jobs.with(Jobs.ceiling(0), Jobs.tasks("generate", 2)));
    List<Claim> claims = claim(2, "generate");
    claims.forEach(claim -> store.freeze(claim, TERMS));
    store.journal(claims.getFirst(), piece("t", 1));
    for (int i = 0; i < 5; i++) {
      crash();
      claims = claim(2, "generate");
      assertThat(claims).hasSize(2);
      assertThat(claims.getFirst().prior()).containsExactly(1);
    }
    store.journal(claims.getLast(), Piece.EMPTY);
    crash();
    assertThat(taskState(id, 1, 2)).isEqualTo(TaskState.FAILED);
  }

  @Test
  void tokensOfAnEarlierClaimAreNotProgressOfThisOne() {
    JobId id = submit(Jobs.with(Jobs.ceiling(0), stage("generate", "x")));
    Claim claim = frozen();
    store.journal(claim, piece("t", 1));
    store.release(claim, "shutdown");
    crashAtWork();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aLostLeaseIsJudgedAsACrashIs() {
    JobId id = submit(Jobs.with(Jobs.ceiling(0), stage("generate", "x")));
    for (Piece piece : List.of(piece("t", 1), Piece.EMPTY)) {
      Claim claim = claim(1, MINUTE, "generate").getFirst();
      store.journal(claim, piece);
      clock.advance(MINUTE);
      store.sweep();
      boolean grew = !piece.tokens().isEmpty();
      assertThat(state(id)).isEqualTo(grew ? JobState.IN_PROGRESS : JobState.FAILED);
    }
  }

  @Test
  void whoOnlySaysThatItBeginsAddsNothing() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.journal(claim, Piece.EMPTY);
    store.journal(claim, Piece.EMPTY);
    assertThat(store.draft(id, 1, 1, 0).pieces()).isEmpty();
    store.journal(claim, piece("a", 1));
    Draft first = store.draft(id, 1, 1, 0);
    assertThat(first.pieces()).containsExactly(piece("a", 1));
    crash();
    Claim second = claimOne("generate");
    store.journal(second, Piece.EMPTY);
    store.journal(second, piece("b", 2));
    assertThat(store.draft(id, 1, 1, first.next()).pieces()).containsExactly(piece("b", 2));
  }

  @Test
  void journalingRenewsTheLease() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = claim(1, MINUTE, "generate").getFirst();
    for (int i = 0; i < 5; i++) {
      clock.advance(MINUTE.minusSeconds(1));
      assertThat(store.journal(claim, piece("t", i))).isEqualTo(Pulse.CONTINUE);
      assertThat(store.sweep()).isZero();
    }
    clock.advance(MINUTE);
    store.sweep();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
  }

  @Test
  void resultsComeWithTheirReceipts() {
    JsonObject receipt = JsonObject.create().put("seed", 7L).put("model", "m");
    TaskResult result = TaskResult.of("text").withReceipt(receipt);
    JobId plain = submit(stage("generate", "x"));
    assertThat(store.complete(claimOne("generate"), result)).isEqualTo(Answer.DONE);
    JobId staged = submit(Jobs.tasks("a", 2), Jobs.tasks("b", 1));
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
      JobId id = submit(Jobs.with(Jobs.attempts(2), stage("generate", "x")));
      Failure failure = Failure.of("broken").withPartial("half", first);
      assertThat(store.fail(claimOne("generate"), failure)).isEqualTo(Answer.DONE);
      clock.advance(SECOND);
      TaskResult result = new TaskResult(TaskResult.Kind.RESULT, "whole", second);
      store.complete(claimOne("generate"), result);
      assertThat(task(id, 1, 1).result()).isEqualTo(result);
    }
  }

  @Test
  void whoeverStopsRunningTasksSaysSoAtOnce() {
    List<JobId> told = new ArrayList<>();
    JobId id = submit(Jobs.tasks("a", 3));
    JobId waiting = submit(Jobs.tasks("b", 1));
    Claim claim = claimOne("a");
    store.onLever(
        job -> {
          told.add(job);
          assertThat(store.heartbeat(claim, false)).isNotEqualTo(Pulse.CONTINUE);
        });
    store.pause(waiting, ANNA);
    store.abort(waiting, ANNA);
    assertThat(told).as("nothing of it ran").isEmpty();
    store.pause(id, ANNA);
    assertThat(told).containsExactly(id);
    store.resume(id, ANNA);
    assertThat(told).hasSize(1);
    store.hold(id, 1, ANNA);
    assertThat(told).containsExactly(id, id);
    store.approve(id, 1, ANNA);
    store.abort(id, ANNA);
    assertThat(told).containsExactly(id, id, id);
    store.abort(id, ANNA);
    assertThat(told).hasSize(3);
  }

  @Test
  void aJobThatFailsTellsItsOtherTasks() {
    List<JobId> told = new ArrayList<>();
    JobId id = submit(Jobs.tasks("a", 2));
    List<Claim> claims = claim(2, "a");
    store.onLever(told::add);
    fail(claims.get(0), "broken");
    assertThat(told).containsExactly(id);
    assertThat(store.heartbeat(claims.get(1), false)).isEqualTo(Pulse.CANCEL);

    submit(stage("generate", "x"));
    fail(claimOne("generate"), "alone");
    assertThat(told).as("nobody else to tell").hasSize(1);
  }
}
