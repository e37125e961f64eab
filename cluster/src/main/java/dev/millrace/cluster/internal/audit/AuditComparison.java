package dev.millrace.cluster.internal.audit;

import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Judges the nodes of a pipe one after the other, in its order, by what they noted and by what a
 * replay shows to be right. What a node was given is known to be right when it is judged, because
 * all before it were; so the first that differs is the one, or its hop is. Pure.
 */
final class AuditComparison {
  /**
   * What is wrong.
   *
   * @param nodes who cannot be trusted any more
   * @param why of all of them, in words
   */
  record Deviation(List<String> nodes, String why) {}

  private final List<NodeLayers> stages;
  private final Map<String, List<RowHashRecorder.RowHashes>> records;
  private final int positions;

  /**
   * @param stages the stretches of other nodes, in order
   * @param records of each node by stage and position
   */
  AuditComparison(
      List<NodeLayers> stages,
      Map<String, List<RowHashRecorder.RowHashes>> records,
      int positions) {
    this.stages = stages;
    this.records = records;
    this.positions = positions;
  }

  /** The first node whose records are not of all positions, each once and in order; null: none. */
  @Nullable String firstIncomplete() {
    for (int stage = 0; stage < stages.size(); stage++) {
      String node = stages.get(stage).node();
      long times = stages.stream().filter(s -> s.node().equals(node)).count();
      List<RowHashRecorder.RowHashes> rows = records.getOrDefault(node, List.of());
      if (rows.size() != times * positions) {
        return node;
      }
      for (int i = 0; i < rows.size(); i++) {
        if (rows.get(i).position() != i % positions) {
          return node;
        }
      }
    }
    return null;
  }

  /**
   * Judges the node of a stage by the hashes of what it should have been given, and of what it
   * should have given.
   */
  @Nullable Deviation judge(int stage, List<byte[]> in, List<byte[]> out) {
    List<RowHashRecorder.RowHashes> rows = rowsOf(stage);
    int badIn = -1;
    int badOut = -1;
    for (int i = in.size() - 1; i >= 0; i--) {
      badIn = Arrays.equals(rows.get(i).in(), in.get(i)) ? badIn : i;
      badOut = Arrays.equals(rows.get(i).out(), out.get(i)) ? badOut : i;
    }
    if (badIn >= 0) {
      return badHop(stage, badIn, badOut);
    }
    return badOut < 0 ? null : wrong(stage, badOut, "gave a wrong result");
  }

  /** It says that it got something else than the one before it says that it sent. */
  private Deviation badHop(int stage, int badIn, int badOut) {
    if (stage == 0) {
      return wrong(stage, badIn, "says it got something else than it was sent");
    }
    if (badOut < 0) {
      // what it gave follows from what it should have got, so it did get that
      return wrong(stage, badIn, "says it got something else than it worked on");
    }
    String before = stages.get(stage - 1).node();
    String node = stages.get(stage).node();
    return new Deviation(
        List.of(before, node),
        "of %s and %s one lies about what was sent between them at position %d"
            .formatted(before, node, badIn));
  }

  /** Judges what came back to the origin from the last node. */
  @Nullable Deviation judgeReturn(List<byte[]> returned, List<byte[]> out) {
    for (int i = 0; i < out.size(); i++) {
      if (!Arrays.equals(returned.get(i), out.get(i))) {
        return wrong(stages.size() - 1, i, "sent something else than it noted");
      }
    }
    return null;
  }

  private Deviation wrong(int stage, int position, String what) {
    NodeLayers stretch = stages.get(stage);
    return new Deviation(
        List.of(stretch.node()),
        "an audit found that it %s, for layers %d to %d at position %d"
            .formatted(what, stretch.from(), stretch.to() - 1, position));
  }

  private List<RowHashRecorder.RowHashes> rowsOf(int stage) {
    String node = stages.get(stage).node();
    List<RowHashRecorder.RowHashes> rows = records.get(node);
    if (rows == null) {
      throw new IllegalStateException("no records of node " + node);
    }
    long before = stages.subList(0, stage).stream().filter(s -> s.node().equals(node)).count();
    int first = Math.toIntExact(before * positions);
    return rows.subList(first, first + positions);
  }
}
