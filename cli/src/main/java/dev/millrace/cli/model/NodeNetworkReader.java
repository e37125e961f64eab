package dev.millrace.cli.model;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.OriginStats;
import dev.millrace.cluster.PipeState;
import dev.millrace.cluster.query.PipeLayers;
import dev.millrace.server.infer.model.NodeNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the states of a network's nodes into what the server shows of them. */
final class NodeNetworkReader {
  private NodeNetworkReader() {}

  /**
   * @param auditRate the share of sequences that this server audits
   */
  static NodeNetwork read(List<NodeState> states, OriginStats stats, double auditRate) {
    List<NodeNetwork.Pipe> pipes = new ArrayList<>();
    for (NodeState origin : states) {
      origin.pipes().forEach(pipe -> pipes.add(pipe(states, origin, pipe)));
    }
    OriginStats.AuditCounts audits = stats.auditCounts();
    return new NodeNetwork(
        states.stream().map(NodeNetworkReader::node).toList(),
        pipes,
        new NodeNetwork.Audits(
            auditRate, audits.done() - audits.lies(), audits.lies(), stats.expelled()));
  }

  private static NodeNetwork.Node node(NodeState state) {
    return new NodeNetwork.Node(
        state.name(),
        state.linkAddress().toString(),
        state.memory(),
        state.used(),
        state.cacheBytes(),
        state.sessions(),
        state.sequences(),
        state.protocol(),
        state.numerics().common(),
        state.numerics().formatsText(),
        state.holdings().stream().map(NodeNetworkReader::holding).toList(),
        state.needs().stream().map(NodeNetworkReader::endModel).toList());
  }

  private static NodeNetwork.Holding holding(HeldLayers held) {
    return new NodeNetwork.Holding(
        held.model(),
        held.sha256(),
        new NodeNetwork.Layers(held.from(), held.to() - 1),
        held.layers(),
        held.state().name().toLowerCase(Locale.ROOT),
        held.bytes(),
        (long) held.speed(),
        held.problem());
  }

  private static NodeNetwork.EndModel endModel(ModelRequirements need) {
    return new NodeNetwork.EndModel(need.model(), need.layers(), need.local());
  }

  private static NodeNetwork.Pipe pipe(List<NodeState> states, NodeState origin, PipeState pipe) {
    PipeLayers where = PipeLayers.of(states, pipe);
    return new NodeNetwork.Pipe(
        pipe.model(),
        pipe.sha256(),
        origin.name(),
        pipe.layers(),
        pipe.number(),
        pipe.waitingReason(),
        pipe.running(),
        pipe.tokensPerSecond(),
        where.stretches().stream()
            .map(
                each ->
                    new NodeNetwork.Stretch(
                        each.node(), new NodeNetwork.Layers(each.from(), each.to() - 1)))
            .toList(),
        where.missing().stream().map(NodeNetworkReader::layers).toList());
  }

  private static NodeNetwork.Layers layers(LayerRange range) {
    return new NodeNetwork.Layers(range.from(), range.to() - 1);
  }
}
