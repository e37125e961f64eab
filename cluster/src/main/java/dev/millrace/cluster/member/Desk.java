package dev.millrace.cluster.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.JoinCall.Answer;
import dev.millrace.cluster.wire.Doorman;
import dev.millrace.cluster.wire.Hello;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Identity;
import dev.millrace.cluster.wire.Protocol;
import dev.millrace.cluster.wire.Switchboard;
import dev.millrace.engine.Numerics;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where others ask a node for leave: who may be a member, and under which name. */
final class Desk implements Doorman {
  private static final Duration ALIVE = Duration.ofSeconds(2);

  private final Identity identity;
  private final Set<String> whitelist;

  /** Null as long as this node is itself on its way in. */
  private volatile @Nullable Membership membership;

  Desk(Identity identity, Set<String> whitelist) {
    this.identity = identity;
    this.whitelist = whitelist;
  }

  /** From now on it can say where the members are. */
  void joined(Membership membership) {
    this.membership = membership;
  }

  boolean allows(String name) {
    return whitelist.isEmpty() || whitelist.contains(name) || name.equals(identity.name());
  }

  @Override
  public @Nullable String refuse(Hello hello) {
    if (!Protocol.isName(hello.name())) {
      return "a node's name is 1 to 64 of the characters A-Z a-z 0-9 . _ -";
    }
    if (!allows(hello.name())) {
      return "the name \"%s\" is not on the whitelist of node \"%s\": add it there"
          .formatted(hello.name(), identity.name());
    }
    if (hello.numerics() != Numerics.VERSION) {
      return "node \"%s\" computes by version %d of the arithmetic, node \"%s\" by %d: run the same release of Millrace on both"
          .formatted(hello.name(), hello.numerics(), identity.name(), Numerics.VERSION);
    }
    return null;
  }

  void answerAt(Switchboard switchboard) {
    switchboard.answer(JoinCall.ALIVE, (from, in, out) -> out.writeLong(identity.incarnation()));
    switchboard.answer(
        JoinCall.CALL,
        (from, in, out) -> JoinCall.answer(out, decide(switchboard, from, in.readLong())));
  }

  private Answer decide(Switchboard switchboard, String name, long incarnation) {
    boolean self = name.equals(identity.name());
    if (self && incarnation != identity.incarnation()) {
      return refused(name, switchboard.address());
    }
    Membership members = membership;
    if (members == null) {
      return new Answer(Answer.Kind.JOINING, identity.name(), List.of());
    }
    for (NodeState state : members.states()) {
      if (state.name().equals(name)
          && state.incarnation() != incarnation
          && isAlive(switchboard, state)) {
        return refused(name, state.link());
      }
    }
    return new Answer(Answer.Kind.WELCOME, identity.name(), members.whereabouts());
  }

  /** A killed node is still a member for seconds; its next life is not to wait for that. */
  private static boolean isAlive(Switchboard switchboard, NodeState state) {
    try {
      return switchboard.call(state.link(), JoinCall.ALIVE, ALIVE, (in, out) -> in.readLong())
          == state.incarnation();
    } catch (ClusterException e) {
      return false;
    }
  }

  private static Answer refused(String name, HostPort taken) {
    return new Answer(Answer.Kind.REFUSED, taken(name, taken), List.of());
  }

  static String taken(String name, HostPort by) {
    return "the name \"%s\" is taken by the node at %s: give this one another name"
        .formatted(name, by);
  }
}
