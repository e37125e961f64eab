package dev.millrace.cluster.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OriginAuditRecorderTest {
  private static final int WIDTH = 4;
  private static final long ROW = HiddenStates.bytes(WIDTH);

  private final List<OriginAuditRecorder.EndedSequence> ended = new ArrayList<>();
  private final List<Long> dropped = new ArrayList<>();
  private final OriginCounters figures = new OriginCounters();

  private OriginAuditRecorder recorder(double rate, int rows) {
    OriginAuditRecorder.EndedSequences endedSequences =
        new OriginAuditRecorder.EndedSequences() {
          @Override
          public void add(OriginAuditRecorder.EndedSequence one) {
            ended.add(one);
          }

          @Override
          public void dropped(int pipe, long passage) {
            dropped.add(passage);
          }
        };
    return new OriginAuditRecorder(rate, WIDTH, rows * ROW, figures, endedSequences);
  }

  private static void pass(OriginAuditRecorder recorder, long passage, int from, int to) {
    float[] hidden = {1, 2, 3, 4, 5, 6};
    for (int position = from; position < to; position++) {
      hidden[2] = position;
      recorder.rowSent(0, passage, position, hidden, 1);
    }
    for (int position = from; position < to; position++) {
      recorder.rowReturned(0, passage, position, hidden, 2);
    }
  }

  @Test
  void theShareOfChosenSequencesIsTheRate() {
    OriginAuditRecorder recorder = recorder(0.25, 10);
    int chosen = 0;
    for (int i = 0; i < 10_000; i++) {
      chosen += recorder.shouldAudit(i) ? 1 : 0;
    }
    assertThat(chosen).isBetween(2_250, 2_750);
    assertThat(recorder(0, 10).shouldAudit(1)).isFalse();
    assertThat(recorder(1, 10).shouldAudit(1)).isTrue();
  }

  @Test
  void chunksAndSingleRowsOfSeveralSequencesAreKeptApart() {
    OriginAuditRecorder recorder = recorder(1, 100);
    pass(recorder, 1, 0, 5);
    pass(recorder, 2, 0, 3);
    pass(recorder, 1, 5, 6);
    recorder.sequenceEnded(0, 9, 1, 6, why -> {});
    assertThat(ended).hasSize(1);
    AuditRecording one = ended.getFirst().recording();
    assertThat(one.left().count()).isEqualTo(6);
    float[] row = new float[WIDTH];
    one.left().copyTo(5, row, 0);
    assertThat(row).containsExactly(2, 5, 4, 5);
    assertThat(one.returned()).hasSize(6);
    assertThat(one.returned().get(3))
        .isEqualTo(RowHashRecorder.hash(new float[] {4, 4, 5, 6}, 0, WIDTH));
    assertThat(recorder.bytes()).isEqualTo(9 * ROW);
    recorder.forget(one);
    recorder.sequenceDropped(0, 2);
    assertThat(recorder.bytes()).isZero();
    assertThat(dropped).isEmpty();
    recorder.sequenceDropped(0, 1);
    assertThat(dropped).as("it waits for its verdict").containsExactly(1L);
  }

  @Test
  void noneIsChosenWhileTheMemoryIsHalfFull() {
    OriginAuditRecorder recorder = recorder(1, 10);
    pass(recorder, 1, 0, 6);
    assertThat(recorder.shouldAudit(2)).isFalse();
    assertThat(figures.auditsSkipped.sum()).isEqualTo(1);
    recorder.sequenceDropped(0, 1);
    assertThat(recorder.shouldAudit(3)).isTrue();
  }

  private String verdict(OriginAuditRecorder recorder, long passage, int positions) {
    List<String> verdicts = new ArrayList<>();
    recorder.sequenceEnded(
        0, 9, passage, positions, why -> verdicts.add(why == null ? "right" : why));
    return String.join(", ", verdicts);
  }

  @Test
  void aSequenceThatOutgrowsTheMemoryEndsUnauditedAndIsCounted() {
    OriginAuditRecorder recorder = recorder(1, 10);
    pass(recorder, 1, 0, 12);
    assertThat(recorder.bytes()).as("nothing is kept that is of no use").isZero();
    assertThat(verdict(recorder, 1, 12)).isEqualTo("right");
    assertThat(ended).isEmpty();
    assertThat(figures.auditsSkipped.sum()).isEqualTo(1);
    assertThat(figures.auditsIncomplete.sum()).isZero();
  }

  @Test
  void aSequenceThatIsNoLongerRecordedStaysSoWhenMemoryIsFreeAgain() {
    OriginAuditRecorder recorder = recorder(1, 10);
    pass(recorder, 1, 0, 5);
    pass(recorder, 2, 0, 5);
    pass(recorder, 1, 5, 6);
    recorder.sequenceDropped(0, 2);
    pass(recorder, 1, 6, 12);
    assertThat(verdict(recorder, 1, 12)).isEqualTo("right");
    assertThat(recorder.bytes()).isZero();
    assertThat(recorder.shouldAudit(3)).isTrue();
  }

  @Test
  void aSequenceThatWasNotNotedWholeIsComputedAgain() {
    OriginAuditRecorder recorder = recorder(1, 10);
    pass(recorder, 1, 1, 4);
    assertThat(recorder.bytes()).isZero();
    assertThat(verdict(recorder, 1, 4)).contains("no verdict");
    assertThat(verdict(recorder, 2, 4)).as("never seen").contains("no verdict");
    assertThat(figures.auditsIncomplete.sum()).isEqualTo(2);
  }
}
