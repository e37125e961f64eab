package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Network;
import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.transfer.Lines;
import dev.millrace.cluster.transfer.ModelServer;
import dev.millrace.cluster.transfer.ModelStore;
import dev.millrace.cluster.transfer.Peer;
import dev.millrace.cluster.wire.HostPort;
import dev.millrace.cluster.wire.Message;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.tensor.Crew;
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
  private final Inbox inbox = new Inbox();
  private final Crew crew;
  private final ModelStore store;
  private final Loader loader;
  private final Wires wires;
  private final Sessions sessions;
  private final Desk desk;
  private final Thread thread;
  private volatile @Nullable Network network;
  private boolean closed;

  private LayerNode(NodeSettings settings, List<Held> explicit, UnaryOperator<Segment> hook) {
    this.settings = settings;
    this.crew = new Crew(settings.threads());
    this.store = ModelStore.open(settings.modelPlaces(), settings.cache(), this::storeChanged);
    Lines lines =
        (at, talk) ->
            joined()
                .switchboard()
                .call(
                    at,
                    ModelServer.CALL,
                    CALL_PATIENCE,
                    (in, out) -> {
                      talk.talk(in, out);
                      return true;
                    });
    this.loader = new Loader(store, lines, this::peers, settings.kernels(), crew);
    Budget budget = new Budget(settings.memory());
    Stock stock = new Stock(budget, loader, inbox, System::nanoTime);
    this.wires =
        new Wires(() -> joined().switchboard(), message -> inbox.put(() -> unsaid(message)));
    String name = settings.network().name();
    this.sessions =
        new Sessions(
            name, settings.maxSessions(), budget, stock, inbox, wires, System::nanoTime, hook);
    this.desk = new Desk(inbox, stock, sessions);
    Telling telling =
        new Telling(budget, stock, sessions, store::hashes, change -> joined().announce(change));
    Worker worker = new Worker(inbox, stock, sessions, telling, crew, explicit);
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
    LayerNode node = new LayerNode(settings, Explicit.of(settings), hook);
    try {
      Network network =
          Network.join(
              settings.network(),
              state -> state.withStock(settings.memory(), 0, List.of(), List.of()),
              node.desk,
              states -> node.inbox.put(() -> node.sessions.members(names(states))));
      node.network = network;
      network.switchboard().answer(ModelServer.CALL, new ModelServer(node.store));
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
    return joined().link();
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

  private Network joined() {
    Network known = network;
    if (known == null) {
      throw new ClusterException("node " + name() + " has not joined yet");
    }
    return known;
  }

  /** Those that say they have a model's file. */
  private List<Peer> peers(String sha256) {
    return states().stream()
        .filter(state -> !state.name().equals(name()) && state.files().contains(sha256))
        .map(state -> new Peer(state.name(), state.link()))
        .toList();
  }

  /** By the wires, which are made before the sessions. */
  private void unsaid(Message message) {
    sessions.unsaid(message);
  }

  /** By the store, which may have begun before all else is made. */
  private void storeChanged() {
    inbox.put(() -> loader.storeChanged());
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
    sessions.farewell();
    inbox.close();
    loader.close();
    awaitWorker();
    wires.flush(FAREWELL);
    Network joined = network;
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
