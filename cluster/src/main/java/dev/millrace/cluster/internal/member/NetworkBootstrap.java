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
 * Lets a node into a network: it asks known nodes whether it may join and where the members are. It
 * asks again while none answers; a refusal ends it.
 *
 * <p>Nodes that name each other may all start at once. Then none is a member yet, and the node with
 * the first name in the alphabet begins.
 */
final class NetworkBootstrap {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final Duration LOG_PAUSE = Duration.ofSeconds(10);

  /** How long a node waits for silent nodes before it begins without them. */
  private static final Duration SILENT_GRACE = Duration.ofSeconds(3);

  private final PeerConnections connections;
  private final NodeIdentity identity;
  private final List<HostPort> join;

  /** Why nodes did not answer in the last round. */
  private final Map<String, String> silent = new TreeMap<>();

  /** Nodes that are still joining; this node too if its own address is in the list. */
  private final List<String> joining = new ArrayList<>();

  NetworkBootstrap(PeerConnections connections, NodeIdentity identity, List<HostPort> join) {
    this.connections = connections;
    this.identity = identity;
    this.join = join;
  }

  /** Addresses of the members; empty if this node is the first. */
  List<HostPort> members() {
    long start = System.nanoTime();
    long lastLog = start - LOG_PAUSE.toNanos();
    while (!join.isEmpty()) {
      for (HostPort at : join) {
        List<HostPort> members = ask(at);
        if (!members.isEmpty()) {
          return members;
        }
      }
      long now = System.nanoTime();
      if (mayBegin(now - start)) {
        break;
      }
      if (now - lastLog >= LOG_PAUSE.toNanos()) {
        lastLog = now;
        LOG.log(Level.WARNING, "waiting for the network: {0}; retrying", waitingFor());
      }
      pause();
      silent.clear();
      joining.clear();
    }
    return List.of();
  }

  private List<HostPort> ask(HostPort at) {
    try {
      Answer answer = JoinCall.ask(connections, at, identity.incarnation());
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
        && (silent.isEmpty() || waited >= SILENT_GRACE.toNanos());
  }

  private String waitingFor() {
    return silent.isEmpty()
        ? "%s: still joining the network itself".formatted(String.join(", ", joining))
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
