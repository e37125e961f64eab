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
import dev.millrace.engine.internal.thread.EngineThreads;
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

  /**
   * A peer that is silent for this long is left, and another one is asked for the rest of a model.
   */
  static final Duration CALL_TIMEOUT = Duration.ofSeconds(10);

  /** How long closing waits for the current step. */
  private static final long STEP_MILLIS = TimeUnit.SECONDS.toMillis(1);

  /** How long closing waits until origins have the last message. */
  private static final long GOODBYE_MILLIS = TimeUnit.SECONDS.toMillis(2);

  private final NodeSettings settings;
  private final ComputeQueue queue = new ComputeQueue();
  private final ComputePool pool;
  private final ModelStore store;
  private final LayerLoader loader;
  private final DialingNodeLinks links;
  private final NodeSessions sessions;
  private final NodeMessageHandler handler;
  private final Thread thread;
  private volatile @Nullable JoinedNetwork network;
  private boolean closed;

  private LayerNode(NodeSettings settings, List<LayerEntry> explicit, UnaryOperator<Segment> hook) {
    this.settings = settings;
    this.pool = new ComputePool(settings.threads());
    this.store =
        ModelStore.open(settings.modelPaths(), settings.cacheDirectory(), this::storeChanged);
    PeerCalls calls =
        (at, exchange) -> PeerCalls.over(joined().connections(), CALL_TIMEOUT).call(at, exchange);
    this.loader = new LayerLoader(store, calls, this::peers, settings.kernels(), pool);
    LayerMemoryBudget budget = new LayerMemoryBudget(settings.memory());
    LayerInventory inventory = new LayerInventory(budget, loader, queue, System::nanoTime);
    this.links =
        new DialingNodeLinks(
            () -> joined().connections(), message -> queue.addTask(() -> undelivered(message)));
    NodeSessionContext context =
        new NodeSessionContext(settings.network().name(), links, queue, System::nanoTime, hook);
    this.sessions = new NodeSessions(context, settings.maxSessions(), budget, inventory);
    this.handler = new NodeMessageHandler(queue, inventory, sessions);
    NodeStatePublisher publisher =
        new NodeStatePublisher(
            budget, inventory, sessions, store::hashes, change -> joined().announce(change));
    ComputeLoop loop = new ComputeLoop(queue, inventory, sessions, publisher, pool, explicit);
    this.thread = EngineThreads.service("millrace-node").unstarted(loop);
  }

  /**
   * Joins the network and starts loading layers; returns once it is a member. If join addresses are
   * given, waits for the first that answers.
   *
   * @throws ClusterException if a file or range cannot be used, or the network refuses this node
   */
  public static LayerNode start(NodeSettings settings) {
    return start(settings, UnaryOperator.identity());
  }

  /**
   * As {@link #start(NodeSettings)}, with a wrapper around every segment; tests use it to make a
   * node that lies.
   */
  static LayerNode start(NodeSettings settings, UnaryOperator<Segment> hook) {
    LayerNode node = new LayerNode(settings, ConfiguredLayersCheck.of(settings), hook);
    try {
      JoinedNetwork network =
          JoinedNetwork.join(
              settings.network(),
              state -> state.withLayers(settings.memory().offered(), 0, List.of(), List.of()),
              node.handler,
              states -> node.queue.addTask(() -> node.sessions.setMembers(names(states))));
      node.network = network;
      network.connections().handleCalls(ModelServer.CALL, new ModelServer(node.store));
      node.thread.start();
      return node;
    } catch (Throwable e) {
      node.close();
      node.pool.close();
      throw e;
    }
  }

  public String name() {
    return settings.network().name();
  }

  /** The address for links and calls. */
  public HostPort address() {
    return joined().linkAddress();
  }

  /** The state that this node broadcasts. */
  public NodeState state() {
    return states().stream()
        .filter(state -> state.name().equals(name()))
        .findFirst()
        .orElseThrow(() -> new ClusterException("node " + name() + " is not a member"));
  }

  /** The states of all live members, this one included. */
  public List<NodeState> states() {
    return joined().states();
  }

  private static Set<String> names(List<NodeState> states) {
    return states.stream().map(NodeState::name).collect(Collectors.toUnmodifiableSet());
  }

  private JoinedNetwork joined() {
    JoinedNetwork joined = network;
    if (joined == null) {
      throw new ClusterException("node " + name() + " has not joined yet");
    }
    return joined;
  }

  /** Nodes that have a model's file. */
  private List<ModelSource> peers(String sha256) {
    return states().stream()
        .filter(state -> !state.name().equals(name()) && state.files().contains(sha256))
        .map(state -> new ModelSource(state.name(), state.linkAddress()))
        .toList();
  }

  /** Called by the links, which are made before the sessions. */
  private void undelivered(NodeMessage message) {
    sessions.undelivered(message);
  }

  /** Called by the store, maybe before the other parts are made. */
  private void storeChanged() {
    queue.addTask(() -> loader.storeChanged());
  }

  /**
   * Ends the sessions so that their origins plan again at once, leaves the network, and frees all
   * memory. It waits only a moment for the current step, whose memory is freed when it is done.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    sessions.announceStop();
    queue.close();
    loader.close();
    awaitComputeLoop();
    links.flush(GOODBYE_MILLIS);
    JoinedNetwork joined = network;
    if (joined != null) {
      joined.close();
    }
    links.close();
    store.close();
  }

  private void awaitComputeLoop() {
    try {
      if (thread.isAlive() && !thread.join(Duration.ofMillis(STEP_MILLIS))) {
        LOG.log(Level.INFO, "a step takes long; its memory is freed when it ends");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
