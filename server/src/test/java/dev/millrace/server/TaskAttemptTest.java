package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.TaskQueue;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.server.StopSignal.Reason;
import dev.millrace.server.TaskAttempt.Step;
import dev.millrace.server.internal.StoreRetry;
import java.lang.reflect.Proxy;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How what the store and the clock say becomes a reason to stop. */
class TaskAttemptTest {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final ManualClock clock = new ManualClock();
  private ClaimSignal answer = ClaimSignal.CONTINUE;
  private final TaskQueue store =
      (TaskQueue)
          Proxy.newProxyInstance(
              TaskQueue.class.getClassLoader(),
              new Class<?>[] {TaskQueue.class},
              (_, method, _) ->
                  switch (method.getName()) {
                    case "heartbeat", "appendJournal" -> answer;
                    default -> throw new UnsupportedOperationException(method.getName());
                  });
  private final TaskAttempt attempt =
      new TaskAttempt(claim(), 0, store, new StoreRetry(clock), clock);

  private static Claim claim() {
    Claim claim = FakeTaskContext.generate("x", "{}").claim();
    return new Claim(
        claim.job(),
        claim.key(),
        claim.type(),
        claim.data(),
        claim.createdAt(),
        new Claim.Limits(LIMIT, null),
        null,
        claim.view());
  }

  private @Nullable Reason heartbeat(ClaimSignal signal) {
    answer = signal;
    attempt.stopIfOutOfTime();
    attempt.heartbeat();
    return attempt.stopSignal().reason();
  }

  private @Nullable Reason journal(ClaimSignal signal) {
    answer = signal;
    attempt.journal(OutputChunk.EMPTY);
    return attempt.stopSignal().reason();
  }

  @ParameterizedTest
  @CsvSource({"PAUSE, PAUSED", "CANCEL, CANCELLED", "LOST, LOST"})
  void aSignalOfTheStoreIsAReason(ClaimSignal signal, Reason reason) {
    assertThat(heartbeat(ClaimSignal.CONTINUE)).isNull();
    assertThat(heartbeat(signal)).isEqualTo(reason);
    assertThat(attempt.cancelled()).isEqualTo(signal != ClaimSignal.PAUSE);
    assertThat(attempt.paused()).isEqualTo(signal == ClaimSignal.PAUSE);
  }

  @ParameterizedTest
  @CsvSource({"PAUSE, PAUSED", "CANCEL, CANCELLED", "LOST, LOST"})
  void aSignalMayComeWithTheAnswerToOutput(ClaimSignal signal, Reason reason) {
    attempt.advance(Step.RUN);
    assertThat(journal(ClaimSignal.CONTINUE)).isNull();
    assertThat(journal(signal)).isEqualTo(reason);
  }

  @Test
  void aPauseEndsWhenTheStoreSaysSo() {
    heartbeat(ClaimSignal.PAUSE);
    assertThat(heartbeat(ClaimSignal.CONTINUE)).isNull();
    assertThat(attempt.paused()).isFalse();
    heartbeat(ClaimSignal.PAUSE);
    assertThat(heartbeat(ClaimSignal.CANCEL)).isEqualTo(Reason.CANCELLED);
    assertThat(attempt.paused()).isFalse();
  }

  @Test
  void aLostClaimCountsMoreThanATimeLimit() {
    clock.advance(LIMIT);
    assertThat(heartbeat(ClaimSignal.PAUSE)).isEqualTo(Reason.TIMED_OUT);
    assertThat(attempt.timedOut()).isTrue();
    assertThat(heartbeat(ClaimSignal.LOST)).isEqualTo(Reason.LOST);
    assertThat(attempt.timedOut()).isFalse();
    attempt.stop(Reason.SHUTDOWN);
    assertThat(heartbeat(ClaimSignal.CANCEL)).isEqualTo(Reason.SHUTDOWN);
  }

  @Test
  void settingTheWallClockStopsNoTask() {
    clock.jump(LIMIT.multipliedBy(100));
    assertThat(heartbeat(ClaimSignal.CONTINUE)).isNull();
    clock.jump(LIMIT.multipliedBy(-200));
    clock.advance(LIMIT.minusMillis(1));
    assertThat(heartbeat(ClaimSignal.CONTINUE)).isNull();
    clock.advance(Duration.ofMillis(1));
    assertThat(heartbeat(ClaimSignal.CONTINUE)).isEqualTo(Reason.TIMED_OUT);
  }

  @Test
  void aHeartbeatDuringTheCommitOnlyRenewsTheClaim() {
    attempt.advance(Step.COMMIT);
    clock.advance(LIMIT);
    assertThat(heartbeat(ClaimSignal.CANCEL)).isNull();
  }
}
