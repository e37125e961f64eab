package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.HeldLayers;
import dev.millrace.cluster.LayerRange;
import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.place.CandidateNode;
import dev.millrace.cluster.internal.place.Placement.LayerAssignment;
import dev.millrace.cluster.internal.text.DisplayText;
import dev.millrace.engine.numerics.ModelNumerics;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The latest states of the other members, and what follows from them for a model: which nodes the
 * planner can use, and which node held which layer last. One thread at a time.
 */
public final class KnownNodes {
  private final String origin;
  private final ModelRequirements need;
  private final int protocol;
  private final ModelNumerics numerics;
  private final Map<String, NodeState> nodes = new HashMap<>();
  private final Map<String, Long> absent =
      new HashMap<>(); // since when, of nodes that are still in use
  private final LayerRequests requests = new LayerRequests();
  private final @Nullable String[] lastHolder; // by layer
  private boolean seenAny;

  /**
   * @param numerics of the layers that nodes compute
   */
  public KnownNodes(String origin, ModelRequirements need, int protocol, ModelNumerics numerics) {
    this.origin = origin;
    this.need = need;
    this.protocol = protocol;
    this.numerics = numerics;
    this.lastHolder = new @Nullable String[need.layers()];
  }

  /** Nodes that are new, that restarted, and that sent a newer state. */
  record Change(List<String> arrived, List<String> restarted, List<String> renewed) {}

  /**
   * Takes the current states of the network. A node in use stays for a while after it left the
   * network: its link shows sooner whether it works.
   */
  Change update(List<NodeState> states, Predicate<String> inUse, long now) {
    Map<String, NodeState> before = new HashMap<>(nodes);
    List<String> arrived = new ArrayList<>();
    List<String> restarted = new ArrayList<>();
    List<String> renewed = new ArrayList<>();
    nodes.clear();
    for (NodeState state : states) {
      if (state.name().equals(origin)) {
        continue;
      }
      NodeState was = before.remove(state.name());
      if (was == null || absent.remove(state.name()) != null) {
        arrived.add(state.name());
        requests.arrived(state.name(), now);
      }
      if (was != null && was.incarnation() != state.incarnation()) {
        restarted.add(state.name());
        requests.arrived(state.name(), now);
      }
      if (was != null && state.revision() > was.revision()) {
        renewed.add(state.name());
        if (hasFailed(state)) { // probably what it was asked to load last
          requests.failed(state.name());
        }
      }
      seenAny = true;
      nodes.put(state.name(), state);
      noteHolder(state);
    }
    for (NodeState gone : before.values()) {
      if (inUse.test(gone.name())) {
        absent.putIfAbsent(gone.name(), now);
        nodes.put(gone.name(), gone);
      } else {
        absent.remove(gone.name());
        requests.left(gone.name());
      }
    }
    return new Change(arrived, restarted, renewed);
  }

  private boolean hasFailed(NodeState state) {
    return state.holdings().stream()
        .anyMatch(holding -> isOfModel(holding) && holding.state() == HeldLayers.State.FAILED);
  }

  private void noteHolder(NodeState state) {
    for (HeldLayers holding : state.holdings()) {
      if (isOfModel(holding) && holding.state() == HeldLayers.State.LOADED) {
        for (int layer = holding.from(); layer < holding.to(); layer++) {
          lastHolder[layer] = state.name();
        }
      }
    }
  }

  private boolean isOfModel(HeldLayers holding) {
    return holding.sha256().equals(need.sha256())
        && holding.from() >= 0
        && holding.from() < holding.to()
        && holding.to() <= need.layers();
  }

  /** Nodes that left the network this long ago. */
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

  /** Removes a node that has left the network and whose link is lost. */
  void remove(String node) {
    if (absent.remove(node) != null) {
      nodes.remove(node);
      requests.left(node);
    }
  }

  /** Whether there was ever another node. */
  boolean hasSeenAny() {
    return seenAny;
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
   * The nodes that can be planned with.
   *
   * @param usable whether a node may be used
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

  /** Why a node can never be in a pipe of this origin; null: it can. */
  @Nullable String mismatch(NodeState node) {
    if (node.protocol() != protocol) {
      return "speaks protocol version %d, this origin %d".formatted(node.protocol(), protocol);
    }
    return node.numerics()
        .missing(numerics.newest(), numerics.formats())
        .map(
            missing ->
                "has version %s of %s, this origin uses %d"
                    .formatted(missing.supported(), missing.what(), missing.wanted()))
        .orElse(null);
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
    long idle = 0; // dropped when other layers are requested
    for (HeldLayers holding : node.holdings()) {
      if (!isOfModel(holding)) {
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
    LayerRange pending = requests.pending(node.name(), loaded, coming, now);
    if (pending != null) {
      coming.add(pending);
      uncached += pending.length();
    }
    loaded.sort(Comparator.comparingInt(LayerRange::from));
    coming.sort(Comparator.comparingInt(LayerRange::from));
    // layers for this origin need room for keys and values as soon as a session opens
    long reserved = ownSessions > 0 ? 0 : uncached * need.cacheBytes();
    boolean isResting = requests.isResting(node.name(), failed, now);
    long free = isResting ? 0 : Math.max(0, node.memory() - node.used() + idle - reserved);
    int others = Math.max(0, node.sessions() - ownSessions);
    return new CandidateNode(
        node.name(), loaded, coming, node.memory() == 0 ? 0 : free, speed, others);
  }

  /** Records a request; returns whether to send it: not if it was just sent, or too early. */
  boolean recordRequest(LayerAssignment request, long now) {
    return requests.record(request, now);
  }

  /** A node refused a request for layers. */
  void refused(String node, String why, long now) {
    if (nodes.containsKey(node)) {
      requests.refused(node, why, now);
    }
  }

  /** Whether a node accepts requests for layers, and may be asked now. */
  boolean acceptsLayers(String node, long now) {
    NodeState state = nodes.get(node);
    return state != null && state.memory() > 0 && !requests.isResting(node, hasFailed(state), now);
  }

  /** Texts about nodes that could not load layers or are not used. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    for (NodeState node : nodes.values()) {
      for (HeldLayers holding : node.holdings()) {
        if (isOfModel(holding) && holding.state() == HeldLayers.State.FAILED) {
          LayerRange range = new LayerRange(holding.from(), holding.to());
          problems.add(
              "node %s could not load %s: %s"
                  .formatted(node.name(), range.describe(), holding.problem()));
        }
      }
      String refusal = requests.refusal(node.name());
      if (refusal != null) {
        problems.add("node %s loads no layers: %s".formatted(node.name(), refusal));
      }
      String mismatch = mismatch(node);
      if (mismatch != null && node.holdings().stream().anyMatch(this::isOfModel)) {
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
        && !holding.sha256().isEmpty() // unknown yet
        && !holding.sha256().equals(need.sha256());
  }

  private String namesake(NodeState node, HeldLayers other) {
    return "node %s is not used: its %s is another model of the same name (SHA-256 %s…, ours %s…)"
        .formatted(
            node.name(),
            need.model(),
            DisplayText.shortHash(other.sha256()),
            DisplayText.shortHash(need.sha256()));
  }
}
