package dev.millrace.cluster.transfer;

import dev.millrace.cluster.wire.HostPort;
import java.nio.file.Path;
import java.util.List;

/** A process that fetches one model from one peer, made to be killed. */
final class FetchMain {
  private FetchMain() {}

  /** Arguments: cache, hash, bytes, address of the peer. */
  public static void main(String[] arguments) throws Exception {
    Fetch.Wanted wanted = new Fetch.Wanted(arguments[1], "m", Long.parseLong(arguments[2]));
    Peer peer = new Peer("peer", HostPort.parse(arguments[3]));
    try (ModelStore store = ModelStore.open(List.of(), Path.of(arguments[0]), () -> {});
        LoopLines lines = new LoopLines()) {
      Fetch.of(store, wanted, lines, () -> List.of(peer), words -> {}).run();
    }
  }
}
