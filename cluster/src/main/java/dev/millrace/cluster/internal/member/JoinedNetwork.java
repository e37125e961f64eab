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
import dev.millrace.engine.NumericsVersion;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A node's place in a network: its links and calls, the members, and what each of them tells. */
public final class JoinedNetwork implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final NodeIdentity identity;
  private final PeerConnections switchboard;
  private final Consumer<List<NodeState>> changed;

  /** Other members as the switchboard knows them; of the thread that tells of changes. */
  private final Map<String, NodeState> known = new HashMap<>();

  private final Object announcing = new Object();
  private final Membership membership;
  private final PartitionFinder seeker;
  private NodeState own;

  private JoinedNetwork(
      NetworkSettings settings,
      NodeIdentity identity,
      PeerConnections switchboard,
      MemberAdmission desk,
      UnaryOperator<NodeState> first,
      Consumer<List<NodeState>> changed) {
    this.identity = identity;
    this.switchboard = switchboard;
    this.changed = changed;
    OwnAddresses addresses = OwnAddresses.of(settings.addresses().listen(), settings.addresses().advertise());
    HostPort link = linkAddress(settings, addresses);
    HostPort bind = new HostPort(addresses.bound(), memberPort(settings));
    own =
        kept(
            NodeState.of(
                identity.name(),
                identity.incarnation(),
                ClusterProtocol.VERSION,
                NumericsVersion.CURRENT,
                link,
                bind),
            first);
    NodeState begun = own;
    switchboard.handleCalls(ClusterProtocol.STATE_CALL, new StateCallHandler(() -> List.of(begun)));
    desk.registerCalls(switchboard);
    List<HostPort> members = new NetworkBootstrap(switchboard, identity, settings.join()).members();
    membership =
        Membership.join(
            identity,
            new MembershipSettings(
                bind,
                addresses.advertised(),
                members,
                settings.linkTimeout().plusSeconds(1),
                desk::isAllowed,
                at ->
                    settings.onNameTaken().accept(MemberAdmission.nameTaken(settings.name(), at))),
            own,
            this::changed);
    synchronized (announcing) {
      own = own.withMemberAddress(membership.address());
    }
    desk.setMembership(membership);
    switchboard.handleCalls(ClusterProtocol.STATE_CALL, new StateCallHandler(membership::states));
    Duration pause = settings.linkTimeout().multipliedBy(2);
    seeker = new PartitionFinder(switchboard, identity, settings.join(), membership, pause);
    seeker.start();
  }

  /**
   * Joins, however long that takes while no member can be reached; an interrupt ends it.
   *
   * @param first makes this node's first state of one that has only its name and addresses
   * @param receiver of what comes over links
   * @param changed told the states of all live members, this one included, whenever they change; by
   *     one thread of the network's own, and maybe before this returns
   * @throws ClusterException where it is refused, or an address cannot be had
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
    MemberAdmission desk = new MemberAdmission(identity, settings.trust().whitelist());
    ConnectionSettings wire =
        ConnectionSettings.DEFAULTS
            .withLinkTimeout(settings.linkTimeout())
            .withAdvertise(settings.addresses().advertise());
    PeerConnections switchboard =
        PeerConnections.open(identity, settings.addresses().listen(), wire, desk, receiver);
    try {
      return new JoinedNetwork(settings, identity, switchboard, desk, first, changed);
    } catch (RuntimeException e) {
      switchboard.close();
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
    return switchboard;
  }

  public PeerConnections connections() {
    return switchboard;
  }

  /** Of the live members, this one included, by name. */
  public List<NodeState> states() {
    return membership.states();
  }

  /**
   * Changes this node's own state; the others are told within 200 ms, of several changes the last.
   * Name, addresses, versions and number are not the change's business.
   */
  public void announce(UnaryOperator<NodeState> change) {
    synchronized (announcing) {
      NodeState next = kept(own, change);
      if (!next.withRevision(own.revision()).equals(own)) {
        own = next;
        membership.announce(next);
      }
    }
  }

  Membership membership() {
    return membership;
  }

  /** Leaves, so that the others know at once. */
  @Override
  public void close() {
    seeker.close();
    membership.close();
    switchboard.close();
  }

  /** The changed state, as the next of this node. */
  private static NodeState kept(NodeState before, UnaryOperator<NodeState> change) {
    NodeState after = change.apply(before);
    return new NodeState(
        before.identity(),
        before.revision() + 1,
        before.addresses(),
        after.inventory(),
        after.load(),
        after.originPart());
  }

  /** The switchboard hears of members before anybody is told who would send to them. */
  private void changed(List<NodeState> states) {
    Set<String> gone = new HashSet<>(known.keySet());
    for (NodeState state : states) {
      gone.remove(state.name());
      if (!state.name().equals(identity.name())) {
        meet(state);
      }
    }
    for (String name : gone) {
      known.remove(name);
      switchboard.removeNode(name);
      LOG.log(Level.INFO, () -> "node \"%s\" is gone".formatted(name));
    }
    changed.accept(states);
  }

  private void meet(NodeState state) {
    NodeState before = known.put(state.name(), state);
    if (before == null
        || before.incarnation() != state.incarnation()
        || !before.linkAddress().equals(state.linkAddress())) {
      switchboard.addNode(state.name(), state.linkAddress(), state.incarnation());
      LOG.log(
          Level.INFO,
          () -> "node \"%s\" is here, at %s".formatted(state.name(), state.linkAddress()));
    }
  }

  private HostPort linkAddress(NetworkSettings settings, OwnAddresses addresses) {
    HostPort advertise = settings.addresses().advertise();
    int port = switchboard.address().port();
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
          "port 65535 leaves none above it for the membership: listen at a lower one");
    }
    return listen + 1;
  }
}
