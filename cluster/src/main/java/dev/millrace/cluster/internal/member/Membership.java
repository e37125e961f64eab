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
 * Who is in the network, by JGroups over TLS, and the latest that each told of itself. A node tells
 * whenever it has changed, whenever members have, and from time to time.
 */
public final class Membership implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final String GROUP = "millrace";

  /** What came before the view with its sender did is kept, for so many senders. */
  private static final int EARLY = 256;

  private final JChannel channel;
  private final MembershipSettings settings;
  private final HostResolver hosts;
  private final StateBroadcaster teller;
  private final Map<Address, NodeState> told = new ConcurrentHashMap<>();

  /** Senders of what was not understood, each logged once. */
  private final Set<Address> strange = ConcurrentHashMap.newKeySet();

  /** Why others were not told the last time; of the teller. */
  private String untold = "";

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
    this.teller =
        new StateBroadcaster(
            first.name(), settings.suspectTimeout(), this::tell, () -> changed.accept(states()));
  }

  /**
   * Becomes a member; alone, where none of the given others is reached, until one is.
   *
   * @param first its member address is put right
   * @param changed told the states of all live members, this one included, whenever they change;
   *     by one thread of its own
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
      membership.begin();
      return membership;
    } catch (Exception e) {
      if (channel != null) {
        channel.close();
      }
      throw e instanceof ClusterException known
          ? known
          : new ClusterException(
              "the membership of node \"%s\" cannot begin at %s: %s; is the port free, and the address one of this machine?"
                  .formatted(identity.name(), settings.bind(), words(e)),
              e);
    }
  }

  /** Where others find this member. */
  public HostPort address() {
    return address;
  }

  /** Tells all what this node is now; of several within 200 ms, the last. */
  public void announce(NodeState state) {
    own = state.withMemberAddress(address);
    teller.requestBroadcast();
    teller.requestChangeCallback();
  }

  /** Members may be found there too: a network in two parts grows together. */
  void addDiscoveryAddresses(Collection<HostPort> others) {
    Set<HostPort> all = new LinkedHashSet<>(others);
    all.addAll(settings.members());
    JGroupsStack.addDiscoveryAddresses(channel, hosts.resolveAll(all));
  }

  /**
   * Where the live members are, this one included: also those that have told nothing yet, of which
   * one may be who lets others in.
   */
  List<HostPort> memberAddresses() {
    Set<HostPort> all = new LinkedHashSet<>(JGroupsStack.memberAddresses(channel, members));
    states().forEach(state -> all.add(state.memberAddress()));
    return List.copyOf(all);
  }

  /** Of the live members, this one included, by name. */
  public List<NodeState> states() {
    NodeState self = own;
    Map<String, NodeState> byName = new TreeMap<>();
    // Where a name is there twice, the later life counts: the other is not yet missed, or ends.
    for (Address member : members) {
      NodeState state = told.get(member);
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

  /** Leaves, so that others know at once; no thread of it remains. */
  @Override
  public void close() {
    teller.stop();
    channel.close();
    teller.close();
  }

  private void begin() {
    IpAddress at =
        (IpAddress) channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, channel.getAddress()));
    address = new HostPort(settings.host(), at.getPort());
    own = own.withMemberAddress(address);
    teller.start();
  }

  private int tell() {
    try {
      byte[] bytes = WireCodec.encode(own).array();
      channel.send(new BytesMessage(null, bytes));
      return bytes.length;
    } catch (Exception e) {
      String why = words(e);
      if (channel.isConnected() && !why.equals(untold)) {
        untold = why;
        LOG.log(Level.WARNING, () -> "the other members hear nothing new of this node: " + why);
      }
      return 0;
    }
  }

  private void heard(Message message) {
    Address sender = message.getSrc();
    try {
      NodeState state =
          WireCodec.state(
              ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength()));
      if (!state.name().equals(JGroupsStack.name(sender))
          || !ClusterProtocol.isName(state.name())) {
        throw new ClusterException("it speaks for \"%s\", which it is not".formatted(state.name()));
      }
      if (state.name().equals(own.name()) && state.incarnation() > own.incarnation()) {
        settings.onNameTaken().accept(state.linkAddress());
      }
      if (settings.isAllowedName().test(state.name()) && keep(sender, state)) {
        teller.requestChangeCallback();
      }
    } catch (RuntimeException e) {
      if (strange.size() < EARLY && strange.add(sender)) {
        LOG.log(
            Level.WARNING,
            () ->
                "member \"%s\" is not listened to: %s"
                    .formatted(JGroupsStack.name(sender), words(e)));
      }
    }
  }

  /** Whether it is news. */
  private boolean keep(Address sender, NodeState state) {
    if (!members.contains(sender) && told.size() >= members.size() + EARLY) {
      return false;
    }
    NodeState before = told.get(sender);
    NodeState now =
        told.merge(sender, state, (old, its) -> its.revision() > old.revision() ? its : old);
    return now != before;
  }

  private void seen(View view) {
    members = List.copyOf(view.getMembers());
    told.keySet().retainAll(members);
    strange.retainAll(members);
    teller.requestBroadcast();
    teller.requestChangeCallback();
  }

  private static String words(Throwable e) {
    String message = e.getMessage();
    Throwable cause = e.getCause();
    return cause != null && !(e instanceof ClusterException)
        ? words(cause)
        : message == null ? e.getClass().getSimpleName() : message;
  }

  private final class GroupReceiver implements Receiver {
    @Override
    public void receive(Message message) {
      heard(message);
    }

    @Override
    public void viewAccepted(View view) {
      seen(view);
    }
  }
}
