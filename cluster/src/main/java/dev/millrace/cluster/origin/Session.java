package dev.millrace.cluster.origin;

import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.util.List;

/**
 * A pipe under one plan, as its nodes know it.
 *
 * @param id drawn at random: whoever does not know it cannot take part
 * @param pipe its number here
 */
record Session(long id, int pipe, Pipe plan) {
  /** The stretches that are not the origin's, in order. */
  List<Stretch> remote() {
    return plan.stretches().stream().filter(s -> !s.node().equals(plan.origin())).toList();
  }

  /** The other nodes, in order, each once. */
  List<String> others() {
    return remote().stream().map(Stretch::node).distinct().toList();
  }

  boolean has(String node) {
    for (Stretch stretch : plan.stretches()) {
      if (stretch.node().equals(node)) {
        return !node.equals(plan.origin());
      }
    }
    return false;
  }

  /** As people read it: who has which layers. */
  String words() {
    StringBuilder words = new StringBuilder();
    for (Stretch stretch : plan.stretches()) {
      boolean here = stretch.node().equals(plan.origin());
      words.append(words.isEmpty() ? "layers " : ", ").append(stretch.from());
      if (stretch.to() - stretch.from() > 1) {
        words.append('-').append(stretch.to() - 1);
      }
      words.append(here ? " here" : " at " + stretch.node());
    }
    return words.toString();
  }
}
