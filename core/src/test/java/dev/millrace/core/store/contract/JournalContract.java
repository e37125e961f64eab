package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Frozen terms and journals: what a task stores before it answers, and what later attempts get. */
abstract class JournalContract extends ContractCase {
  private static final JsonObject TERMS =
      Json.object("{\"model\":\"m\",\"seed\":7,\"parameters\":{\"stop\":[\"a\"]}}");

  private static OutputChunk piece(String text, int... tokens) {
    List<Integer> ids = new ArrayList<>();
    for (int token : tokens) {
      ids.add(token);
    }
    return new OutputChunk(ids, text);
  }

  private String draft(JobId id, int stage, int task) {
    return store.outputSoFar(id, stage, task, 0).text();
  }

  private Claim frozen() {
    Claim claim = claimOne("generate");
    assertThat(store.freeze(claim, TERMS)).isEqualTo(Outcome.DONE);
    return claim;
  }

  @Test
  void aFirstClaimHasNothingToResumeFrom() {
    submit(stage("generate", "x"));
    Claim claim = claimOne("generate");
    assertThat(claim.frozenTerms()).isNull();
    assertThat(claim.journaledTokens()).isEmpty();
    assertThat(claim.createdAt()).isEqualTo(clock.instant());
  }

  @Test
  void anotherAttemptGetsTheTermsAndTokensOfTheFirst() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    assertThat(store.appendJournal(claim, piece("He", 1, 2))).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.appendJournal(claim, piece("", 3))).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.appendJournal(claim, piece("llo \"\n😀", 4))).isEqualTo(ClaimSignal.CONTINUE);
    assertThat(store.release(claim, "shutdown")).isEqualTo(Outcome.DONE);

    clock.advance(MINUTE);
    Claim second = claimOne("generate");
    assertThat(second.frozenTerms()).isEqualTo(TERMS);
    assertThat(second.journaledTokens()).containsExactly(1, 2, 3, 4);
    assertThat(second.createdAt()).isEqualTo(clock.instant().minus(MINUTE));
    store.appendJournal(second, piece("!", 5));
    crash();
    Claim third = claimOne("generate");
    assertThat(third.frozenTerms()).isEqualTo(TERMS);
    assertThat(third.journaledTokens()).containsExactly(1, 2, 3, 4, 5);
    assertThat(draft(id, 1, 1)).isEqualTo("Hello \"\n😀!");
  }

  @Test
  void theTextOfEachTokenIsKeptApart() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    OutputChunk chunk = new OutputChunk(List.of(1, 2, 3, 4), List.of("a", "", "\"😀\n", "b"));
    store.appendJournal(claim, chunk);
    store.appendJournal(claim, piece("two", 5, 6));
    assertThat(store.outputSoFar(id, 1, 1, 0).pieces()).containsExactly(chunk, piece("two", 5, 6));
    crash();
    OutputChunk journaled = claimOne("generate").journaledOutput();
    assertThat(journaled.tokens()).containsExactly(1, 2, 3, 4, 5, 6);
    assertThat(journaled.pieces())
        .as("the last token has the text that is not known apart")
        .containsExactly("a", "", "\"😀\n", "b", "", "two");
  }

  @Test
  void everyTaskHasItsOwnJournal() {
    JobId id = submit(ContractJobs.tasks("a", 3), ContractJobs.each("b", "{{result}}"));
    List<Claim> claims = claim(3, "a");
    for (int i = 0; i < 3; i++) {
      store.freeze(claims.get(i), JsonObject.create().put("n", i));
      store.appendJournal(claims.get(i), piece("task " + i, i));
    }
    crash();
    List<Claim> again = claim(3, "a");
    for (int i = 0; i < 3; i++) {
      assertThat(again.get(i).journaledTokens()).containsExactly(i);
      assertThat(again.get(i).frozenTerms()).isEqualTo(JsonObject.create().put("n", (long) i));
      assertThat(draft(id, 1, i + 1)).isEqualTo("task " + i);
    }
    again.forEach(claim -> complete(claim, "done"));
    Claim next = claim(3, "b").getFirst();
    assertThat(next.frozenTerms()).isNull();
    store.freeze(next, TERMS);
    store.appendJournal(next, piece("b", 9));
    store.release(next, "x");
    assertThat(claimOne("b").journaledTokens()).containsExactly(9);
    assertThat(draft(id, 2, 1)).isEqualTo("b");
  }

  @Test
  void newTermsDropWhatWasJournaledUnderOthers() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.appendJournal(claim, piece("old", 1));
    JsonObject other = JsonObject.create().put("model", "other");
    assertThat(store.freeze(claim, other)).isEqualTo(Outcome.DONE);
    assertThat(draft(id, 1, 1)).isEmpty();
    crash();
    claim = claimOne("generate");
    assertThat(claim.frozenTerms()).isEqualTo(other);
    assertThat(claim.journaledTokens()).isEmpty();
    store.appendJournal(claim, piece("new", 2));
    crash();
    assertThat(claimOne("generate").journaledTokens()).containsExactly(2);
    assertThat(draft(id, 1, 1)).isEqualTo("new");
  }

  @Test
  void withoutTermsAJournalIsThatOfOneClaim() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = claimOne("generate");
    store.appendJournal(claim, piece("one", 1));
    assertThat(draft(id, 1, 1)).isEqualTo("one");
    store.release(claim, "x");
    assertThat(draft(id, 1, 1)).isEqualTo("one");
    Claim second = claimOne("generate");
    assertThat(second.journaledTokens()).isEmpty();
    assertThat(draft(id, 1, 1)).isEmpty();
    store.appendJournal(second, piece("two", 2));
    assertThat(draft(id, 1, 1)).isEqualTo("two");
  }

  @Test
  void aFollowerOfTheOutputSeesEveryChunkOnceAndARestart() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    assertThat(store.outputSoFar(id, 1, 1, 0).pieces()).isEmpty();
    store.appendJournal(claim, piece("a", 1));
    OutputSoFar first = store.outputSoFar(id, 1, 1, 0);
    assertThat(first.from()).isZero();
    assertThat(first.pieces()).containsExactly(piece("a", 1));
    assertThat(store.outputSoFar(id, 1, 1, first.next()))
        .isEqualTo(new OutputSoFar(first.next(), first.next(), List.of()));
    store.appendJournal(claim, piece("b", 2));
    store.appendJournal(claim, piece("c", 3));
    OutputSoFar second = store.outputSoFar(id, 1, 1, first.next());
    assertThat(second.from()).isEqualTo(first.next());
    assertThat(second.pieces()).containsExactly(piece("b", 2), piece("c", 3));

    store.freeze(claim, TERMS);
    store.appendJournal(claim, piece("new, and longer than all of the old", 4, 5, 6, 7));
    OutputSoFar restarted = store.outputSoFar(id, 1, 1, second.next());
    assertThat(restarted.from()).isZero();
    assertThat(restarted.text()).isEqualTo("new, and longer than all of the old");
  }

  @Test
  void theOutputOfAnUnknownOrCompletedTaskIsEmpty() {
    JobId id = submit(stage("generate", "x"));
    assertThat(draft(id, 1, 1)).isEmpty();
    assertThat(draft(id, 1, 2)).isEmpty();
    assertThat(draft(id, 2, 1)).isEmpty();
    assertThat(draft(new JobId("1_2_3"), 1, 1)).isEmpty();
    Claim claim = frozen();
    store.appendJournal(claim, piece("half", 1));
    complete(claim, "whole");
    assertThat(draft(id, 1, 1)).isEmpty();
  }

  @Test
  void pauseAndResumeKeepTheJournal() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.appendJournal(claim, piece("half", 1));
    store.pause(id, ANNA);
    assertThat(store.appendJournal(claim, piece(" way", 2))).isEqualTo(ClaimSignal.PAUSE);
    assertThat(draft(id, 1, 1)).isEqualTo("half way");
    store.release(claim, "paused");
    crash();
    assertThat(draft(id, 1, 1)).isEqualTo("half way");
    store.resume(id, ANNA);
    assertThat(claimOne("generate").journaledTokens()).containsExactly(1, 2);
  }

  @Test
  void aFailedOrCancelledTaskKeepsItsJournal() {
    JobId aborted = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.appendJournal(claim, piece("half", 1));
    store.abort(aborted, ANNA);
    assertThat(store.appendJournal(claim, piece(" too late", 2))).isEqualTo(ClaimSignal.CANCEL);
    assertThat(store.freeze(claim, TERMS)).isInstanceOf(Outcome.Cancelled.class);
    assertThat(draft(aborted, 1, 1)).isEqualTo("half");

    JobId failed = submit(stage("generate", "y"));
    claim = frozen();
    store.appendJournal(claim, piece("some", 1));
    fail(claim, "broken");
    crash();
    assertThat(draft(failed, 1, 1)).isEqualTo("some");
    assertThat(draft(aborted, 1, 1)).isEqualTo("half");
  }

  @Test
  void anotherAttemptAfterAFailureHasTermsAndTokens() {
    submit(ContractJobs.with(ContractJobs.attempts(2), stage("generate", "x")));
    Claim claim = frozen();
    store.appendJournal(claim, piece("some", 1));
    fail(claim, "broken");
    clock.advance(SECOND);
    Claim second = claimOne("generate");
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.frozenTerms()).isEqualTo(TERMS);
    assertThat(second.journaledTokens()).containsExactly(1);
  }

  @Test
  void onlyThePresentClaimFreezesAndJournals() {
    JobId id = submit(stage("generate", "x"));
    Claim former = claimOne("generate");
    store.release(former, "x");
    Claim present = frozen();
    store.appendJournal(present, piece("mine", 1));
    assertThat(store.appendJournal(former, piece("late", 2))).isEqualTo(ClaimSignal.LOST);
    assertThat(store.freeze(former, TERMS)).isInstanceOf(Outcome.Fenced.class);
    assertThat(draft(id, 1, 1)).isEqualTo("mine");
    store.prune(clock.instant(), java.util.Set.of());
    assertThat(store.appendJournal(present, piece("!", 3))).isEqualTo(ClaimSignal.CONTINUE);
  }

  @Test
  void termsAreInTheLogAndTokensAreNot() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    int entries = events(id).size();
    for (int i = 0; i < 100; i++) {
      store.appendJournal(claim, piece("token", i));
    }
    assertThat(events(id)).hasSize(entries);
    assertThat(events(id).getLast().fact()).isEqualTo(new Fact.TermsFrozen(1, 1, TERMS));
  }

  /** Starts the task and crashes before it makes progress. */
  private void crashAtWork() {
    assertThat(store.appendJournal(claimOne("generate"), OutputChunk.EMPTY))
        .isEqualTo(ClaimSignal.CONTINUE);
    crash();
  }

  @Test
  void aCrashAfterNewTokensIsNotCounted() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(0), stage("generate", "x")));
    Claim claim = frozen();
    for (int i = 0; i < 5; i++) {
      store.appendJournal(claim, OutputChunk.EMPTY);
      store.appendJournal(claim, piece("t", i));
      crash();
      assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
      claim = claimOne("generate");
      assertThat(claim.journaledTokens()).hasSize(i + 1);
    }
    store.appendJournal(claim, OutputChunk.EMPTY);
    crash();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(draft(id, 1, 1)).isEqualTo("ttttt");
  }

  @Test
  void newTokensResetEarlierCrashes() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(1), stage("generate", "x")));
    store.release(frozen(), "shutdown");
    for (int i = 0; i < 3; i++) {
      crashAtWork();
      store.appendJournal(claimOne("generate"), piece("t", i));
      crash();
      assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    }
    assertThat(
            events(id).stream().map(LogEntry::fact).filter(Fact.TaskProgressed.class::isInstance))
        .hasSize(3);
    crashAtWork();
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    crashAtWork();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void newTokensAreProgressAlsoWithoutTerms() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(0), stage("generate", "x")));
    store.appendJournal(claimOne("generate"), piece("t", 1));
    crash();
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    claimOne("generate");
    crash();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aCrashIsNotCountedAgainstATaskThatOnlyWaited() {
    JobId id =
        submit(ContractJobs.with(ContractJobs.ceiling(0), ContractJobs.tasks("generate", 2)));
    List<Claim> claims = claim(2, "generate");
    claims.forEach(claim -> store.freeze(claim, TERMS));
    store.appendJournal(claims.getFirst(), piece("t", 1));
    store.appendJournal(claims.getLast(), OutputChunk.WAITING);
    for (int i = 0; i < 5; i++) {
      crash();
      claims = claim(2, "generate");
      assertThat(claims).hasSize(2);
      assertThat(claims.getFirst().journaledTokens()).containsExactly(1);
      claims.forEach(claim -> store.appendJournal(claim, OutputChunk.WAITING));
    }
    store.appendJournal(claims.getLast(), OutputChunk.EMPTY);
    crash();
    assertThat(taskState(id, 1, 2)).isEqualTo(TaskState.FAILED);
  }

  /** Whatever kills the process before the task waits or starts would kill the next one, too. */
  @Test
  void frozenTermsAreNoProgress() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(2), stage("generate", "x")));
    for (int i = 0; i < 3; i++) {
      assertThat(state(id)).isNotEqualTo(JobState.FAILED);
      Claim claim = claimOne("generate");
      store.freeze(claim, TERMS);
      store.log(claim, "info", "a line is no progress either");
      store.heartbeat(claim, false);
      crash();
    }
    assertThat(state(id)).isEqualTo(JobState.FAILED);
    assertThat(task(id, 1, 1).error()).contains("recovery ceiling");
  }

  @Test
  void termsOfAnEarlierAttemptExcuseNoCrash() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(2), stage("generate", "x")));
    Claim first = frozen();
    store.appendJournal(first, OutputChunk.WAITING);
    crash();
    for (int i = 0; i < 3; i++) {
      assertThat(state(id)).isNotEqualTo(JobState.FAILED);
      assertThat(claimOne("generate").frozenTerms()).isNotNull();
      crash(); // the journal still says that the first attempt waited
    }
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aTaskThatWaitsAgainAfterItHasStartedIsNotAtFault() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(0), stage("generate", "x")));
    Claim claim = frozen();
    store.appendJournal(claim, OutputChunk.WAITING);
    store.appendJournal(claim, OutputChunk.EMPTY);
    store.appendJournal(claim, OutputChunk.WAITING);
    assertThat(store.outputSoFar(id, 1, 1, 0).pieces()).isEmpty();
    crash();
    assertThat(state(id)).isEqualTo(JobState.IN_PROGRESS);
    claim = claimOne("generate");
    store.appendJournal(claim, OutputChunk.WAITING);
    store.appendJournal(claim, piece("t", 1));
    assertThat(draft(id, 1, 1)).isEqualTo("t");
    crash();
    assertThat(claimOne("generate").journaledTokens()).containsExactly(1);
  }

  @Test
  void tokensOfAnEarlierClaimAreNotProgressOfThisOne() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(0), stage("generate", "x")));
    Claim claim = frozen();
    store.appendJournal(claim, piece("t", 1));
    store.release(claim, "shutdown");
    crashAtWork();
    assertThat(state(id)).isEqualTo(JobState.FAILED);
  }

  @Test
  void aLostLeaseCountsLikeACrash() {
    JobId id = submit(ContractJobs.with(ContractJobs.ceiling(0), stage("generate", "x")));
    for (OutputChunk piece : List.of(piece("t", 1), OutputChunk.EMPTY)) {
      Claim claim = claim(1, MINUTE, "generate").getFirst();
      store.appendJournal(claim, piece);
      clock.advance(MINUTE);
      store.sweep();
      boolean grew = !piece.tokens().isEmpty();
      assertThat(state(id)).isEqualTo(grew ? JobState.IN_PROGRESS : JobState.FAILED);
    }
  }

  @Test
  void anEmptyChunkAddsNothing() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = frozen();
    store.appendJournal(claim, OutputChunk.EMPTY);
    store.appendJournal(claim, OutputChunk.EMPTY);
    assertThat(store.outputSoFar(id, 1, 1, 0).pieces()).isEmpty();
    store.appendJournal(claim, piece("a", 1));
    OutputSoFar first = store.outputSoFar(id, 1, 1, 0);
    assertThat(first.pieces()).containsExactly(piece("a", 1));
    crash();
    Claim second = claimOne("generate");
    store.appendJournal(second, OutputChunk.EMPTY);
    store.appendJournal(second, piece("b", 2));
    assertThat(store.outputSoFar(id, 1, 1, first.next()).pieces()).containsExactly(piece("b", 2));
  }

  @Test
  void journalingRenewsTheLease() {
    JobId id = submit(stage("generate", "x"));
    Claim claim = claim(1, MINUTE, "generate").getFirst();
    for (int i = 0; i < 5; i++) {
      clock.advance(MINUTE.minusSeconds(1));
      assertThat(store.appendJournal(claim, piece("t", i))).isEqualTo(ClaimSignal.CONTINUE);
      assertThat(store.sweep()).isZero();
    }
    clock.advance(MINUTE);
    store.sweep();
    assertThat(taskState(id, 1, 1)).isEqualTo(TaskState.RETRIED);
  }
}
