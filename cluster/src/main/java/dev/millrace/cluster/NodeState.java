package dev.millrace.cluster;

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
    long revision,
    int protocol,
    int numerics,
    HostPort linkAddress,
    HostPort memberAddress,
    long memory,
    long used,
    List<HeldLayers> holdings,
    List<String> files,
    int sessions,
    int sequences,
    long cacheBytes,
    List<ModelRequirements> needs,
    List<PipeState> pipes,
    List<String> expelled) {
  public NodeState {
    FieldChecks.notNegative("a node's state", memory, used, sessions, sequences, cacheBytes);
    holdings = List.copyOf(holdings);
    files = List.copyOf(files);
    needs = List.copyOf(needs);
    pipes = List.copyOf(pipes);
    expelled = List.copyOf(expelled);
  }

  /** A node that has nothing yet. */
  public static NodeState of(
      String name, long incarnation, int protocol, int numerics, HostPort link, HostPort member) {
    return new NodeState(
        name,
        incarnation,
        0,
        protocol,
        numerics,
        link,
        member,
        0,
        0,
        List.of(),
        List.of(),
        0,
        0,
        0,
        List.of(),
        List.of(),
        List.of());
  }

  /** The same, but what it has in memory and on disk. */
  public NodeState withLayers(
      long memory, long used, List<HeldLayers> holdings, List<String> files) {
    return new NodeState(
        name,
        incarnation,
        revision,
        protocol,
        numerics,
        linkAddress,
        memberAddress,
        memory,
        used,
        holdings,
        files,
        sessions,
        sequences,
        cacheBytes,
        needs,
        pipes,
        expelled);
  }

  /** The same, but what it does for origins. */
  public NodeState withSessions(int sessions, int passages, long cacheBytes) {
    return new NodeState(
        name,
        incarnation,
        revision,
        protocol,
        numerics,
        linkAddress,
        memberAddress,
        memory,
        used,
        holdings,
        files,
        sessions,
        passages,
        cacheBytes,
        needs,
        pipes,
        expelled);
  }

  /** The same, but what it is as an origin. */
  public NodeState withPipes(
      List<ModelRequirements> needs, List<PipeState> pipes, List<String> expelled) {
    return new NodeState(
        name,
        incarnation,
        revision,
        protocol,
        numerics,
        linkAddress,
        memberAddress,
        memory,
        used,
        holdings,
        files,
        sessions,
        sequences,
        cacheBytes,
        needs,
        pipes,
        expelled);
  }

  /** The same, whose membership is elsewhere. */
  public NodeState withMemberAddress(HostPort member) {
    return new NodeState(
        name,
        incarnation,
        revision,
        protocol,
        numerics,
        linkAddress,
        member,
        memory,
        used,
        holdings,
        files,
        sessions,
        sequences,
        cacheBytes,
        needs,
        pipes,
        expelled);
  }

  /** The same, told again. */
  public NodeState withRevision(long number) {
    return new NodeState(
        name,
        incarnation,
        number,
        protocol,
        numerics,
        linkAddress,
        memberAddress,
        memory,
        used,
        holdings,
        files,
        sessions,
        sequences,
        cacheBytes,
        needs,
        pipes,
        expelled);
  }
}
