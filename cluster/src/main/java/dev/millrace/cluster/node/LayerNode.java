package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.NodeSettings;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.cluster.internal.layers.ConfiguredLayersCheck;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerLoader;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.member.JoinedNetwork;
import dev.millrace.cluster.internal.transfer.ModelServer;
import dev.millrace.cluster.internal.transfer.ModelSource;
import dev.millrace.cluster.internal.transfer.ModelStore;
import dev.millrace.cluster.internal.transfer.PeerCalls;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.tensor.ComputePool;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A node that holds layers of models and computes them for origins. */
public final class LayerNode implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** A peer that says nothing for so long is left, and another asked for the rest of a model. */
  static final Duration CALL_PATIENCE = Duration.ofSeconds(10);

  /** How long a step that is being computed may hold up the end. */
  private static final long LAST_STEP = TimeUnit.SECONDS.toMillis(1);

  /** How long origins that do not take the farewell may. */
  private static final long FAREWELL = TimeUnit.SECONDS.toMillis(2);

  private final NodeSettings settings;
  private final ComputeQueue inbox = new ComputeQueue();
  private final ComputePool crew;
  private final ModelStore store;
  private final LayerLoader loader;
  private final NetworkLinks wires;
  private final NodeSessions sessions;
  private final NodeMessageHandler desk;
  private final Thread thread;
  private volatile @Nullable JoinedNetwork network;
  private boolean closed;

  private LayerNode(NodeSettings settings, List<LayerEntry> explicit, UnaryOperator<Segment> hook) {
    this.settings = settings;
    this.crew = new ComputePool(settings.threads());
    this.store =
        ModelStore.open(settings.modelPaths(), settings.cacheDirectory(), this::storeChanged);
    PeerCalls lines =
        (at, talk) ->
            joined()
                .connections()
                .call(
                    at,
                    ModelServer.CALL,
                    CALL_PATIENCE,
                    (in, out) -> {
                      talk.exchange(in, out);
                      return true;
                    });
    this.loader = new LayerLoader(store, lines, this::peers, settings.kernels(), crew);
    LayerMemoryBudget budget = new LayerMemoryBudget(settings.memoryBytes());
    LayerInventory stock = new LayerInventory(budget, loader, inbox, System::nanoTime);
    this.wires =
        new NetworkLinks(
            () -> joined().connections(), message -> inbox.addTask(() -> unsaid(message)));
    NodeContext context =
        new NodeContext(settings.network().name(), wires, inbox, System::nanoTime, hook);
    this.sessions = new NodeSessions(context, settings.maxSessions(), budget, stock);
    this.desk = new NodeMessageHandler(inbox, stock, sessions);
    NodeStatePublisher telling =
        new NodeStatePublisher(
            budget, stock, sessions, store::hashes, change -> joined().announce(change));
    ComputeLoop worker = new ComputeLoop(inbox, stock, sessions, telling, crew, explicit);
    this.thread = Thread.ofPlatform().daemon().name("millrace-node").unstarted(worker);
  }

  /**
   * Joins the network and begins to load; returns when it is a member. Waits for the first peer
   * that answers, where peers are given.
   *
   * @throws ClusterException where a file or a range cannot be honoured, or the network refuses
   *     this node
   */
  public static LayerNode start(NodeSettings settings) {
    return start(settings, UnaryOperator.identity());
  }

  /** The same with something before every segment: how tests make a node that lies. */
  static LayerNode start(NodeSettings settings, UnaryOperator<Segment> hook) {
    LayerNode node = new LayerNode(settings, ConfiguredLayersCheck.of(settings), hook);
    try {
      JoinedNetwork network =
          JoinedNetwork.join(
              settings.network(),
              state -> state.withLayers(settings.memoryBytes(), 0, List.of(), List.of()),
              node.desk,
              states -> node.inbox.addTask(() -> node.sessions.setMembers(names(states))));
      node.network = network;
      network.connections().handleCalls(ModelServer.CALL, new ModelServer(node.store));
      node.thread.start();
      return node;
    } catch (Throwable e) {
      node.close();
      node.crew.close();
      throw e;
    }
  }

  public String name() {
    return settings.network().name();
  }

  /** Where others reach it. */
  public HostPort address() {
    return joined().linkAddress();
  }

  /** What this node says of itself. */
  public NodeState state() {
    return states().stream()
        .filter(state -> state.name().equals(name()))
        .findFirst()
        .orElseThrow(() -> new ClusterException("node " + name() + " is no member"));
  }

  /** What all live members say of themselves, this one included. */
  public List<NodeState> states() {
    return joined().states();
  }

  private static Set<String> names(List<NodeState> states) {
    return states.stream().map(NodeState::name).collect(Collectors.toUnmodifiableSet());
  }

  private JoinedNetwork joined() {
    JoinedNetwork known = network;
    if (known == null) {
      throw new ClusterException("node " + name() + " has not joined yet");
    }
    return known;
  }

  /** Those that say they have a model's file. */
  private List<ModelSource> peers(String sha256) {
    return states().stream()
        .filter(state -> !state.name().equals(name()) && state.files().contains(sha256))
        .map(state -> new ModelSource(state.name(), state.linkAddress()))
        .toList();
  }

  /** By the wires, which are made before the sessions. */
  private void unsaid(NodeMessage message) {
    sessions.undelivered(message);
  }

  /** By the store, which may have begun before all else is made. */
  private void storeChanged() {
    inbox.addTask(() -> loader.storeChanged());
  }

  /**
   * Ends its sessions so that their origins plan anew at once, leaves the network, and frees all. A
   * step that is being computed is waited for a moment only; its memory goes when it is done.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    sessions.announceStop();
    inbox.close();
    loader.close();
    awaitWorker();
    wires.flush(FAREWELL);
    JoinedNetwork joined = network;
    if (joined != null) {
      joined.close();
    }
    wires.close();
    store.close();
  }

  private void awaitWorker() {
    try {
      if (thread.isAlive() && !thread.join(Duration.ofMillis(LAST_STEP))) {
        LOG.log(Level.INFO, "a long step is left to end by itself");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
