package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Identity;
import dev.millrace.cluster.wire.Post;
import dev.millrace.cluster.wire.Protocol;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.cluster.wire.Switchboard;
import dev.millrace.cluster.wire.WireSettings;
import dev.millrace.engine.Numerics;
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
public final class Network implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final Identity identity;
  private final Switchboard switchboard;
  private final Consumer<List<NodeState>> changed;

  /** Other members as the switchboard knows them; of the thread that tells of changes. */
  private final Map<String, NodeState> known = new HashMap<>();

  private final Object announcing = new Object();
  private final Membership membership;
  private final Seeker seeker;
  private NodeState own;

  private Network(
      NetworkSettings settings,
      Identity identity,
      Switchboard switchboard,
      Desk desk,
      UnaryOperator<NodeState> first,
      Consumer<List<NodeState>> changed) {
    this.identity = identity;
    this.switchboard = switchboard;
    this.changed = changed;
    Addresses addresses = Addresses.of(settings.listen(), settings.advertise());
    HostPort link = link(settings, addresses);
    HostPort bind = new HostPort(addresses.bound(), memberPort(settings));
    own =
        kept(
            NodeState.of(
                identity.name(),
                identity.incarnation(),
                Protocol.VERSION,
                Numerics.VERSION,
                link,
                bind),
            first);
    NodeState begun = own;
    switchboard.answer(StateCall.CALL, StateCall.answering(() -> List.of(begun)));
    desk.answerAt(switchboard);
    List<HostPort> members = new Bootstrap(switchboard, identity, settings.join()).members();
    membership =
        Membership.join(
            identity,
            new MembershipSettings(
                bind,
                addresses.told(),
                members,
                settings.patience().plusSeconds(1),
                desk::allows,
                at -> settings.taken().accept(Desk.taken(settings.name(), at))),
            own,
            this::changed);
    synchronized (announcing) {
      own = own.withMember(membership.address());
    }
    desk.joined(membership);
    switchboard.answer(StateCall.CALL, StateCall.answering(membership::states));
    Duration pause = settings.patience().multipliedBy(2);
    seeker = new Seeker(switchboard, identity, settings.join(), membership, pause);
    seeker.begin();
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
  public static Network join(
      NetworkSettings settings,
      UnaryOperator<NodeState> first,
      Receiver receiver,
      Consumer<List<NodeState>> changed) {
    Identity identity =
        new Identity(
            settings.name(),
            Identity.newIncarnation(),
            settings.tls(),
            settings.namesFromCertificates());
    Desk desk = new Desk(identity, settings.whitelist());
    WireSettings wire =
        WireSettings.DEFAULTS.withPatience(settings.patience()).withAdvertise(settings.advertise());
    Switchboard switchboard = Switchboard.open(identity, settings.listen(), wire, desk, receiver);
    try {
      return new Network(settings, identity, switchboard, desk, first, changed);
    } catch (RuntimeException e) {
      switchboard.close();
      throw e;
    }
  }

  public String name() {
    return identity.name();
  }

  /** Where others reach this node. */
  public HostPort link() {
    synchronized (announcing) {
      return own.link();
    }
  }

  public Post post() {
    return switchboard;
  }

  public Switchboard switchboard() {
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
      if (!next.withNumber(own.number()).equals(own)) {
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
    return NodeState.of(
            before.name(),
            before.incarnation(),
            before.protocol(),
            before.numerics(),
            before.link(),
            before.member())
        .withNumber(before.number() + 1)
        .withStock(after.memory(), after.used(), after.holdings(), after.files())
        .withSessions(after.sessions(), after.passages(), after.cacheBytes())
        .withPipes(after.needs(), after.pipes(), after.expelled());
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
      switchboard.forget(name);
      LOG.log(Level.INFO, () -> "node \"%s\" is gone".formatted(name));
    }
    changed.accept(states);
  }

  private void meet(NodeState state) {
    NodeState before = known.put(state.name(), state);
    if (before == null
        || before.incarnation() != state.incarnation()
        || !before.link().equals(state.link())) {
      switchboard.know(state.name(), state.link(), state.incarnation());
      LOG.log(Level.INFO, () -> "node \"%s\" is here, at %s".formatted(state.name(), state.link()));
    }
  }

  private HostPort link(NetworkSettings settings, Addresses addresses) {
    HostPort advertise = settings.advertise();
    int port = switchboard.address().port();
    return advertise == null || advertise.port() == 0
        ? new HostPort(addresses.told(), port)
        : advertise;
  }

  private static int memberPort(NetworkSettings settings) {
    int listen = settings.listen().port();
    if (settings.memberPort() != 0 || listen == 0) {
      return settings.memberPort();
    }
    if (listen == 65_535) {
      throw new ClusterException(
          "port 65535 leaves none above it for the membership: listen at a lower one");
    }
    return listen + 1;
  }
}
