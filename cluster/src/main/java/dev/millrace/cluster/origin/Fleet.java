package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Holding;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.place.Candidate;
import dev.millrace.cluster.place.Placement.Wish;
import dev.millrace.cluster.place.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The other members as they last described themselves, and what follows from that for a model: who
 * may be planned with, and who held which layer last. One thread at a time.
 */
final class Fleet {
  private final String self;
  private final ModelNeed need;
  private final int protocol;
  private final int numerics;
  private final Map<String, NodeState> nodes = new HashMap<>();
  private final Map<String, Long> absent = new HashMap<>(); // since when, of those still in use
  private final Wishes wishes = new Wishes();
  private final @Nullable String[] lastHolder; // by layer
  private boolean met;

  Fleet(String self, ModelNeed need, int protocol, int numerics) {
    this.self = self;
    this.need = need;
    this.protocol = protocol;
    this.numerics = numerics;
    this.lastHolder = new @Nullable String[need.layers()];
  }

  /**
   * Which nodes are new: they were not there before, or are another life of their name; and which
   * have told something since they were last heard.
   */
  record Change(List<String> arrived, List<String> restarted, List<String> renewed) {}

  /**
   * Takes in what the network says now. A node that is in use stays for a while when the network
   * says it is gone: whether it works is told by its link, and sooner.
   */
  Change update(List<NodeState> states, Predicate<String> inUse, long now) {
    Map<String, NodeState> before = new HashMap<>(nodes);
    List<String> arrived = new ArrayList<>();
    List<String> restarted = new ArrayList<>();
    List<String> renewed = new ArrayList<>();
    nodes.clear();
    for (NodeState state : states) {
      if (state.name().equals(self)) {
        continue;
      }
      NodeState was = before.remove(state.name());
      if (was == null || absent.remove(state.name()) != null) {
        arrived.add(state.name());
        wishes.arrived(state.name(), now);
      }
      if (was != null && was.incarnation() != state.incarnation()) {
        restarted.add(state.name());
        wishes.arrived(state.name(), now);
      }
      if (was != null && state.number() > was.number()) {
        renewed.add(state.name());
        if (hasFailed(state)) { // what it was asked to load last, as far as can be told
          wishes.failed(state.name());
        }
      }
      met = true;
      nodes.put(state.name(), state);
      noteHolder(state);
    }
    for (NodeState gone : before.values()) {
      if (inUse.test(gone.name())) {
        absent.putIfAbsent(gone.name(), now);
        nodes.put(gone.name(), gone);
      } else {
        absent.remove(gone.name());
        wishes.gone(gone.name());
      }
    }
    return new Change(arrived, restarted, renewed);
  }

  private boolean hasFailed(NodeState state) {
    return state.holdings().stream()
        .anyMatch(holding -> isOurs(holding) && holding.state() == Holding.State.FAILED);
  }

  private void noteHolder(NodeState state) {
    for (Holding holding : state.holdings()) {
      if (isOurs(holding) && holding.state() == Holding.State.LOADED) {
        for (int layer = holding.from(); layer < holding.to(); layer++) {
          lastHolder[layer] = state.name();
        }
      }
    }
  }

  private boolean isOurs(Holding holding) {
    return holding.sha256().equals(need.sha256())
        && holding.from() >= 0
        && holding.from() < holding.to()
        && holding.to() <= need.layers();
  }

  /** Those that the network has not seen for so long. */
  List<String> absentFor(long nanos, long now) {
    List<String> names = new ArrayList<>();
    absent.forEach(
        (name, since) -> {
          if (now - since >= nanos) {
            names.add(name);
          }
        });
    names.sort(null);
    return names;
  }

  /** The network and the link both say that it is gone. */
  void drop(String node) {
    if (absent.remove(node) != null) {
      nodes.remove(node);
      wishes.gone(node);
    }
  }

  /** Whether any other node was ever here. */
  boolean metAny() {
    return met;
  }

  int size() {
    return nodes.size() - absent.size();
  }

  boolean has(String node) {
    return nodes.containsKey(node) && !absent.containsKey(node);
  }

  @Nullable String lastHolder(int layer) {
    return lastHolder[layer];
  }

  /**
   * The nodes that may be planned with.
   *
   * @param usable whether a node may be
   * @param ownSessions how many sessions this origin has open at a node
   */
  List<Candidate> candidates(
      Predicate<String> usable, ToIntFunction<String> ownSessions, long now) {
    List<Candidate> candidates = new ArrayList<>();
    for (NodeState node : nodes.values()) {
      if (usable.test(node.name()) && fits(node)) {
        candidates.add(candidate(node, ownSessions.applyAsInt(node.name()), now));
      }
    }
    candidates.sort(Comparator.comparing(Candidate::node));
    return candidates;
  }

