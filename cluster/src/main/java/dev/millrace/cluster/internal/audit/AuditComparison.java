package dev.millrace.cluster.internal.audit;

import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.pipe.RowHashRecorder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Compares the records of a pipe's nodes with the results of a replay, in the order of the pipe.
 * All nodes before the compared one were right, so its correct input is known, and the first node
 * that differs is wrong, or the hop to it is. Pure functions.
 */
final class AuditComparison {
  /**
   * A wrong result.
   *
   * @param nodes nodes that cannot be trusted any more
   * @param why the reason, as text
   */
  record Deviation(List<String> nodes, String why) {}

  private final List<NodeLayers> stages;
  private final Map<String, List<RowHashRecorder.RowHashes>> records;
  private final int positions;

  /**
   * @param stages the stretches of other nodes, in order
   * @param records of each node, by stage and position
   */
  AuditComparison(
      List<NodeLayers> stages,
      Map<String, List<RowHashRecorder.RowHashes>> records,
      int positions) {
    this.stages = stages;
    this.records = records;
    this.positions = positions;
  }

  /** The first node without complete records (each position once, in order); null: none. */
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

  /** Compares the records of a stage with the hashes of its correct input and output. */
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
    return badOut < 0 ? null : wrong(stage, badOut, "returned a wrong result");
  }

  /** A node recorded another input than the node before it sent. */
  private Deviation badHop(int stage, int badIn, int badOut) {
    if (stage == 0) {
      return wrong(stage, badIn, "says that it received something else than was sent to it");
    }
    if (badOut < 0) {
      // its output follows from the correct input, so it did receive that
      return wrong(stage, badIn, "says that it received something else than it computed with");
    }
    String before = stages.get(stage - 1).node();
    String node = stages.get(stage).node();
    return new Deviation(
        List.of(before, node),
        "%s or %s gives a false record of what was sent between them at position %d"
            .formatted(before, node, badIn));
  }

  /** Compares what the last node sent back to the origin. */
  @Nullable Deviation judgeReturn(List<byte[]> returned, List<byte[]> out) {
    for (int i = 0; i < out.size(); i++) {
      if (!Arrays.equals(returned.get(i), out.get(i))) {
        return wrong(stages.size() - 1, i, "sent something else than it recorded");
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
