package dev.millrace.cluster.member;

import dev.millrace.cluster.wire.HostPort;
import java.util.List;

/**
 * What a node says of itself to all others. Each node tells its own, whole, with a number that
 * grows; whoever has a later one ignores an earlier.
 *
 * @param incarnation drawn when the process started: another one is another life of that name
 * @param number of this telling
 * @param protocol version of what nodes say to each other
 * @param numerics version of the engine's arithmetic: only equal ones share a pipe
 * @param link where its links and calls are taken
 * @param member where its membership is, for those who join by it
 * @param memory bytes that layers and caches may take here; 0 where it takes no layers by itself
 * @param used of these
 * @param files hashes of whole model files that it has and gives to peers
 * @param sessions open for origins
 * @param passages sequences whose keys and values it holds, as a node that is not their origin
 * @param cacheBytes reserved for keys and values of sessions
 * @param needs models that it is an origin for
 * @param pipes of these
 * @param expelled nodes that it found lying, by name
 */
public record NodeState(
    String name,
    long incarnation,
    long number,
    int protocol,
    int numerics,
    HostPort link,
    HostPort member,
    long memory,
    long used,
    List<Holding> holdings,
    List<String> files,
    int sessions,
    int passages,
    long cacheBytes,
    List<ModelNeed> needs,
    List<PipeState> pipes,
    List<String> expelled) {
  public NodeState {
    holdings = List.copyOf(holdings);
    files = List.copyOf(files);
    needs = List.copyOf(needs);
    pipes = List.copyOf(pipes);
    expelled = List.copyOf(expelled);
  }
}
