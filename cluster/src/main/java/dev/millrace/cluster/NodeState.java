package dev.millrace.cluster;

import dev.millrace.engine.numerics.SupportedNumerics;
import java.util.List;

/**
 * The state that a node broadcasts to all others. Each broadcast has the whole state, with a
 * revision that grows; a receiver ignores a state that is older than the one it has.
 *
 * @param revision number of this broadcast
 */
public record NodeState(
    Identity identity,
    long revision,
    Addresses addresses,
    Inventory inventory,
    Load load,
    OriginPart originPart) {

  /**
   * Which process it is.
   *
   * @param incarnation drawn when the process started; a restarted node of the same name has a
   *     greater one
   * @param protocol {@link ClusterProtocol#VERSION} of the node
   * @param numerics versions of the arithmetic that its engine has: a node of a pipe has the
   *     origin's version of all that its layers need
   */
  public record Identity(String name, long incarnation, int protocol, SupportedNumerics numerics) {}

  /**
   * Where it listens.
   *
   * @param link for links and calls
   * @param member for the membership
   */
  public record Addresses(HostPort link, HostPort member) {}

  /**
   * What it has in memory and on disk.
   *
   * @param memory bytes that layers and caches may take; 0 if it accepts no requests for layers
   * @param used bytes of these that are taken
   * @param files hashes of whole model files that it gives to peers
   */
  public record Inventory(long memory, long used, List<HeldLayers> holdings, List<String> files) {
    public Inventory {
      FieldChecks.notNegative("a node's state", memory, used);
      holdings = List.copyOf(holdings);
      files = List.copyOf(files);
    }
  }

  /**
   * What it does for origins.
   *
   * @param sessions that origins have open
   * @param sequences whose keys and values it holds for other origins
   * @param cacheBytes reserved for keys and values of sessions
   */
  public record Load(int sessions, int sequences, long cacheBytes) {
    public Load {
      FieldChecks.notNegative("a node's state", sessions, sequences, cacheBytes);
    }
  }

  /**
   * What it does as an origin; empty lists if it is none.
   *
   * @param needs models that it wants pipes for
   * @param expelled names of nodes that returned wrong results
   */
  public record OriginPart(
      List<ModelRequirements> needs, List<PipeState> pipes, List<String> expelled) {
    public OriginPart {
      needs = List.copyOf(needs);
      pipes = List.copyOf(pipes);
      expelled = List.copyOf(expelled);
    }
  }

  /** A node that has nothing yet. */
  public static NodeState of(
      String name,
      long incarnation,
      int protocol,
      SupportedNumerics numerics,
      HostPort link,
      HostPort member) {
    return new NodeState(
        new Identity(name, incarnation, protocol, numerics),
        0,
        new Addresses(link, member),
        new Inventory(0, 0, List.of(), List.of()),
        new Load(0, 0, 0),
        new OriginPart(List.of(), List.of(), List.of()));
  }

  public NodeState withLayers(
      long memory, long used, List<HeldLayers> holdings, List<String> files) {
    Inventory changed = new Inventory(memory, used, holdings, files);
    return new NodeState(identity, revision, addresses, changed, load, originPart);
  }

  public NodeState withSessions(int sessions, int sequences, long cacheBytes) {
    Load changed = new Load(sessions, sequences, cacheBytes);
    return new NodeState(identity, revision, addresses, inventory, changed, originPart);
  }

  public NodeState withPipes(
      List<ModelRequirements> needs, List<PipeState> pipes, List<String> expelled) {
    OriginPart changed = new OriginPart(needs, pipes, expelled);
    return new NodeState(identity, revision, addresses, inventory, load, changed);
  }

  public NodeState withMemberAddress(HostPort member) {
    Addresses changed = new Addresses(addresses.link(), member);
    return new NodeState(identity, revision, changed, inventory, load, originPart);
  }

  public NodeState withRevision(long changed) {
    return new NodeState(identity, changed, addresses, inventory, load, originPart);
  }

  public String name() {
    return identity.name();
  }

  public long incarnation() {
    return identity.incarnation();
  }

  public int protocol() {
    return identity.protocol();
  }

  public SupportedNumerics numerics() {
    return identity.numerics();
  }

  public HostPort linkAddress() {
    return addresses.link();
  }

  public HostPort memberAddress() {
    return addresses.member();
  }

  public long memory() {
    return inventory.memory();
  }

  public long used() {
    return inventory.used();
  }

  public List<HeldLayers> holdings() {
    return inventory.holdings();
  }

  public List<String> files() {
    return inventory.files();
  }

  public int sessions() {
    return load.sessions();
  }

  public int sequences() {
    return load.sequences();
  }

  public long cacheBytes() {
    return load.cacheBytes();
  }

  public List<ModelRequirements> needs() {
    return originPart.needs();
  }

  public List<PipeState> pipes() {
    return originPart.pipes();
  }

  public List<String> expelled() {
    return originPart.expelled();
  }
}
