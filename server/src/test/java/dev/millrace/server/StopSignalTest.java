package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.StopSignal.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each reason to stop does, once, and which one counts. */
class StopSignalTest {
  private final StopSignal signal = new StopSignal("a task");
  private final List<String> seen = new ArrayList<>();

  @AfterEach
  void clear() {
    Thread.interrupted();
  }

  private void registerHooks() {
    signal.onPause(() -> seen.add("pause hook, " + signal.reason()));
    signal.onStop(() -> seen.add("stop hook, " + signal.reason()));
  }

  /** As a worker on this thread, which may be interrupted. */
  private void asWorker(Runnable body) throws Exception {
    Callable<Boolean> worker =
        () -> {
          body.run();
          return true;
        };
    assertThat(signal.runInterruptibly(worker)).isTrue();
  }

  private void noteInterrupt() {
    if (Thread.interrupted()) {
      seen.add("interrupt");
    }
  }

  @ParameterizedTest
  @EnumSource(value = Reason.class, mode = EnumSource.Mode.EXCLUDE, names = "PAUSED")
  void aReasonToStopReachesFlagThenHookThenInterruptOnce(Reason reason) throws Exception {
    registerHooks();
    signal.onStop(this::noteInterrupt); // the interrupt comes after all hooks
    asWorker(
        () -> {
          assertThat(signal.raise(reason)).isTrue();
          noteInterrupt();
          assertThat(signal.raise(reason)).as("again").isFalse();
          noteInterrupt();
        });
    assertThat(seen).containsExactly("stop hook, " + reason, "interrupt");
    assertThat(signal.mustStop()).isTrue();
    assertThat(signal.isPaused()).isFalse();
  }

  @Test
  void aPauseReachesFlagAndHookAndInterruptsNothing() throws Exception {
    registerHooks();
    asWorker(
        () -> {
          signal.raise(Reason.PAUSED);
          signal.raise(Reason.PAUSED);
          noteInterrupt();
        });
    assertThat(seen).containsExactly("pause hook, PAUSED");
    assertThat(signal.isPaused()).isTrue();
    assertThat(signal.mustStop()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void theStrongestReasonCountsAndHooksRunOnce(Reason first) {
    for (Reason second : Reason.values()) {
      StopSignal both = new StopSignal("a task");
      List<Reason> told = new ArrayList<>();
      both.onPause(() -> told.add(Reason.PAUSED));
      both.onStop(() -> told.add(both.reason()));
      both.raise(first);
      both.raise(second);
      Reason strongest = first.compareTo(second) >= 0 ? first : second;
      assertThat(both.reason()).as("%s, then %s", first, second).isEqualTo(strongest);
      assertThat(told).as("%s, then %s", first, second).doesNotHaveDuplicates().contains(first);
      boolean paused = first == Reason.PAUSED || second == Reason.PAUSED;
      assertThat(told).hasSize(paused && strongest != Reason.PAUSED ? 2 : 1);
    }
  }

  @Test
  void aStrongerReasonInterruptsAgainAndAWeakerOneDoesNot() throws Exception {
    asWorker(
        () -> {
          signal.raise(Reason.TIMED_OUT);
          noteInterrupt();
          signal.raise(Reason.SHUTDOWN);
          noteInterrupt();
          assertThat(signal.raise(Reason.CANCELLED)).isFalse();
          noteInterrupt();
        });
    assertThat(seen).containsExactly("interrupt", "interrupt");
    assertThat(signal.reason()).isEqualTo(Reason.SHUTDOWN);
  }

  @Test
  void aPauseEndsAndIsRemembered() {
    assertThat(signal.wasPaused()).isFalse();
    signal.raise(Reason.PAUSED);
    signal.endPause();
    assertThat(signal.reason()).isNull();
    assertThat(signal.isPaused()).isFalse();
    assertThat(signal.wasPaused()).isTrue();
    registerHooks();
    assertThat(seen).as("not paused now").isEmpty();
    signal.raise(Reason.PAUSED);
    assertThat(seen).containsExactly("pause hook, PAUSED");
  }

  @Test
  void lateHooksRunAtOnce() {
    signal.raise(Reason.PAUSED);
    signal.raise(Reason.LOST);
    registerHooks();
    assertThat(seen).containsExactly("pause hook, LOST", "stop hook, LOST");
  }

  @Test
  void aHookForAnyReasonRunsOnceAndAWithdrawnOneNever() {
    signal.onAny(() -> seen.add("any, " + signal.reason()));
    signal.onAny(() -> seen.add("withdrawn")).close();
    signal.raise(Reason.PAUSED);
    signal.raise(Reason.CANCELLED);
    assertThat(seen).containsExactly("any, PAUSED");
    signal.onAny(() -> seen.add("late"));
    assertThat(seen).containsExactly("any, PAUSED", "late");
  }

  @Test
  void anInterruptWaitsUntilAShieldedCallEnds() throws Exception {
    asWorker(
        () -> {
          signal.shield(
              () -> {
                signal.raise(Reason.CANCELLED);
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
              });
          noteInterrupt();
        });
    assertThat(seen).containsExactly("interrupt");
  }

  @Test
  void aTaskThatWasStoppedBeforeItBeganIsInterruptedAtOnce() throws Exception {
    signal.raise(Reason.SHUTDOWN);
    asWorker(this::noteInterrupt);
    assertThat(seen).containsExactly("interrupt");
  }

  @Test
  void anErrorInAHookStopsNeitherTheOthersNorTheInterrupt() throws Exception {
    signal.onStop(
        () -> {
          throw new AssertionError("a hook's own");
        });
    registerHooks();
    asWorker(
        () -> {
          signal.raise(Reason.CANCELLED);
          noteInterrupt();
        });
    assertThat(seen).containsExactly("stop hook, CANCELLED", "interrupt");
  }
}
