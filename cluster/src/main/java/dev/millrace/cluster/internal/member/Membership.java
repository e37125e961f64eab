package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.protocol.WireCodec;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.stack.IpAddress;

/**
 * The members of the network, by JGroups over TLS, and the latest state of each. A node broadcasts
 * its state when it changes, when members change, and from time to time.
 */
public final class Membership implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final String GROUP = "millrace";

  /** States of senders that are not in the view yet are kept for this many senders. */
  private static final int MAX_EARLY = 256;

  private final JChannel channel;
  private final MembershipSettings settings;
  private final HostResolver hosts;
  private final StateBroadcaster broadcaster;
  private final Map<Address, NodeState> stateOf = new ConcurrentHashMap<>();

  /** Senders of unreadable states, each logged once. */
  private final Set<Address> unreadable = ConcurrentHashMap.newKeySet();

  /** Why the last broadcast failed; used by the broadcaster's thread. */
  private String lastFailure = "";

  private volatile List<Address> members = List.of();
  private volatile NodeState own;
  private volatile HostPort address;

  private Membership(
      JChannel channel,
      MembershipSettings settings,
      HostResolver hosts,
      NodeState first,
      Consumer<List<NodeState>> changed) {
    this.channel = channel;
    this.settings = settings;
    this.hosts = hosts;
    this.own = first;
    this.address = settings.bind();
    this.broadcaster =
        new StateBroadcaster(
            first.name(),
            settings.suspectTimeout(),
            this::broadcast,
            () -> changed.accept(states()));
  }

  /**
   * Becomes a member; alone if none of the given others is reached, until one is.
   *
   * @param first its member address is replaced by the real one
   * @param changed called with the states of all live members, this one included, whenever they
   *     change; by one thread
   */
  public static Membership join(
      NodeIdentity identity,
      MembershipSettings settings,
      NodeState first,
      Consumer<List<NodeState>> changed) {
    HostResolver hosts = new HostResolver();
    JChannel channel = null;
    try {
      channel = JGroupsStack.channel(identity, settings, hosts);
      Membership membership = new Membership(channel, settings, hosts, first, changed);
      channel.setReceiver(membership.new GroupReceiver());
      channel.connect(GROUP);
      membership.start();
      return membership;
    } catch (Exception e) {
      if (channel != null) {
        channel.close();
      }
      throw e instanceof ClusterException known
          ? known
          : new ClusterException(
              "the membership of node \"%s\" cannot start at %s: %s; is the port free, and is the address one of this machine?"
                  .formatted(identity.name(), settings.bind(), reason(e)),
              e);
    }
  }

  /** The address of this member for others. */
  public HostPort address() {
    return address;
  }

  /** Broadcasts this node's state; of several within 200 ms, the last. */
  public void announce(NodeState state) {
    own = state.withMemberAddress(address);
    broadcaster.requestBroadcast();
    broadcaster.requestChangeCallback();
  }

  /** Adds addresses where members may be found, so that two parts of a network merge. */
  void addDiscoveryAddresses(Collection<HostPort> others) {
    Set<HostPort> all = new LinkedHashSet<>(others);
    all.addAll(settings.members());
    JGroupsStack.addDiscoveryAddresses(channel, hosts.resolveAll(all));
  }

  /**
   * The addresses of all live members, this one included; also of members without a state yet,
   * because one of them may be the coordinator.
   */
  List<HostPort> memberAddresses() {
    Set<HostPort> all = new LinkedHashSet<>(JGroupsStack.memberAddresses(channel, members));
    states().forEach(state -> all.add(state.memberAddress()));
    return List.copyOf(all);
  }

  /** The states of all live members, this one included, in the order of their names. */
  public List<NodeState> states() {
    NodeState self = own;
    Map<String, NodeState> byName = new TreeMap<>();
    // If a name exists twice, the newer incarnation counts; the other is dead or about to stop.
    for (Address member : members) {
      NodeState state = stateOf.get(member);
      if (state != null) {
        byName.merge(state.name(), state, (a, b) -> a.incarnation() > b.incarnation() ? a : b);
      }
    }
    byName.put(self.name(), self);
    return List.copyOf(byName.values());
  }

  JChannel channel() {
    return channel;
  }

  /** Leaves, so that others know at once; none of its threads remains. */
  @Override
  public void close() {
    broadcaster.stop();
    channel.close();
    broadcaster.close();
  }

  private void start() {
    IpAddress at =
        (IpAddress) channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, channel.getAddress()));
    address = new HostPort(settings.host(), at.getPort());
    own = own.withMemberAddress(address);
    broadcaster.start();
  }

  private int broadcast() {
    try {
      byte[] bytes = WireCodec.encode(own).array();
      channel.send(new BytesMessage(null, bytes));
      return bytes.length;
    } catch (Exception e) {
      String why = reason(e);
      if (channel.isConnected() && !why.equals(lastFailure)) {
        lastFailure = why;
        LOG.log(Level.WARNING, () -> "this node cannot broadcast its state: " + why);
      }
      return 0;
    }
  }

  private void received(Message message) {
    Address sender = message.getSrc();
    try {
      NodeState state =
          WireCodec.state(
              ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength()));
      if (!state.name().equals(JGroupsStack.name(sender))
          || !ClusterProtocol.isName(state.name())) {
        throw new ClusterException("it claims to be \"%s\"".formatted(state.name()));
      }
      if (state.name().equals(own.name()) && state.incarnation() > own.incarnation()) {
        settings.onNameTaken().accept(state.linkAddress());
      }
      if (settings.isAllowedName().test(state.name()) && keep(sender, state)) {
        broadcaster.requestChangeCallback();
      }
    } catch (RuntimeException e) {
      if (unreadable.size() < MAX_EARLY && unreadable.add(sender)) {
        LOG.log(
            Level.WARNING,
            () ->
                "messages of member \"%s\" are ignored: %s"
                    .formatted(JGroupsStack.name(sender), reason(e)));
      }
    }
  }

  /** Whether the state is new. */
  private boolean keep(Address sender, NodeState state) {
    if (!members.contains(sender) && stateOf.size() >= members.size() + MAX_EARLY) {
      return false;
    }
    NodeState before = stateOf.get(sender);
    NodeState now =
        stateOf.merge(sender, state, (old, its) -> its.revision() > old.revision() ? its : old);
    return now != before;
  }

  private void viewChanged(View view) {
    members = List.copyOf(view.getMembers());
    stateOf.keySet().retainAll(members);
    unreadable.retainAll(members);
    broadcaster.requestBroadcast();
    broadcaster.requestChangeCallback();
  }

  private static String reason(Throwable e) {
    String message = e.getMessage();
    Throwable cause = e.getCause();
    return cause != null && !(e instanceof ClusterException)
        ? reason(cause)
        : message == null ? e.getClass().getSimpleName() : message;
  }

  private final class GroupReceiver implements Receiver {
    @Override
    public void receive(Message message) {
      received(message);
    }

    @Override
    public void viewAccepted(View view) {
      viewChanged(view);
    }
  }
}
