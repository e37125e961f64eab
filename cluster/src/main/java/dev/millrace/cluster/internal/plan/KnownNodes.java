package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.place.CandidateNode;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
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
public final class KnownNodes {
  private final String self;
  private final ModelRequirements need;
  private final int protocol;
  private final int numerics;
  private final Map<String, NodeState> nodes = new HashMap<>();
  private final Map<String, Long> absent = new HashMap<>(); // since when, of those still in use
  private final LayerRequests wishes = new LayerRequests();
  private final @Nullable String[] lastHolder; // by layer
  private boolean met;

  public KnownNodes(String self, ModelRequirements need, int protocol, int numerics) {
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
      if (was != null && state.revision() > was.revision()) {
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
        wishes.left(gone.name());
      }
    }
    return new Change(arrived, restarted, renewed);
  }

  private boolean hasFailed(NodeState state) {
    return state.holdings().stream()
        .anyMatch(holding -> isOurs(holding) && holding.state() == HeldLayers.State.FAILED);
  }

  private void noteHolder(NodeState state) {
    for (HeldLayers holding : state.holdings()) {
      if (isOurs(holding) && holding.state() == HeldLayers.State.LOADED) {
        for (int layer = holding.from(); layer < holding.to(); layer++) {
          lastHolder[layer] = state.name();
        }
      }
    }
  }

  private boolean isOurs(HeldLayers holding) {
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
  void remove(String node) {
    if (absent.remove(node) != null) {
      nodes.remove(node);
      wishes.left(node);
    }
  }

  /** Whether any other node was ever here. */
  boolean hasSeenAny() {
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
  List<CandidateNode> candidates(
      Predicate<String> usable, ToIntFunction<String> ownSessions, long now) {
    List<CandidateNode> candidates = new ArrayList<>();
    for (NodeState node : nodes.values()) {
      if (usable.test(node.name()) && fits(node)) {
        candidates.add(candidate(node, ownSessions.applyAsInt(node.name()), now));
      }
    }
    candidates.sort(Comparator.comparing(CandidateNode::node));
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

  private CandidateNode candidate(NodeState node, int ownSessions, long now) {
    List<LayerRange> loaded = new ArrayList<>();
    List<LayerRange> coming = new ArrayList<>();
    boolean failed = false;
    double speed = 0;
    long uncached = 0;
    long idle = 0; // it goes when something else is asked for
    for (HeldLayers holding : node.holdings()) {
      if (!isOurs(holding)) {
        idle += holding.idle() ? holding.bytes() : 0;
        continue;
      }
      LayerRange range = new LayerRange(holding.from(), holding.to());
      switch (holding.state()) {
        case LOADED -> {
          loaded.add(range);
          speed = Math.max(speed, holding.speed());
        }
        case FETCHING, LOADING -> coming.add(range);
        case FAILED -> failed = true;
      }
      uncached += holding.state() == HeldLayers.State.FAILED ? 0 : range.length();
    }
    LayerRange wished = wishes.pending(node.name(), loaded, coming, now);
    if (wished != null) {
      coming.add(wished);
      uncached += wished.length();
    }
    loaded.sort(Comparator.comparingInt(LayerRange::from));
    coming.sort(Comparator.comparingInt(LayerRange::from));
    // what it holds for us needs room for keys and values as soon as a session opens
    long promised = ownSessions > 0 ? 0 : uncached * need.cacheBytes();
    boolean rests = wishes.isResting(node.name(), failed, now);
    long free = rests ? 0 : Math.max(0, node.memory() - node.used() + idle - promised);
    int others = Math.max(0, node.sessions() - ownSessions);
    return new CandidateNode(
        node.name(), loaded, coming, node.memory() == 0 ? 0 : free, speed, others);
  }

  /** Notes a wish; says whether it is to be sent: not where it was just now, or is too early. */
  boolean recordRequest(LayerAssignment wish, long now) {
    return wishes.record(wish, now);
  }

  /** A node will not hold what it was asked to. */
  void refused(String node, String why, long now) {
    if (nodes.containsKey(node)) {
      wishes.refused(node, why, now);
    }
  }

  /** Whether a node takes layers that it is asked for, and may be asked now. */
  boolean acceptsLayers(String node, long now) {
    NodeState state = nodes.get(node);
    return state != null && state.memory() > 0 && !wishes.isResting(node, hasFailed(state), now);
  }

  /** Why layers of the model are not loaded anywhere though a node tried, in words. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (NodeState node : nodes.values()) {
      for (HeldLayers holding : node.holdings()) {
        if (isOurs(holding) && holding.state() == HeldLayers.State.FAILED) {
          LayerRange range = new LayerRange(holding.from(), holding.to());
          problems.add(
              "node %s could not load %s: %s"
                  .formatted(node.name(), ShortageText.describe(range), holding.problem()));
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

  private boolean isNamesake(HeldLayers holding) {
    return holding.model().equals(need.model())
        && !holding.sha256().isEmpty() // not known yet
        && !holding.sha256().equals(need.sha256());
  }

  private String namesake(NodeState node, HeldLayers other) {
    return "node %s is not used: its %s is another model of the same name (SHA-256 %s…, ours %s…)"
        .formatted(node.name(), need.model(), brief(other.sha256()), brief(need.sha256()));
  }

  private static String brief(String sha256) {
    return sha256.length() <= 12 ? sha256 : sha256.substring(0, 12);
  }
}
