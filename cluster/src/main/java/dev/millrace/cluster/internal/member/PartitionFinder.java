package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.member.JoinCall.Answer;
import dev.millrace.engine.internal.thread.EngineThreads;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Asks the configured join addresses again and again while their nodes are not members. That finds
 * a network that is split or was started elsewhere. It asks soon after the start, and then less and
 * less often.
 */
final class PartitionFinder implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private static final Duration SOON = Duration.ofSeconds(1);

  private final PeerConnections connections;
  private final NodeIdentity identity;
  private final List<HostPort> join;
  private final Membership membership;
  private final Duration pause;
  private final Thread thread;

  /** The name of the node that answered at an address. */
  private final Map<HostPort, String> answered = new HashMap<>();

  /** Addresses that answered last time although their nodes are not members. */
  private final Set<HostPort> unmerged = new HashSet<>();

  private final Map<HostPort, String> logged = new HashMap<>();

  PartitionFinder(
      PeerConnections connections,
      NodeIdentity identity,
      List<HostPort> join,
      Membership membership,
      Duration pause) {
    this.connections = connections;
    this.identity = identity;
    this.join = join;
    this.membership = membership;
    this.pause = pause;
    this.thread =
        EngineThreads.virtualService("millrace-seeker-" + identity.name()).unstarted(this::run);
  }

  void start() {
    if (!join.isEmpty()) {
      thread.start();
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      for (Duration next = SOON; ; next = min(next.multipliedBy(2), pause)) {
        Thread.sleep(next);
        for (HostPort at : join) {
          seek(at, next.equals(pause));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void seek(HostPort at, boolean report) throws InterruptedException {
    try {
      if (isMember(at)) {
        unmerged.remove(at);
      } else {
        ask(at, report);
      }
    } catch (RuntimeException | Error e) { // the thread must go on: partitions may come later
      LOG.log(Level.WARNING, "could not look for a member at " + at, e);
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  private boolean isMember(HostPort at) {
    String name = answered.get(at);
    return membership.states().stream()
        .anyMatch(state -> state.linkAddress().equals(at) || state.name().equals(name));
  }

  private void ask(HostPort at, boolean isSettled) throws InterruptedException {
    try {
      Answer answer = JoinCall.ask(connections, at, identity.incarnation());
      answered.put(at, answer.text());
      if (answer.kind() == Answer.Kind.WELCOME && !isMember(at)) {
        membership.addDiscoveryAddresses(answer.members());
        if (isSettled && !unmerged.add(at)) {
          logOnce(
              at,
              "node \"%s\" at %s is not reached by the membership of this node: are the ports open between %s and %s?"
                  .formatted(answer.text(), at, membership.address(), answer.members()));
        }
      }
    } catch (ClusterException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (e.refused()) {
        logOnce(at, String.valueOf(e.getMessage()));
      }
    }
  }

  /** Logs each text once per address. */
  private void logOnce(HostPort at, String what) {
    if (!what.equals(logged.put(at, what))) {
      LOG.log(Level.WARNING, () -> what);
    }
  }
}
