package dev.millrace.cluster.internal.transfer;

import dev.millrace.cluster.HostPort;
import java.nio.file.Path;
import java.util.List;

/** A process that fetches one model from one peer, made to be killed. */
final class ModelFetchProcess {
  private ModelFetchProcess() {}

  /** Arguments: cache, hash, bytes, address of the peer. */
  public static void main(String[] arguments) throws Exception {
    ModelFetch.WantedModel wanted =
        new ModelFetch.WantedModel(arguments[1], "m", Long.parseLong(arguments[2]));
    ModelSource peer = new ModelSource("peer", HostPort.parse(arguments[3]));
    try (ModelStore store = ModelStore.open(List.of(), Path.of(arguments[0]), () -> {});
        LoopbackPeers lines = new LoopbackPeers()) {
      ModelFetch.Sources sources = new ModelFetch.Sources(lines, () -> List.of(peer));
      ModelFetch.of(store, wanted, sources, words -> {}).run();
    }
  }
}
