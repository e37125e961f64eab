package dev.millrace.engine.internal.wheel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.WheelHarness.RecordingListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interactive requests with several pipes, and with audited sequences, which restart. */
@Timeout(60)
class InteractivePipesTest {
  private final Random random = new Random(31);
  private final List<GenerationRequest> requests = new ArrayList<>();
  private final List<RecordingListener> recorded = new ArrayList<>();

  private static BatchLoop wheels(int slots, int pipes, @Nullable AuditHook hook) {
    WheelSettings settings = WheelHarness.SETTINGS.withSequences(slots);
    List<PipeProcessor> processors =
        Stream.generate(
                () -> PipeProcessor.local(WheelHarness.MODEL.cut(64, 0), WheelHarness.MODEL.end()))
            .limit(pipes)
            .toList();
    return new BatchLoop(
        settings,
        processors,
        WheelHarness.vocabulary(),
        shown -> WheelHarness.detokenizer(),
        () -> 0,
        hook);
  }

  private List<RecordingListener> submit(BatchLoop wheels, int count, boolean interactive) {
    List<RecordingListener> listeners = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      GenerationRequest request =
          GenerationRequest.of(WheelHarness.prompt(random, 10 + i), WheelHarness.warm(i), 40)
              .ignoringEnd();
      RecordingListener listener = new RecordingListener();
      listener.generation = wheels.submit(request.withInteractive(interactive), listener);
      requests.add(request);
      listeners.add(listener);
    }
    recorded.addAll(listeners);
    return listeners;
  }

  private void turnAllAndCheck(BatchLoop wheels) {
    for (int turns = 0; wheels.turn(); turns++) {
      wheels.check();
      assertThat(turns).isLessThan(5000);
    }
    for (int i = 0; i < requests.size(); i++) {
      RecordingListener alone =
          new WheelHarness(WheelHarness.SETTINGS).submitAndTurn(requests.get(i));
      assertThat(recorded.get(i).result().tokens()).isEqualTo(alone.result().tokens());
      assertThat(recorded.get(i).ids()).isEqualTo(alone.ids());
      assertThat(recorded.get(i).text.toString()).isEqualTo(alone.text.toString());
    }
  }

  @Test
  void theQueueKeepsAnEighthOfTheSlotsOfAllPipes() {
    BatchLoop wheels = wheels(2, 4, null);
    List<RecordingListener> queued = submit(wheels, 12, false);
    wheels.turn();
    List<RecordingListener> interactive = submit(wheels, 12, true);
    wheels.turn();
    assertThat(interactive.stream().filter(it -> it.tokens.size() == 1)).hasSize(7);
    assertThat(queued.stream().filter(it -> it.tokens.size() == 2)).hasSize(1);
    assertThat(queued.getFirst().tokens).as("the oldest stays").hasSize(2);
    turnAllAndCheck(wheels);
  }

  @Test
  void auditedSequencesRestartAndGiveTheSameTokensOnce() {
    BatchLoop wheels = wheels(4, 1, new ApprovingAudit());
    List<RecordingListener> queued = submit(wheels, 5, false);
    for (int i = 0; i < 20; i++) {
      wheels.turn();
    }
    List<RecordingListener> interactive = submit(wheels, 1, true);
    wheels.turn();
    assertThat(interactive.getFirst().tokens).hasSize(1);
    turnAllAndCheck(wheels);
    assertThat(queued.get(3).result().usage().preemptions()).isEqualTo(1);
  }

  @Test
  void anAuditedSequenceKeepsTheOnlySlot() {
    BatchLoop wheels = wheels(1, 1, new ApprovingAudit());
    RecordingListener queued = submit(wheels, 1, false).getFirst();
    wheels.turn();
    RecordingListener interactive = submit(wheels, 1, true).getFirst();
    interactive.onToken = () -> assertThat(queued.tokens).hasSize(40);
    turnAllAndCheck(wheels);
    assertThat(queued.result().usage().preemptions()).isZero();
  }

  /** Audits all sequences and finds them right. */
  private static final class ApprovingAudit implements AuditHook {
    @Override
    public boolean shouldAudit(long arrival) {
      return true;
    }

    @Override
    public void rowSent(int pipe, long passage, int position, float[] hidden, int offset) {}

    @Override
    public void rowReturned(int pipe, long passage, int position, float[] hidden, int offset) {}

    @Override
    public void sequenceEnded(
        int pipe, long epoch, long passage, int positions, Consumer<@Nullable String> verdict) {
      verdict.accept(null);
    }

    @Override
    public void sequenceDropped(int pipe, long passage) {}
  }
}
