package dev.millrace.cluster.internal.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AuditComparisonTest {
  private static final int POSITIONS = 4;
  private final List<NodeLayers> stages =
      List.of(new NodeLayers("a", 1, 3), new NodeLayers("b", 3, 4), new NodeLayers("c", 4, 8));
  private final Map<String, List<RowHashRecorder.RowHashes>> records = new HashMap<>();
  private final List<List<byte[]>> truth = new ArrayList<>();

  AuditComparisonTest() {
    for (int boundary = 0; boundary <= stages.size(); boundary++) {
      List<byte[]> hashes = new ArrayList<>();
      for (int i = 0; i < POSITIONS; i++) {
        hashes.add(hash(boundary * 10 + i));
      }
      truth.add(hashes);
    }
    for (int stage = 0; stage < stages.size(); stage++) {
      List<RowHashRecorder.RowHashes> rows = new ArrayList<>();
      for (int i = 0; i < POSITIONS; i++) {
        rows.add(
            new RowHashRecorder.RowHashes(i, truth.get(stage).get(i), truth.get(stage + 1).get(i)));
      }
      records.put(stages.get(stage).node(), rows);
    }
  }

  private static byte[] hash(int of) {
    byte[] hash = new byte[32];
    hash[0] = (byte) of;
    return hash;
  }

  private void note(String node, int position, byte[] in, byte[] out) {
    records.get(node).set(position, new RowHashRecorder.RowHashes(position, in, out));
  }

  private AuditComparison.Deviation judge(List<byte[]> returned) {
    AuditComparison comparison = new AuditComparison(stages, records, POSITIONS);
    for (int stage = 0; stage < stages.size(); stage++) {
      AuditComparison.Deviation lie =
          comparison.judge(stage, truth.get(stage), truth.get(stage + 1));
      if (lie != null) {
        return lie;
      }
    }
    return comparison.judgeReturn(returned, truth.getLast());
  }

  @Test
  void ifAllIsRightNoNodeIsAccused() {
    assertThat(judge(truth.getLast())).isNull();
  }

  @Test
  void aWrongResultOfARightInputAccusesItsNode() {
    note("b", 2, truth.get(1).get(2), hash(99));
    note("c", 2, hash(99), hash(98)); // it worked on what it got
    note("c", 3, truth.get(2).get(3), hash(97)); // and its keys of position 2 are spoiled
    AuditComparison.Deviation lie = judge(truth.getLast());
    assertThat(lie.nodes()).containsExactly("b");
    assertThat(lie.why()).contains("returned a wrong result", "layers 3 to 3", "position 2");
  }

  @Test
  void theFirstNodeCannotSayThatTheOriginSentSomethingElse() {
    note("a", 1, hash(99), hash(98));
    assertThat(judge(truth.getLast()).nodes()).containsExactly("a");
  }

  @Test
  void aHopWithTwoDifferentRecordsAccusesBothEnds() {
    note("b", 1, hash(99), hash(98));
    AuditComparison.Deviation lie = judge(truth.getLast());
    assertThat(lie.nodes()).containsExactly("a", "b");
    assertThat(lie.why())
        .contains("gives a false record of what was sent between them at position 1");
  }

  @Test
  void aReceiverThatComputedFromTheRightInputIsAccusedAlone() {
    note("b", 1, hash(99), truth.get(2).get(1));
    assertThat(judge(truth.getLast()).nodes()).containsExactly("b");
  }

  @Test
  void theLastNodeCannotSendSomethingElseThanItNotes() {
    List<byte[]> returned = new ArrayList<>(truth.getLast());
    returned.set(3, hash(99));
    assertThat(judge(returned).nodes()).containsExactly("c");
  }

  @Test
  void recordsAreWholeWithEveryPositionOnceInOrder() {
    assertThat(new AuditComparison(stages, records, POSITIONS).firstIncomplete()).isNull();
    assertThat(new AuditComparison(stages, records, POSITIONS + 1).firstIncomplete())
        .isEqualTo("a");
    RowHashRecorder.RowHashes row = records.get("b").get(0);
    records.get("b").set(1, row);
    assertThat(new AuditComparison(stages, records, POSITIONS).firstIncomplete()).isEqualTo("b");
    records.remove("a");
    assertThat(new AuditComparison(stages, records, POSITIONS).firstIncomplete()).isEqualTo("a");
  }

  @Test
  void aNodeWithTwoStretchesIsJudgedForEach() {
    List<NodeLayers> twice =
        List.of(new NodeLayers("a", 1, 3), new NodeLayers("b", 3, 4), new NodeLayers("a", 4, 8));
    List<RowHashRecorder.RowHashes> both = new ArrayList<>(records.get("a"));
    both.addAll(records.get("c"));
    Map<String, List<RowHashRecorder.RowHashes>> of = Map.of("a", both, "b", records.get("b"));
    AuditComparison comparison = new AuditComparison(twice, of, POSITIONS);
    assertThat(comparison.firstIncomplete()).isNull();
    for (int stage = 0; stage < 3; stage++) {
      assertThat(comparison.judge(stage, truth.get(stage), truth.get(stage + 1))).isNull();
    }
    both.set(POSITIONS + 1, new RowHashRecorder.RowHashes(1, truth.get(2).get(1), hash(99)));
    assertThat(comparison.judge(0, truth.get(0), truth.get(1))).isNull();
    assertThat(comparison.judge(2, truth.get(2), truth.get(3)).nodes()).containsExactly("a");
  }
}
