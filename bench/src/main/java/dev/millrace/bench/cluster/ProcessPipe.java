package dev.millrace.bench.cluster;

import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.origin.Origin;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A model over several processes of this machine; this process is the origin. */
public final class ProcessPipe implements AutoCloseable {
  private final List<NodeProcess> nodes;
  private final Origin origin;

  private ProcessPipe(List<NodeProcess> nodes, Origin origin) {
    this.nodes = nodes;
    this.origin = origin;
  }

  /**
   * @param threads of each process
   * @param spare whether one more node has the last node's layers
   */
  public static ProcessPipe open(
      Path model, LayerShares shares, EngineSettings settings, int threads, boolean spare)
      throws IOException, InterruptedException {
    Path directory = ScratchDirectories.fresh("ring");
    Path key = directory.resolve("network.key");
    NetworkKey network = NetworkKey.generate();
    network.write(key);
    List<NodeProcess> nodes = new ArrayList<>();
    List<String> layers = new ArrayList<>(shares.ranges());
    if (spare) {
      layers.add(layers.getLast());
    }
    try {
      for (String range : layers) {
        int join = nodes.isEmpty() ? 0 : nodes.getFirst().port();
        String name = "node" + (nodes.size() + 1);
        nodes.add(NodeProcess.start(name, join, key, model + ":" + range, threads));
      }
      NetworkSettings membership =
          NetworkSettings.of("origin", new HostPort("127.0.0.1", 0), network.tls())
              .withJoin(List.of(new HostPort("127.0.0.1", nodes.getFirst().port())));
      OriginSettings asked =
          OriginSettings.of(membership, model, settings.withThreads(threads))
              .withLocalLayers(shares.local())
              .withStepTimeout(Duration.ofMinutes(2));
      return new ProcessPipe(nodes, ready(Origin.open(asked)));
    } catch (Throwable e) {
      nodes.forEach(NodeProcess::close);
      throw e;
    }
  }

  private static Origin ready(Origin origin) throws InterruptedException {
    CountDownLatch ready = new CountDownLatch(1);
    origin.onReady(ready::countDown);
    if (!origin.isReady() && !ready.await(3, TimeUnit.MINUTES)) {
      String why = origin.waitingReason();
      origin.close();
      throw new IllegalStateException("no pipe within three minutes: " + why);
    }
    return origin;
  }

  public Engine engine() {
    return origin.engine();
  }

  public Origin origin() {
    return origin;
  }

  /** Kills the node with the last layers; the pipe continues with the spare, if there is one. */
  public void killLast() {
    var stretches = origin.stats().pipes().getFirst().stretches();
    String name = stretches.getLast().node();
    nodes.stream().filter(node -> node.name().equals(name)).forEach(NodeProcess::kill);
  }

  @Override
  public void close() {
    origin.close();
    nodes.forEach(NodeProcess::close);
  }
}
