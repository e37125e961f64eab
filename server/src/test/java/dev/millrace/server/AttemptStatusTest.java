package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.task.OutputChunk;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is known of an attempt in memory. */
class AttemptStatusTest {
  private final AttemptStatus progress = new AttemptStatus(OutputChunk.EMPTY);
  private final LongAdder counter = new LongAdder();
  private long nanos = -3;

  AttemptStatusTest() {
    progress.countInto(counter);
  }

  private void journal(int tokens, String text) {
    List<Integer> ids = IntStream.range(0, tokens).boxed().toList();
    progress.journaled(new OutputChunk(ids, text), nanos);
  }

  private TaskProgress now() {
    return progress.now(nanos);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void aWorkerThatReportsNothingRuns() {
    assertThat(now()).isEqualTo(new TaskProgress(TaskPhase.RUNNING, null, 0, 0, 0, 0, "", 0));
  }

  @Test
  void phasesFollowWhatIsReported() {
    progress.phase(TaskPhase.STARTING, "house");
    assertThat(now().phase()).isEqualTo(TaskPhase.STARTING);
    assertThat(now().model()).isEqualTo("house");
    progress.journaled(OutputChunk.WAITING, nanos);
    assertThat(now().phase()).isEqualTo(TaskPhase.STARTING);
    progress.journaled(OutputChunk.EMPTY, nanos);
    assertThat(now().phase()).as("it was admitted").isEqualTo(TaskPhase.PREFILL);
    progress.prompt(128, 500);
    progress.prompt(0, 500);
    assertThat(now().phase()).as("only the total").isEqualTo(TaskPhase.PREFILL);
    progress.prompt(128, 500);
    assertThat(now().promptDone()).isEqualTo(128);
    assertThat(now().promptTotal()).isEqualTo(500);
    journal(1, "x");
    assertThat(now().phase()).isEqualTo(TaskPhase.GENERATE);
    assertThat(now().promptDone()).as("all of it").isEqualTo(500);
    progress.prompt(256, 501);
    assertThat(now().phase()).as("after a preemption").isEqualTo(TaskPhase.PREFILL);
    progress.phase(TaskPhase.STARTING, null);
    assertThat(now().model()).as("as reported before").isEqualTo("house");
  }

  @Test
  void theEndOfALongTextIsKept() {
    for (int i = 0; i < 1_000; i++) {
      journal(1, i % 10 + "");
    }
    journal(1, "0123456789".repeat(200));
    assertThat(now().textLength()).isEqualTo(3_000);
    assertThat(now().tokens()).isEqualTo(1_001);
    assertThat(now().tail()).isEqualTo("0123456789".repeat(30));
  }

  @Test
  void aCharacterIsNotCutInHalf() {
    journal(1, "\uD83D\uDE00" + "a".repeat(AttemptStatus.MAX_TAIL - 1));
    assertThat(now().tail()).isEqualTo("a".repeat(AttemptStatus.MAX_TAIL - 1));
    assertThat(now().textLength()).isEqualTo(AttemptStatus.MAX_TAIL + 1);
  }

  @Test
  void theSpeedIsThatOfTheLastSeconds() {
    for (int second = 0; second < 20; second++) {
      journal(second < 10 ? 100 : 10, "x");
      pass(Duration.ofSeconds(1));
    }
    assertThat(now().tokensPerSecond()).isBetween(9.0, 12.0);
    pass(Duration.ofSeconds(30));
    assertThat(now().tokensPerSecond()).as("it stands still").isLessThan(1);
  }

  @Test
  void tokensOfEarlierAttemptsAreOutputButNotSpeed() {
    AttemptStatus resumed =
        new AttemptStatus(new OutputChunk(List.of(1, 2, 3), List.of("a", "b", "c")));
    assertThat(resumed.now(0).tokens()).isEqualTo(3);
    assertThat(resumed.now(0).tail()).isEqualTo("abc");
    assertThat(resumed.now(0).tokensPerSecond()).isZero();
    resumed.restart();
    assertThat(resumed.now(0).tail()).isEmpty();
    assertThat(resumed.now(0).textLength()).isZero();
  }

  @Test
  void tokensOfAModelAreNotCountedTwice() {
    journal(3, "abc");
    assertThat(counter.sum()).isEqualTo(3);
    progress.phase(TaskPhase.GENERATE, "house");
    journal(2, "de");
    assertThat(counter.sum()).as("its scheduler counts them").isEqualTo(3);
  }
}
