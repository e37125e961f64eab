package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.NodeState;
import dev.millrace.cluster.OriginSettings;
import dev.millrace.cluster.OriginStats;
import dev.millrace.cluster.internal.audit.Auditor;
import dev.millrace.cluster.internal.audit.LocalReplay;
import dev.millrace.cluster.internal.audit.OriginAuditRecorder;
import dev.millrace.cluster.internal.audit.RemoteReplay;
import dev.millrace.cluster.internal.audit.ReplayRunner;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.member.JoinedNetwork;
import dev.millrace.cluster.internal.model.OriginModel;
import dev.millrace.cluster.internal.model.OriginModelFile;
import dev.millrace.cluster.internal.plan.KnownNodes;
import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.cluster.internal.plan.OriginStatus;
import dev.millrace.cluster.internal.plan.PipeCoordinator;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.plan.PlannerEvent;
import dev.millrace.cluster.internal.plan.PlannerEventQueue;
import dev.millrace.cluster.internal.plan.PlannerSettings;
import dev.millrace.cluster.internal.transfer.ModelServer;
import dev.millrace.engine.Engine;
import dev.millrace.engine.internal.thread.EngineThreads;
import dev.millrace.engine.internal.wheel.BatchLoop;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model whose end and first layers are here and whose other layers are on nodes of a network. It
 * plans pipes through the nodes and replaces nodes that fail. It generates exactly what one process
 * with the whole model would.
 */
public final class Origin implements AutoCloseable {
  /** Memory for the records of audited sequences. */
  static final long RECORD_BYTES = 256L << 20;

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Shortest time that a node has to send its records. */
  private static final long RECORDS_MILLIS = 10_000;

  private static final long TICK_MILLIS = 100;
  private static final long GOODBYE_MILLIS = 2_000;

  private final OriginCounters counters = new OriginCounters();
  private final PlannerEventQueue events = new PlannerEventQueue();
  private final OriginModelFile file;
  private final OriginModel model;
  private final MessageRouter router;
  private final BatchLoop batchLoop;
  private final PipeCoordinator coordinator;
  private final @Nullable Auditor auditor;
  private final JoinedNetwork network;
  private final Engine engine;
  private final Thread planner;
  private volatile @Nullable JoinedNetwork joined; // for the planner's and the network's threads
  private volatile boolean closed;

  /**
   * Joins the network and loads the end; returns before a pipe runs. If join addresses are given,
   * waits for the first that answers.
   *
   * @throws ClusterException if the network refuses this origin
   * @throws dev.millrace.engine.error.EngineException if the file cannot be used
   */
  public static Origin open(OriginSettings settings) {
    OriginModelFile file = OriginModelFile.open(settings);
    OriginModel model = null;
    try {
      model = OriginModel.load(settings, file);
      Origin origin = new Origin(settings, file, model);
      origin.planner.start();
      return origin;
    } catch (Throwable e) {
      if (model != null) {
        model.close();
      }
      file.close();
      throw e;
    }
  }

  private Origin(OriginSettings settings, OriginModelFile file, OriginModel model) {
    this.file = file;
    this.model = model;
    String name = settings.network().name();
    LongSupplier ids = sessionIds();
    router = new MessageRouter(settings.maxPipes(), counters, events);
    boolean isAlone =
        model.requirements().local() == model.requirements().layers(); // no node to audit
    auditor = settings.audit() > 0 && !isAlone ? newAuditor(settings, ids) : null;
    OriginAuditRecorder recorder =
        auditor == null
            ? null
            : new OriginAuditRecorder(
                settings.audit(), model.width(), RECORD_BYTES, counters, auditor);
    batchLoop = model.wheels(name, router.transports(), System::nanoTime, recorder);
    router.connect(batchLoop, auditor);
    coordinator =
        new PipeCoordinator(
            new PlannerSettings(
                name,
                model.requirements(),
                model.sessionParameters(),
                settings.maxPipes(),
                settings.stepTimeout().toNanos()),
            new KnownNodes(
                name, model.requirements(), ClusterProtocol.VERSION, model.layerNumerics()),
            new WheelPipeActions(batchLoop, router, auditor, this::disconnect, this::announce),
            counters,
            ids);
    planner = EngineThreads.service("millrace-planner").unstarted(this::plan);
    network =
        JoinedNetwork.join(
            settings.network(),
            this::describe,
            router,
            states -> events.put("", new PlannerEvent.States(states)));
    network.connections().handleCalls(ModelServer.CALL, new ModelServer(file.store()));
    joined = network;
    router.setSender(network.sender());
    engine = model.engine(batchLoop); // nothing can fail after this
    if (auditor != null && recorder != null) {
      auditor.start(recorder::forget);
    }
  }

