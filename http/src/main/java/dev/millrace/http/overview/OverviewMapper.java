package dev.millrace.http.overview;

import dev.millrace.api.server.ModelOverview;
import dev.millrace.api.server.NodeOverview;
import dev.millrace.api.server.PipeOverview;
import dev.millrace.server.infer.model.ModelDetails;
import dev.millrace.server.infer.model.ModelStats;
import dev.millrace.server.infer.model.NodeNetwork;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Maps models, nodes and pipes to what the API shows of them. */
final class OverviewMapper {
  private OverviewMapper() {}

  static ModelOverview model(ModelDetails model) {
    ModelDetails.Memory memory = model.memory();
    ModelDetails.Header header = model.header();
    return new ModelOverview(
        model.name(),
        model.standard(),
        memory != null,
        model.generates(),
        model.embeds(),
        header.architecture(),
        header.quantization(),
        header.context(),
        header.layers(),
        header.bytes(),
        memory == null ? null : memory.sha256(),
        memory == null || memory.generator() == null ? null : batch(memory.generator()),
        remote(model.remote()));
  }

  private static ModelOverview.Batch batch(ModelStats stats) {
    return new ModelOverview.Batch(
        stats.slots(),
        stats.running(),
        stats.waiting(),
        new ModelOverview.Pages(stats.pagesUsed(), stats.pagesCached(), stats.pagesFree()),
        stats.preemptions());
  }

  private static ModelOverview.@Nullable Remote remote(ModelDetails.@Nullable Remote remote) {
    return remote == null
        ? null
        : new ModelOverview.Remote(remote.ready(), nullIfEmpty(remote.waitReason()));
  }

  /** A node that is in several networks is shown once. */
  static List<NodeOverview> nodes(List<NodeNetwork> networks) {
    Map<String, NodeOverview> nodes = new LinkedHashMap<>();
    for (NodeNetwork network : networks) {
      network.nodes().forEach(node -> nodes.putIfAbsent(node.name(), node(node)));
    }
    return List.copyOf(nodes.values());
  }

  private static NodeOverview node(NodeNetwork.Node node) {
    return new NodeOverview(
        node.name(),
        node.address(),
        node.memoryBytes(),
        node.usedBytes(),
        node.cacheBytes(),
        node.sessions(),
        node.passages(),
        node.protocol(),
        node.numerics(),
        nullIfEmpty(node.weightNumerics()),
        node.holdings().stream().map(OverviewMapper::holding).toList(),
        node.originOf().stream()
            .map(each -> new NodeOverview.EndModel(each.model(), each.layers(), each.localLayers()))
            .toList());
  }

  private static NodeOverview.Holding holding(NodeNetwork.Holding held) {
    return new NodeOverview.Holding(
        held.model(),
        held.sha256(),
        held.range().first(),
        held.range().last(),
        held.layers(),
        held.state(),
        held.bytes(),
        held.bytesPerSecond(),
        nullIfEmpty(held.problem()));
  }

  static PipeOverview pipe(NodeNetwork.Pipe pipe) {
    return new PipeOverview(
        pipe.model(),
        pipe.sha256(),
        pipe.origin(),
        pipe.layers(),
        pipe.number(),
        nullIfEmpty(pipe.waitReason()),
        pipe.running(),
        pipe.tokensPerSecond(),
        pipe.stretches().stream()
            .map(
                each ->
                    new PipeOverview.Stretch(
                        each.node(), each.range().first(), each.range().last()))
            .toList(),
        pipe.missing().stream()
            .map(each -> new PipeOverview.Layers(each.first(), each.last()))
            .toList());
  }

  private static @Nullable String nullIfEmpty(String text) {
    return text.isEmpty() ? null : text;
  }
}