  /** What keeps a node from any pipe of this origin for good; null: nothing. */
  @Nullable String mismatch(NodeState node) {
    if (node.protocol() != protocol) {
      return "speaks version %d of the protocol, we speak %d".formatted(node.protocol(), protocol);
    }
    return node.numerics() == numerics
        ? null
        : "computes by numerics %d, we by %d".formatted(node.numerics(), numerics);
  }

  private boolean fits(NodeState node) {
    return mismatch(node) == null;
  }

  private Candidate candidate(NodeState node, int ownSessions, long now) {
    List<Range> loaded = new ArrayList<>();
    List<Range> coming = new ArrayList<>();
    boolean failed = false;
    double speed = 0;
    long uncached = 0;
    long idle = 0; // it goes when something else is asked for
    for (Holding holding : node.holdings()) {
      if (!isOurs(holding)) {
        idle += holding.idle() ? holding.bytes() : 0;
        continue;
      }
      Range range = new Range(holding.from(), holding.to());
      switch (holding.state()) {
        case LOADED -> {
          loaded.add(range);
          speed = Math.max(speed, holding.speed());
        }
        case FETCHING, LOADING -> coming.add(range);
        case FAILED -> failed = true;
      }
      uncached += holding.state() == Holding.State.FAILED ? 0 : range.length();
    }
    Range wished = wishes.pending(node.name(), loaded, coming, now);
    if (wished != null) {
      coming.add(wished);
      uncached += wished.length();
    }
    loaded.sort(Comparator.comparingInt(Range::from));
    coming.sort(Comparator.comparingInt(Range::from));
    // what it holds for us needs room for keys and values as soon as a session opens
    long promised = ownSessions > 0 ? 0 : uncached * need.cacheBytes();
    boolean rests = wishes.rests(node.name(), failed, now);
    long free = rests ? 0 : Math.max(0, node.memory() - node.used() + idle - promised);
    int others = Math.max(0, node.sessions() - ownSessions);
    return new Candidate(node.name(), loaded, coming, node.memory() == 0 ? 0 : free, speed, others);
  }

  /** Notes a wish; says whether it is to be sent: not where it was just now, or is too early. */
  boolean wish(Wish wish, long now) {
    return wishes.make(wish, now);
  }

  /** A node will not hold what it was asked to. */
  void refused(String node, String why, long now) {
    if (nodes.containsKey(node)) {
      wishes.refused(node, why, now);
    }
  }

  /** Whether a node takes layers that it is asked for, and may be asked now. */
  boolean gives(String node, long now) {
    NodeState state = nodes.get(node);
    return state != null && state.memory() > 0 && !wishes.rests(node, hasFailed(state), now);
  }

  /** Why layers of the model are not loaded anywhere though a node tried, in words. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (NodeState node : nodes.values()) {
      for (Holding holding : node.holdings()) {
        if (isOurs(holding) && holding.state() == Holding.State.FAILED) {
          Range range = new Range(holding.from(), holding.to());
          problems.add(
              "node %s could not load %s: %s"
                  .formatted(node.name(), Shortage.named(range), holding.problem()));
        }
      }
      String refusal = wishes.refusal(node.name());
      if (refusal != null) {
        problems.add("node %s takes no layers: %s".formatted(node.name(), refusal));
      }
      String mismatch = mismatch(node);
      if (mismatch != null && node.holdings().stream().anyMatch(this::isOurs)) {
        problems.add("node %s is not used: it %s".formatted(node.name(), mismatch));
      }
      node.holdings().stream()
          .filter(this::isNamesake)
          .findFirst()
          .ifPresent(other -> problems.add(namesake(node, other)));
    }
    problems.sort(null);
    return problems;
  }

  private boolean isNamesake(Holding holding) {
    return holding.model().equals(need.model())
        && !holding.sha256().isEmpty() // not known yet
        && !holding.sha256().equals(need.sha256());
  }

  private String namesake(NodeState node, Holding other) {
    return "node %s is not used: its %s is another model of the same name (SHA-256 %s…, ours %s…)"
        .formatted(node.name(), need.model(), brief(other.sha256()), brief(need.sha256()));
  }

  private static String brief(String sha256) {
    return sha256.length() <= 12 ? sha256 : sha256.substring(0, 12);
  }
}