  private Auditor newAuditor(OriginSettings settings, LongSupplier ids) {
    String name = settings.network().name();
    int layers = model.requirements().layers();
    LocalReplay local =
        new LocalReplay(
            file,
            model.sessionParameters(),
            settings.engine().kernels(),
            settings.engine().threads());
    ReplayRunner replays =
        new ReplayRunner(
            model.requirements(),
            () -> coordinator.status().holders(),
            holder ->
                new RemoteReplay(
                    name, layers, model.sessionParameters(), router::send, holder, ids.getAsLong()),
            local);
    long timeout = Math.max(RECORDS_MILLIS, settings.stepTimeout().toMillis());
    return new Auditor(replays, new AuditEnvironment(), counters, timeout);
  }

  /** Session numbers that nobody can guess. */
  private static LongSupplier sessionIds() {
    SecureRandom random = new SecureRandom();
    return () -> {
      long id = random.nextLong();
      return id == 0 ? 1 : id;
    };
  }

  /** The engine of the model; requests wait while no pipe runs. */
  public Engine engine() {
    return engine;
  }

  /** The SHA-256 of the model's file, in hex. */
  public String sha256() {
    return model.requirements().sha256();
  }

  /** Whether a pipe runs now. */
  public boolean isReady() {
    return coordinator.status().isReady();
  }

  /** Why no pipe runs; empty while one runs. */
  public String waitingReason() {
    return coordinator.status().waitingReason();
  }

  /**
   * Calls a listener whenever the first pipe begins to run, on the planner's thread; it must return
   * at once. If a pipe runs already, it is called now.
   */
  public void onReady(Runnable listener) {
    coordinator.status().onReady(listener);
    if (isReady()) {
      listener.run();
    }
  }

  /** The states of all live members of the network, this one included, by name. */
  public List<NodeState> nodes() {
    return network.states();
  }

  public OriginStats stats() {
    OriginStatus status = coordinator.status();
    return new OriginStats(
        status.pipes(),
        status.nodes(),
        status.members(),
        status.expelled(),
        counters.pipeCounts(),
        counters.auditCounts(),
        new OriginStats.Traffic(
            counters.bytesSent.sum(),
            counters.bytesReceived.sum(),
            batchLoop.stats().chosenTokens()));
  }

  private NodeState describe(NodeState state) {
    OriginStatus status = coordinator.status();
    return state
        .withLayers(
            0, model.usedBytes(router.transports().size()), List.of(), file.store().hashes())
        .withPipes(List.of(model.requirements()), status.pipes(), status.expelled());
  }

  private void disconnect(String node, String why) {
    JoinedNetwork now = joined;
    if (now != null) {
      now.connections().disconnect(node, why);
    }
  }

  private void announce() {
    JoinedNetwork now = joined;
    if (now != null) {
      now.announce(this::describe);
    }
  }

  /** The planner's thread: handles events, and checks ten times a second. */
  private void plan() {
    try {
      while (!closed) {
        PlannerEvent event = events.take(TICK_MILLIS);
        try {
          for (; event != null; event = events.next()) {
            coordinator.handle(event, System.nanoTime());
          }
          coordinator.tick(System.nanoTime());
        } catch (RuntimeException | Error e) { // if this thread ended, all pipes would stop
          LOG.log(Level.ERROR, "planning failed; continuing with the next event", e);
        }
      }
    } catch (InterruptedException e) {
      // closed
    }
    coordinator.close(System.nanoTime());
  }

  /** Tells the nodes, leaves the network and frees the model. May be called twice. */
  @Override
  public void close() {
    closed = true;
    planner.interrupt();
    boolean interrupted = false;
    try {
      planner.join();
      router.flush(GOODBYE_MILLIS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (auditor != null) {
      auditor.close();
    }
    engine.close();
    network.close();
    file.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the auditor needs from the origin. */
  private final class AuditEnvironment implements Auditor.Environment {
    @Override
    public @Nullable PipeSession session(int pipe, long epoch) {
      PipeSession session = router.transports().get(pipe).session();
      return session != null && session.plan().epoch() == epoch ? session : null;
    }

    @Override
    public void send(String node, NodeMessage message) {
      router.send(node, message);
    }

    @Override
    public void report(PlannerEvent event) {
      events.put("", event);
    }
  }
}
