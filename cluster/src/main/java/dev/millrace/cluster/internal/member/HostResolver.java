package dev.millrace.cluster.internal.member;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Resolves the hosts of members; one that is unknown here does not stop the others. */
final class HostResolver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final int LINES = 64;

  /** Hosts that were logged, each once. */
  private final Set<String> unknown = ConcurrentHashMap.newKeySet();

  List<InetSocketAddress> resolveAll(Collection<HostPort> members) {
    List<InetSocketAddress> known = new ArrayList<>();
    for (HostPort at : members) {
      try {
        known.add(new InetSocketAddress(JGroupsStack.resolve(at.host()), at.port()));
      } catch (ClusterException e) {
        if (unknown.size() < LINES && unknown.add(at.host())) {
          LOG.log(Level.WARNING, () -> "member %s is skipped: %s".formatted(at, e.getMessage()));
        }
      }
    }
    return known;
  }
}
