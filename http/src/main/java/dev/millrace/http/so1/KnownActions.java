package dev.millrace.http.so1;

import dev.millrace.http.job.RecentWorkerTypes;
import dev.millrace.http.route.Problem;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The actions that a job may have: the built-in ones, the types that this server has workers for,
 * and those that remote workers asked for in the last 24 hours.
 *
 * @param local the stage types that this server has workers for
 */
record KnownActions(Set<String> local, RecentWorkerTypes remote) {
  /** A whole job document; no stage has this type. */
  static final String PIPELINE = "pipeline";

  /** How many actions an error lists. */
  private static final int MAX_LISTED = 50;

  KnownActions {
    local = Set.copyOf(local);
  }

  /** Whether a program or a model of this server runs the action. */
  boolean isLocal(String action) {
    return local.contains(action);
  }

  /**
   * @throws Problem if the action is not known; lists those that are
   */
  void require(String action) {
    SortedSet<String> known = all();
    if (!known.contains(action)) {
      throw new Problem(
          Problem.Kind.INVALID,
          "action \"" + action + "\" is not known here; known: " + list(known));
    }
  }

  private SortedSet<String> all() {
    SortedSet<String> all = new TreeSet<>(ActionInputs.builtIn());
    all.add(PIPELINE);
    all.addAll(local);
    all.addAll(remote.recent());
    return all;
  }

  private static String list(SortedSet<String> known) {
    String first = known.stream().limit(MAX_LISTED).collect(Collectors.joining(", "));
    int more = known.size() - MAX_LISTED;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
