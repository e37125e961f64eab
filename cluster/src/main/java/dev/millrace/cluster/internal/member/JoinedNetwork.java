package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NetworkSettings;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.ConnectionSettings;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.MessageSender;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A node's part in a network: its connections, the members, and their states. */
public final class JoinedNetwork implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final NodeIdentity identity;
  private final PeerConnections connections;
  private final Consumer<List<NodeState>> changed;

  /** Other members as the connections know them; used by the thread that reports changes. */
  private final Map<String, NodeState> known = new HashMap<>();

  private final Object announcing = new Object();
  private final Membership membership;
  private final PartitionFinder partitionFinder;
  private NodeState own;

  private JoinedNetwork(
      NetworkSettings settings,
      NodeIdentity identity,
      PeerConnections connections,
      MemberAdmission admission,
      UnaryOperator<NodeState> first,
      Consumer<List<NodeState>> changed) {
    this.identity = identity;
    this.connections = connections;
    this.changed = changed;
    OwnAddresses addresses =
        OwnAddresses.of(settings.addresses().listen(), settings.addresses().advertise());
    HostPort link = linkAddress(settings, addresses);
    HostPort bind = new HostPort(addresses.bound(), memberPort(settings));
    own =
        nextRevision(
            NodeState.of(
                identity.name(),
                identity.incarnation(),
                ClusterProtocol.VERSION,
                SupportedNumerics.CURRENT,
                link,
                bind),
            first);
    NodeState initial = own;
    connections.handleCalls(
        ClusterProtocol.STATE_CALL, new StateCallHandler(() -> List.of(initial)));
    admission.registerCalls(connections);
    List<HostPort> members = new NetworkBootstrap(connections, identity, settings.join()).members();
    membership =
        Membership.join(
            identity,
            new MembershipSettings(
                bind,
                addresses.advertised(),
                members,
                settings.linkTimeout().plusSeconds(1),
                admission::isAllowed,
                at ->
                    settings.onNameTaken().accept(MemberAdmission.nameTaken(settings.name(), at))),
            own,
            this::changed);
    synchronized (announcing) {
      own = own.withMemberAddress(membership.address());
    }
    admission.setMembership(membership);
    connections.handleCalls(ClusterProtocol.STATE_CALL, new StateCallHandler(membership::states));
    Duration pause = settings.linkTimeout().multipliedBy(2);
    partitionFinder =
        new PartitionFinder(connections, identity, settings.join(), membership, pause);
    partitionFinder.start();
  }

  /**
   * Joins a network; waits as long as no member can be reached, unless interrupted.
   *
   * @param first makes this node's first state from one that has only its name and addresses
   * @param receiver of messages over links
   * @param changed called with the states of all live members, this one included, whenever they
   *     change; by one thread, and maybe before this returns
   * @throws ClusterException if it is refused, or an address cannot be used
   */
  public static JoinedNetwork join(
      NetworkSettings settings,
      UnaryOperator<NodeState> first,
      MessageReceiver receiver,
      Consumer<List<NodeState>> changed) {
    NodeIdentity identity =
        new NodeIdentity(
            settings.name(),
            NodeIdentity.newIncarnation(),
            settings.trust().tls(),
            settings.trust().namesFromCertificates());
    MemberAdmission admission = new MemberAdmission(identity, settings.trust().whitelist());
    ConnectionSettings wire =
        ConnectionSettings.DEFAULTS
            .withLinkTimeout(settings.linkTimeout())
            .withAdvertise(settings.addresses().advertise());
    PeerConnections connections =
        PeerConnections.open(identity, settings.addresses().listen(), wire, admission, receiver);
    try {
      return new JoinedNetwork(settings, identity, connections, admission, first, changed);
    } catch (RuntimeException e) {
      connections.close();
      throw e;
    }
  }

  public String name() {
    return identity.name();
  }

  /** Where others reach this node. */
  public HostPort linkAddress() {
    synchronized (announcing) {
      return own.linkAddress();
    }
  }

  public MessageSender sender() {
    return connections;
  }

  public PeerConnections connections() {
    return connections;
  }

  /** The states of all live members, this one included, in the order of their names. */
  public List<NodeState> states() {
    return membership.states();
  }

  /**
   * Changes this node's own state and broadcasts it within 200 ms; of several changes, the last.
   * The change cannot alter name, addresses, versions and revision.
   */
  public void announce(UnaryOperator<NodeState> change) {
    synchronized (announcing) {
      NodeState next = nextRevision(own, change);
      if (!next.withRevision(own.revision()).equals(own)) {
        own = next;
        membership.announce(next);
      }
    }
  }

  Membership membership() {
    return membership;
  }

  /** Leaves the network, so that the others know at once. */
  @Override
  public void close() {
    partitionFinder.close();
    membership.close();
    connections.close();
  }

  /** The changed state, as the next revision of this node. */
  private static NodeState nextRevision(NodeState before, UnaryOperator<NodeState> change) {
    NodeState after = change.apply(before);
    return new NodeState(
        before.identity(),
        before.revision() + 1,
        before.addresses(),
        after.inventory(),
        after.load(),
        after.originPart());
  }

  /** The connections learn of members before the listener does, which may send to them. */
  private void changed(List<NodeState> states) {
    Set<String> gone = new HashSet<>(known.keySet());
    for (NodeState state : states) {
      gone.remove(state.name());
      if (!state.name().equals(identity.name())) {
        addNode(state);
      }
    }
    for (String name : gone) {
      known.remove(name);
      connections.removeNode(name);
      LOG.log(Level.INFO, () -> "node \"%s\" left".formatted(name));
    }
    changed.accept(states);
  }

  private void addNode(NodeState state) {
    NodeState before = known.put(state.name(), state);
    if (before == null
        || before.incarnation() != state.incarnation()
        || !before.linkAddress().equals(state.linkAddress())) {
      connections.addNode(state.name(), state.linkAddress(), state.incarnation());
      LOG.log(
          Level.INFO,
          () -> "node \"%s\" joined at %s".formatted(state.name(), state.linkAddress()));
    }
  }

  private HostPort linkAddress(NetworkSettings settings, OwnAddresses addresses) {
    HostPort advertise = settings.addresses().advertise();
    int port = connections.address().port();
    return advertise == null || advertise.port() == 0
        ? new HostPort(addresses.advertised(), port)
        : advertise;
  }

  private static int memberPort(NetworkSettings settings) {
    int listen = settings.addresses().listen().port();
    if (settings.addresses().membershipPort() != 0 || listen == 0) {
      return settings.addresses().membershipPort();
    }
    if (listen == 65_535) {
      throw new ClusterException(
          "port 65535 leaves no port above it for the membership: listen on a lower one");
    }
    return listen + 1;
  }
}
