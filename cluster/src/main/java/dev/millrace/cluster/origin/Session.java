package dev.millrace.cluster.origin;

import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.util.ArrayList;
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

  /** As {@link #remote}; where one node has two that adjoin they are one to it. */
  List<Stretch> stages() {
    return merged(remote());
  }

  private static List<Stretch> merged(List<Stretch> stretches) {
    List<Stretch> stages = new ArrayList<>();
    for (Stretch stretch : stretches) {
      Stretch last = stages.isEmpty() ? null : stages.getLast();
      if (last != null && last.node().equals(stretch.node()) && last.to() == stretch.from()) {
        stages.set(stages.size() - 1, new Stretch(last.node(), last.from(), stretch.to()));
      } else {
        stages.add(stretch);
      }
    }
    return stages;
  }

  /** The other nodes, in order, each once. */
  List<String> others() {
    return remote().stream().map(Stretch::node).distinct().toList();
  }

  /** How many stretches a node has. */
  int stretches(String node) {
    return (int) remote().stream().filter(stretch -> stretch.node().equals(node)).count();
  }

  /** Whether steps come to the origin from a node: the last before the origin's next layer. */
  boolean returnsFrom(String node) {
    List<Stretch> all = plan.stretches();
    for (int i = 0; i < all.size(); i++) {
      String next = i + 1 < all.size() ? all.get(i + 1).node() : plan.origin();
      if (all.get(i).node().equals(node) && next.equals(plan.origin())) {
        return has(node);
      }
    }
    return false;
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
    for (Stretch stretch : merged(plan.stretches())) {
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
