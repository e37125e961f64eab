package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.NodeIdentity;
import dev.millrace.cluster.internal.link.PeerConnections;
import dev.millrace.cluster.internal.member.JoinCall.Answer;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a node gets into a network: it asks members for leave, and where the others are. As long as
 * none answers it goes on asking; a refusal ends it.
 *
 * <p>Nodes that name each other may all start at once: then none is a member yet, and the one whose
 * name is first begins.
 */
final class NetworkBootstrap {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration VISIBLE = Duration.ofSeconds(10);

  /** So long a node waits for those that do not answer, before it begins without them. */
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final PeerConnections switchboard;
  private final NodeIdentity identity;
  private final List<HostPort> join;

  /** Why some did not answer in the last round. */
  private final Map<String, String> silent = new TreeMap<>();

  /** Who is on its way in, this node included where it was told to ask itself. */
  private final List<String> joining = new ArrayList<>();

  NetworkBootstrap(PeerConnections switchboard, NodeIdentity identity, List<HostPort> join) {
    this.switchboard = switchboard;
    this.identity = identity;
    this.join = join;
  }

  /** Where the memberships of others are; empty where this node is the first. */
  List<HostPort> members() {
    long began = System.nanoTime();
    long said = began - VISIBLE.toNanos();
    while (!join.isEmpty()) {
      for (HostPort at : join) {
        List<HostPort> members = ask(at);
        if (!members.isEmpty()) {
          return members;
        }
      }
      long now = System.nanoTime();
      if (mayBegin(now - began)) {
        break;
      }
      if (now - said >= VISIBLE.toNanos()) {
        said = now;
        LOG.log(Level.WARNING, "waiting for the network: {0}; trying on", waitingFor());
      }
      pause();
      silent.clear();
      joining.clear();
    }
    return List.of();
  }

  private List<HostPort> ask(HostPort at) {
    try {
      Answer answer = JoinCall.ask(switchboard, at, identity.incarnation());
      if (answer.kind() == Answer.Kind.WELCOME) {
        return answer.members();
      }
      joining.add(answer.text());
    } catch (ClusterException e) {
      if (e.refused()) {
        throw e;
      }
      silent.put(at.toString(), String.valueOf(e.getMessage()));
    }
    return List.of();
  }

  private boolean mayBegin(long waited) {
    return !joining.isEmpty()
        && joining.stream().allMatch(name -> identity.name().compareTo(name) <= 0)
        && (silent.isEmpty() || waited >= GRACE.toNanos());
  }

  private String waitingFor() {
    return silent.isEmpty()
        ? "%s: a node that is still joining itself".formatted(String.join(", ", joining))
        : String.join("; ", silent.values());
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while waiting for the network", e);
    }
  }
}
