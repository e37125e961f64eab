package dev.millrace.cli.network;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.PipeStretch;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.util.List;

/** Builds states of nodes. */
public final class NodeStateFixtures {
  public static final String HOUSE = "ab".repeat(32);
  public static final String OTHER = "cd".repeat(32);

  private NodeStateFixtures() {}

  public static NodeState node(String name, int port) {
    HostPort link = new HostPort("127.0.0.1", port);
    SupportedNumerics numerics = SupportedNumerics.parse("2,q8_0=1+2");
    return NodeState.of(name, 7, 1, numerics, link, new HostPort("127.0.0.1", port + 1));
  }

  public static HeldLayers loaded(int from, int to) {
    return new HeldLayers(
        HOUSE, "house", 7, from, to, HeldLayers.State.LOADED, false, 3 << 20, 1.5 * (1L << 30), "");
  }

  public static HeldLayers coming(int from, int to) {
    return new HeldLayers(
        HOUSE, "house", 7, from, to, HeldLayers.State.FETCHING, false, 1 << 20, 0, "");
  }

  public static HeldLayers failed(String problem) {
    return new HeldLayers(
        OTHER, "house.gguf", 7, 0, 7, HeldLayers.State.FAILED, false, 0, 0, problem);
  }

  public static NodeState holding(NodeState node, HeldLayers... holdings) {
    return node.withLayers(1L << 30, 256L << 20, List.of(holdings), List.of(HOUSE))
        .withSessions(1, 3, 1 << 20);
  }

  public static NodeState origin(NodeState node, PipeState... pipes) {
    ModelRequirements need =
        new ModelRequirements(
            HOUSE, "house", 11 << 20, java.util.Collections.nCopies(7, 1L << 20), 1, 1);
    return node.withPipes(List.of(need), List.of(pipes), List.of());
  }

  public static PipeState pipe(String waiting, PipeStretch... stretches) {
    return new PipeState(HOUSE, "house", 7, 0, 3, List.of(stretches), 2, 41.26, waiting);
  }

  public static PipeStretch stretch(String node, int from, int to) {
    return new PipeStretch(node, from, to);
  }
}
