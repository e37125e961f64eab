package dev.millrace.cluster.internal.plan;

import dev.millrace.cluster.ModelRequirements;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.place.PlannedPipe;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Pipe;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** All pipes of an origin, by number; opens, runs and ends them. One thread at a time. */
final class PipeSet {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private final String origin;
  private final ModelRequirements need;
  private final SessionParameters parameters;
  private final PipeActions actions;
  private final OriginCounters counters;
  private final OriginStatus status;
  private final LongSupplier ids;
  private final List<PipeStateMachine> all;
  private long epochs;

  /**
   * @param ids draws session numbers, never 0
   */
  PipeSet(
      PlannerSettings settings,
      PipeActions actions,
      OriginCounters counters,
      OriginStatus status,
      LongSupplier ids) {
    this.origin = settings.origin();
    this.need = settings.need();
    this.parameters = settings.parameters();
    this.actions = actions;
    this.counters = counters;
    this.status = status;
    this.ids = ids;
    List<PipeStateMachine> made = new ArrayList<>();
    for (int number = 0; number < settings.maxPipes(); number++) {
      made.add(new PipeStateMachine(number));
    }
    all = List.copyOf(made);
  }

  List<PipeStateMachine> all() {
    return all;
  }

  /** The pipe with this session, open or opening; null if there is none. */
  @Nullable PipeStateMachine bySession(long id) {
    for (PipeStateMachine pipe : all) {
      if (pipe.session() != null && session(pipe).id() == id) {
        return pipe;
      }
    }
    return null;
  }

  /** Number of pipes that a node is in. */
  int sessionsAt(String node) {
    return ofNode(node).size();
  }

  /** The pipes that a node is in. */
  List<PipeStateMachine> ofNode(String node) {
    return all.stream().filter(p -> p.session() != null && session(p).includes(node)).toList();
  }

  /** The session of a pipe that has one. */
  static PipeSession session(PipeStateMachine pipe) {
    PipeSession session = pipe.session();
    if (session == null) {
      throw new IllegalStateException("pipe " + pipe.number() + " has no session");
    }
    return session;
  }

  /** The plan of a pipe that has a session. */
  PlannedPipe planOf(PipeStateMachine pipe) {
    return new PlannedPipe(need.layers(), session(pipe).plan().nodeLayers());
  }

  /** Opens a plan in the first pipe without a session: asks its nodes to open one. */
  void open(PlannedPipe planned, long now) {
    for (PipeStateMachine pipe : all) {
      if (pipe.session() == null) {
        Pipe plan = new Pipe(++epochs, origin, need.layers(), planned.stretches());
        PipeSession session = new PipeSession(ids.getAsLong(), pipe.number(), plan);
        boolean runs = pipe.planned(session, now);
        sendToAll(session, Kind.OPEN, WireCodec.encode(parameters.openRequest(plan)));
        if (runs) {
          run(pipe, now);
        }
        return;
      }
    }
  }

  /** A node has opened its session; returns whether the pipe runs now. */
  boolean opened(String node, long id, long now) {
    PipeStateMachine pipe = bySession(id);
    boolean runs = pipe != null && pipe.opened(node, now);
    if (runs) {
      run(pipe, now);
    }
    return runs;
  }

  private void run(PipeStateMachine pipe, long now) {
    PipeSession session = session(pipe);
    actions.usePlan(pipe.number(), session, "plan " + session.plan().epoch());
    counters.opened.increment();
    status.pipeRuns(pipe.number(), now);
    LOG.log(
        Level.INFO,
        "pipe {0} of {1} runs by plan {2}: {3}",
        pipe.number(),
        need.model(),
        session.plan().epoch(),
        session.describe());
  }

  /** Asks the nodes of a pipe which steps they have received. */
  void probe(PipeStateMachine pipe) {
    sendToAll(session(pipe), Kind.PROBE, EMPTY);
  }

  /** Ends an idle pipe, so that its nodes can be in others. */
  void closeIdle(PipeStateMachine pipe, long now) {
    PipeSession ended = pipe.broken(now);
    actions.usePlan(pipe.number(), null, "it is planned again");
    LOG.log(Level.INFO, "pipe {0} of {1} is idle and is planned again", ended.pipe(), need.model());
    sendToAll(ended, Kind.CLOSE, EMPTY);
  }

  /** Ends a pipe that cannot continue. */
  void breakPipe(PipeStateMachine pipe, String why, long now) {
    boolean ran = pipe.isRunning();
    PipeSession ended = pipe.broken(now);
    if (ran) {
      actions.usePlan(pipe.number(), null, why);
      counters.broken.increment();
      status.pipeBroke(pipe.number(), now);
    }
    LOG.log(
        Level.WARNING,
        "pipe {0} of {1} {2}: {3}",
        pipe.number(),
        need.model(),
        ran ? "broke" : "did not open",
        why);
    sendToAll(ended, Kind.CLOSE, EMPTY);
  }

  /** Ends all pipes, because the origin stops. */
  void close(long now) {
    for (PipeStateMachine pipe : all) {
      if (pipe.session() != null) {
        PipeSession ended = pipe.broken(now);
        actions.usePlan(pipe.number(), null, "the origin stops");
        sendToAll(ended, Kind.CLOSE, EMPTY);
      }
    }
  }

  private void sendToAll(PipeSession session, Kind kind, ByteBuffer body) {
    for (String node : session.otherNodes()) {
      actions.send(node, new NodeMessage(kind, session.id(), body.duplicate()));
    }
  }
}
