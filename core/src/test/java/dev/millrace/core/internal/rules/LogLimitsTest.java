package dev.millrace.core.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskEvent;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The limits of a log that take too many entries to reach through a store. */
class LogLimitsTest {
  private static final Instant AT = Instant.EPOCH;
  private static final Cause ANNA = Cause.user("anna", null);

  private final JobFold fold =
      JobFold.created(
          JobPlan.of(
              JobSpec.builder()
                  .stages(List.of(StageSpec.of("a", Collections.nCopies(200, TaskSpec.of("x")))))
                  .open(true)
                  .build(),
              AT),
          TransitionListener.IGNORED);

  private void apply(Fact fact) {
    fold.apply(new LogEntry(fold.lastNumber() + 1, AT, fact));
  }

  private JobUpdate update() {
    return new JobUpdate(fold, AT, JobUpdate.TemplateResolver.NONE);
  }

  private ClaimKey claim(int task) {
    ClaimRules.claim(update(), 1, task, new Detail.Claimed(1, "w"));
    return new ClaimKey(1, task, fold.stage(1).task(task).token());
  }

  private static void assertTooLarge(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    assertThat(((Outcome.Refused) outcome).reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(outcome.message()).contains("at most 1000000 times");
  }

  @Test
  void additionsAndNotesAreCounted() {
    apply(new Fact.Submitted());
    for (int i = 1; i < LogLimits.MAX_ADDITIONS; i++) {
      apply(new Fact.Prioritized(i % 2 == 0 ? Priority.HIGH : Priority.LOW, ANNA));
    }
    List<TaskSpec> one = List.of(TaskSpec.of("x"));
    assertThat(AdditionRules.addTasks(update(), 1, one, ANNA)).isEqualTo(new Outcome.Done(201));
    assertTooLarge(AdditionRules.addTasks(update(), 1, one, ANNA));
    assertTooLarge(AdditionRules.addStage(update(), StageSpec.of("b", one), ANNA));
    assertTooLarge(AdditionRules.prioritize(update(), Priority.VERY_HIGH, Priority.HIGH, ANNA));
    assertTooLarge(AdditionRules.replaceMetadata(update(), 0, 0, JsonObject.create(), ANNA));
    assertThat(LeverRules.applyToJob(update(), JobEvent.ABORT, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(fold.state()).isEqualTo(JobState.ABORTED);
  }

  @Test
  void theWorkerLogOfAJobEndsWithALineThatSaysSo() {
    apply(new Fact.Submitted());
    String line = "y".repeat(LogLimits.MAX_LINE);
    int task = 1;
    JobUpdate last = update();
    for (ClaimKey key = claim(task); last.entries().isEmpty(); key = claim(++task)) {
      long before = fold.lastNumber();
      for (int i = 0; i < 200 && last.entries().isEmpty(); i++) {
        WorkerLogRules.record(update(), key, "info", line);
        if (fold.usage().logBytes() >= LogLimits.MAX_JOB_LOG_BYTES) {
          last = update();
          WorkerLogRules.record(last, key, "info", "more");
          assertThat(last.entries()).isEmpty();
          assertThat(fold.usage().logBytes())
              .isLessThan(LogLimits.MAX_JOB_LOG_BYTES + 2 * LogLimits.MAX_LINE);
          WorkerLogRules.record(last, claim(++task), "info", "another task");
          assertThat(last.entries()).isEmpty();
          return;
        }
      }
      assertThat(fold.lastNumber() - before).as("lines of one task").isLessThan(130);
    }
  }

  @Test
  void onlyRecentRequestsAreKnown() {
    apply(new Fact.Submitted());
    apply(new Fact.JobChanged(JobEvent.PAUSE, ANNA.withOp("pause")));
    for (int i = 0; i <= RecentRequests.MOST; i++) {
      apply(new Fact.Prioritized(Priority.HIGH, ANNA.withOp("op " + i)));
    }
    assertThat(fold.hasRequest("op 0")).isFalse();
    assertThat(fold.hasRequest("op 1")).isTrue();
    assertThat(fold.hasRequest("op " + RecentRequests.MOST)).isTrue();
    assertThat(fold.hasRequest("pause")).as("the last of the job itself").isTrue();
    JobFold copy = fold.copy(TransitionListener.IGNORED);
    assertThat(copy.hasRequest("op 1")).isTrue();
    assertThat(copy.hasRequest("pause")).isTrue();
  }

  @Test
  void tasksThatFailAlikeShareOneText() {
    apply(new Fact.Submitted());
    for (int task = 1; task <= 200; task++) {
      String worker = new String("worker".toCharArray()); // as if it was read from a log
      apply(new Fact.TaskChanged(1, task, TaskEvent.CLAIM, new Detail.Claimed(1, worker)));
    }
    for (int task = 1; task <= 200; task++) {
      String error = new String("broken".toCharArray());
      apply(new Fact.TaskChanged(1, task, TaskEvent.FAIL, new Detail.Ended(error)));
    }
    TaskFold first = fold.stage(1).task(1);
    for (int task = 2; task <= 200; task++) {
      assertThat(fold.stage(1).task(task).error()).isSameAs(first.error());
      assertThat(fold.stage(1).task(task).lastClaim().worker())
          .isSameAs(first.lastClaim().worker());
    }
  }

  @Test
  void namesAreCutAndCommentsOnlyOfTransitions() {
    Cause long1 = Cause.user("a".repeat(300), "b".repeat(20_000));
    Cause fit = LogLimits.fit(long1, true);
    assertThat(fit.who()).startsWith("a".repeat(200) + "…");
    assertThat(fit.comment()).startsWith("b".repeat(10_000) + "…");
    assertThatThrownBy(() -> LogLimits.fit(long1, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("comment too long: 20000 characters, at most 10000");
    assertThat(LogLimits.fit(fit.withOp("op"), true).op()).isEqualTo("op");
  }

  @Test
  void sizeCountsErrorsAndRequests() {
    apply(new Fact.Submitted());
    long before = fold.size();
    for (int task = 1; task <= 200; task++) {
      apply(new Fact.TaskChanged(1, task, TaskEvent.CLAIM, new Detail.Claimed(1, "w")));
      String error = task + "e".repeat(4_000);
      apply(new Fact.TaskChanged(1, task, TaskEvent.FAIL, new Detail.Ended(error)));
    }
    long failed = fold.size();
    assertThat(failed - before).isBetween(800_000L, 2_000_000L);
    assertThat(fold.copy(TransitionListener.IGNORED).size()).isEqualTo(failed);
    for (int i = 0; i < 1_000; i++) {
      apply(new Fact.Prioritized(Priority.HIGH, ANNA.withOp("op " + i)));
    }
    assertThat(fold.size() - failed).isGreaterThan(100_000);
  }

  /** The process may end each time just before the task says that it starts. */
  @Test
  void waitingExcusesALimitedNumberOfLosses() {
    apply(new Fact.Submitted());
    int losses = 0;
    while (!fold.stage(1).task(1).state().isFinal() && losses < 100) {
      assertThat(lose(AttemptProgress.NOT_STARTED)).isEqualTo(Outcome.DONE);
      losses++;
    }
    int ceiling = fold.stage(1).plan().policy().recoveryCeiling();
    assertThat(losses).isEqualTo(ClaimRules.MOST_EXCUSED + ceiling + 1);
  }

  @Test
  void progressExcusesAgain() {
    apply(new Fact.Submitted());
    for (int i = 0; i < ClaimRules.MOST_EXCUSED + 2; i++) {
      lose(AttemptProgress.NOT_STARTED);
    }
    assertThat(fold.stage(1).task(1).recoveriesSince(0)).isEqualTo(2);
    lose(AttemptProgress.PRODUCED_TOKENS);
    lose(AttemptProgress.NOT_STARTED);
    assertThat(fold.stage(1).task(1).recoveriesSince(0)).isZero();
  }

  private Outcome lose(AttemptProgress progress) {
    return ClaimRules.recordLoss(update(), claim(1), ClaimRules.WorkerLoss.CRASH, progress);
  }
}
