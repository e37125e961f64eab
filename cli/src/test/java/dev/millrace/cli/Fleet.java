package dev.millrace.cli;

import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.member.PipeState;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.engine.pipe.Pipe;
import java.util.List;

/** Nodes that say of themselves what a test wants. */
final class Fleet {
  static final String HOUSE = "ab".repeat(32);
  static final String OTHER = "cd".repeat(32);

  private Fleet() {}

  static NodeState node(String name, int port) {
    HostPort link = new HostPort("127.0.0.1", port);
    return NodeState.of(name, 7, 1, 2, link, new HostPort("127.0.0.1", port + 1));
  }

  static Holding loaded(int from, int to) {
    return new Holding(
        HOUSE, "house", 7, from, to, Holding.State.LOADED, false, 3 << 20, 1.5 * (1L << 30), "");
  }

  static Holding coming(int from, int to) {
    return new Holding(HOUSE, "house", 7, from, to, Holding.State.FETCHING, false, 1 << 20, 0, "");
  }

  static Holding failed(String problem) {
    return new Holding(OTHER, "house.gguf", 7, 0, 7, Holding.State.FAILED, false, 0, 0, problem);
  }

  static NodeState holding(NodeState node, Holding... holdings) {
    return node.withStock(1L << 30, 256L << 20, List.of(holdings), List.of(HOUSE))
        .withSessions(1, 3, 1 << 20);
  }

  static NodeState origin(NodeState node, PipeState... pipes) {
    ModelNeed need =
        new ModelNeed(HOUSE, "house", 11 << 20, java.util.Collections.nCopies(7, 1L << 20), 1, 1);
    return node.withPipes(List.of(need), List.of(pipes), List.of());
  }

  static PipeState pipe(String waiting, Pipe.Stretch... stretches) {
    return new PipeState(HOUSE, "house", 7, 0, 3, List.of(stretches), 2, 41.26, waiting);
  }

  static Pipe.Stretch stretch(String node, int from, int to) {
    return new Pipe.Stretch(node, from, to);
  }
}
