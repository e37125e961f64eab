package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.connection.AdmissionPolicy;
import dev.millrace.cluster.internal.connection.Hello;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.member.JoinCall.Answer;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides which nodes may join, and under which name. */
final class MemberAdmission implements AdmissionPolicy {
  private static final Duration ALIVE_TIMEOUT = Duration.ofSeconds(2);

  private final NodeIdentity identity;
  private final Set<String> whitelist;

  /** Null until this node has joined itself. */
  private volatile @Nullable Membership membership;

  MemberAdmission(NodeIdentity identity, Set<String> whitelist) {
    this.identity = identity;
    this.whitelist = whitelist;
  }

  /** From now on join calls are answered with the members. */
  void setMembership(Membership membership) {
    this.membership = membership;
  }

  boolean isAllowed(String name) {
    return whitelist.isEmpty() || whitelist.contains(name) || name.equals(identity.name());
  }

  @Override
  public @Nullable String refusalReason(Hello hello) {
    if (!ClusterProtocol.isName(hello.name())) {
      return "a node's name is 1 to 64 of the characters A-Z a-z 0-9 . _ -";
    }
    if (!isAllowed(hello.name())) {
      return "the name \"%s\" is not on the whitelist of node \"%s\": add it there"
          .formatted(hello.name(), identity.name());
    }
    int numerics = SupportedNumerics.CURRENT.common(); // formats matter for a model only
    if (hello.numerics() != numerics) {
      return "node \"%s\" uses version %d of the arithmetic, node \"%s\" version %d: run the same release of Millrace on both"
          .formatted(hello.name(), hello.numerics(), identity.name(), numerics);
    }
    return null;
  }

  void registerCalls(PeerConnections connections) {
    connections.handleCalls(
        JoinCall.ALIVE, (from, in, out) -> out.writeLong(identity.incarnation()));
    connections.handleCalls(
        JoinCall.CALL,
        (from, in, out) -> JoinCall.answer(out, decide(connections, from, in.readLong())));
  }

  private Answer decide(PeerConnections connections, String name, long incarnation) {
    boolean self = name.equals(identity.name());
    if (self && incarnation != identity.incarnation()) {
      return refused(name, connections.address());
    }
    Membership members = membership;
    if (members == null) {
      return new Answer(Answer.Kind.JOINING, identity.name(), List.of());
    }
    for (NodeState state : members.states()) {
      if (state.name().equals(name)
          && state.incarnation() != incarnation
          && isAlive(connections, state)) {
        return refused(name, state.linkAddress());
      }
    }
    return new Answer(Answer.Kind.WELCOME, identity.name(), members.memberAddresses());
  }

  /** A killed node stays a member for seconds; its restarted process must not wait for that. */
  private static boolean isAlive(PeerConnections connections, NodeState state) {
    try {
      return connections.call(
              state.linkAddress(), JoinCall.ALIVE, ALIVE_TIMEOUT, (in, out) -> in.readLong())
          == state.incarnation();
    } catch (ClusterException e) {
      return false;
    }
  }

  private static Answer refused(String name, HostPort taken) {
    return new Answer(Answer.Kind.REFUSED, nameTaken(name, taken), List.of());
  }

  static String nameTaken(String name, HostPort by) {
    return "the name \"%s\" is taken by the node at %s: give this one another name"
        .formatted(name, by);
  }
}
