package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Network;
import dev.millrace.cluster.member.NodeState;
import dev.millrace.cluster.transfer.ModelServer;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Protocol;
import dev.millrace.engine.Engine;
import dev.millrace.engine.Numerics;
import dev.millrace.engine.wheel.Wheels;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A model whose end and first layers are here and whose other layers are at nodes of a network. It
 * plans pipes through them, leaves nodes that fail and goes on with others: what it generates is
 * what one process with the whole model would.
 */
public final class Origin implements AutoCloseable {
  /** What is noted of audited sequences takes at most that many bytes. */
  static final long RECORD_BYTES = 256L << 20;

  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** A node has at least so long to give its records. */
  private static final long RECORDS_MILLIS = 10_000;

  private static final long TICK_MILLIS = 100;
  private static final long FAREWELL_MILLIS = 2_000;

  private final Figures figures = new Figures();
  private final Events events = new Events();
  private final OwnFile file;
  private final OwnModel model;
  private final Traffic traffic;
  private final Wheels wheels;
  private final Planning planning;
  private final @Nullable Audit audit;
  private final Network network;
  private final Engine engine;
  private final Thread planner;
  private volatile @Nullable Network joined; // as the planner's and the network's threads see it
  private volatile boolean closed;

  /**
   * Joins the network and loads the end; returns before any pipe is complete. Waits for the first
   * peer that answers, where peers are given.
   *
   * @throws ClusterException where the network refuses us
   * @throws dev.millrace.engine.EngineException where the file cannot be run here
   */
  public static Origin open(OriginSettings settings) {
    OwnFile file = OwnFile.open(settings);
    OwnModel model = null;
    try {
      model = OwnModel.load(settings, file);
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

  private Origin(OriginSettings settings, OwnFile file, OwnModel model) {
    this.file = file;
    this.model = model;
    String name = settings.network().name();
    LongSupplier ids = sessionIds();
    traffic = new Traffic(settings.maxPipes(), figures, events);
    boolean alone = model.need().local() == model.need().layers(); // nobody to audit
    audit = settings.audit() > 0 && !alone ? audit(settings, ids) : null;
    Recorder recorder =
        audit == null
            ? null
            : new Recorder(settings.audit(), model.width(), RECORD_BYTES, figures, audit);
    wheels = model.wheels(name, traffic.hops(), System::nanoTime, recorder);
    traffic.connect(wheels, audit);
    planning =
        new Planning(
            name,
            model.need(),
            model.terms(),
            settings.maxPipes(),
            settings.stepTimeout().toNanos(),
            new Fleet(name, model.need(), Protocol.VERSION, Numerics.VERSION),
            new OnWheels(wheels, traffic, audit, this::hangUp, this::announce),
            figures,
            ids);
    planner = Thread.ofPlatform().daemon().name("millrace-planner").unstarted(this::plan);
    network =
        Network.join(
            settings.network(),
            this::described,
            traffic,
            states -> events.put("", new Event.States(states)));
    network.switchboard().answer(ModelServer.CALL, new ModelServer(file.store()));
    joined = network;
    traffic.open(network.post());
    engine = model.engine(wheels); // from here on nothing can fail
    if (audit != null && recorder != null) {
      audit.start(recorder::forget);
    }
  }

  private Audit audit(OriginSettings settings, LongSupplier ids) {
    String name = settings.network().name();
    int layers = model.need().layers();
    LocalReplay local =
        new LocalReplay(
            file, model.terms(), settings.engine().kernels(), settings.engine().threads());
    Replays replays =
        new Replays(
            model.need(),
            () -> planning.board().holders(),
            holder ->
                new RemoteReplay(
                    name, layers, model.terms(), traffic::send, holder, ids.getAsLong()),
            local);
    long patience = Math.max(RECORDS_MILLIS, settings.stepTimeout().toMillis());
    return new Audit(replays, new AroundAudit(), figures, patience);
  }

  /** Numbers that nobody else can guess. */
  private static LongSupplier sessionIds() {
    SecureRandom random = new SecureRandom();
    return () -> {
      long id = random.nextLong();
      return id == 0 ? 1 : id;
    };
  }

  /** The model, to be used as any other; requests wait in it while no pipe runs. */
  public Engine engine() {
    return engine;
  }

  /** The SHA-256 of the model's file, in hex. */
  public String sha256() {
    return model.need().sha256();
  }

  /** Whether a pipe runs now. */
  public boolean ready() {
    return planning.board().ready();
  }

  /** Why none runs, in words; empty while one does. */
  public String waiting() {
    return planning.board().waiting();
  }

  /**
   * Has it called, by the planner's thread, whenever a first pipe begins to run; it must return at
   * once. If one runs already it is called now, by the caller.
   */
  public void onReady(Runnable listener) {
    planning.board().onReady(listener);
    if (ready()) {
      listener.run();
    }
  }

  public OriginStats stats() {
    Board board = planning.board();
    return new OriginStats(
        board.pipes(),
        board.nodes(),
        board.members(),
        figures.opened.sum(),
        figures.broken.sum(),
        figures.lost.sum(),
        figures.recoveries.sum(),
        figures.lastRecoveryNanos.get(),
        board.expelled(),
        figures.audits.sum(),
        figures.auditsIncomplete.sum(),
        figures.auditsSkipped.sum(),
        figures.lies.sum(),
        figures.bytesSent.sum(),
        figures.bytesReceived.sum(),
        wheels.stats().chosenTokens());
  }

  private NodeState described(NodeState state) {
    Board board = planning.board();
    return state
        .withStock(0, model.usedBytes(traffic.hops().size()), List.of(), file.store().hashes())
        .withPipes(List.of(model.need()), board.pipes(), board.expelled());
  }

  private void hangUp(String node, String why) {
    Network now = joined;
    if (now != null) {
      now.switchboard().hangUp(node, why);
    }
  }

  private void announce() {
    Network now = joined;
    if (now != null) {
      now.announce(this::described);
    }
  }

  /** The planner's thread: takes what it is told, and looks around ten times a second. */
  private void plan() {
    try {
      while (!closed) {
        Event event = events.take(TICK_MILLIS);
        try {
          for (; event != null; event = events.next()) {
            planning.handle(event, System.nanoTime());
          }
          planning.tick(System.nanoTime());
        } catch (RuntimeException | Error e) { // a thread that ended would hold up all
          LOG.log(Level.ERROR, "planning failed; it goes on with what comes next", e);
        }
      }
    } catch (InterruptedException e) {
      // closed
    }
    planning.close(System.nanoTime());
  }

  /** Tells the nodes, leaves the network, frees the model. Closing twice is no harm. */
  @Override
  public void close() {
    closed = true;
    planner.interrupt();
    boolean interrupted = false;
    try {
      planner.join();
      traffic.flush(FAREWELL_MILLIS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (audit != null) {
      audit.close();
    }
    engine.close();
    network.close();
    file.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the audit needs. */
  private final class AroundAudit implements Audit.Surroundings {
    @Override
    public @Nullable Session session(int pipe, long epoch) {
      Session session = traffic.hops().get(pipe).session();
      return session != null && session.plan().epoch() == epoch ? session : null;
    }

    @Override
    public void send(String node, Message message) {
      traffic.send(node, message);
    }

    @Override
    public void tell(Event event) {
      events.put("", event);
    }
  }
}
