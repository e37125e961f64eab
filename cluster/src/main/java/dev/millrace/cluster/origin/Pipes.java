package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.ModelNeed;
import dev.millrace.cluster.place.PlannedPipe;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.pipe.Pipe;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** All pipes of an origin, by number: opened, run, and ended. One thread at a time. */
final class Pipes {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final String origin;
  private final ModelNeed need;
  private final Terms terms;
  private final Works works;
  private final Figures figures;
  private final Board board;
  private final LongSupplier ids;
  private final List<PipeControl> all;
  private long epochs;

  /**
   * @param ids draws the numbers of sessions, never 0
   */
  Pipes(
      int count,
      String origin,
      ModelNeed need,
      Terms terms,
      Works works,
      Figures figures,
      Board board,
      LongSupplier ids) {
    this.origin = origin;
    this.need = need;
    this.terms = terms;
    this.works = works;
    this.figures = figures;
    this.board = board;
    this.ids = ids;
    List<PipeControl> made = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      made.add(new PipeControl(number));
    }
    all = List.copyOf(made);
  }

  List<PipeControl> all() {
    return all;
  }

  /** The one that is open or opens by that session; null where none is, any more or yet. */
  @Nullable PipeControl bySession(long id) {
    for (PipeControl pipe : all) {
      if (pipe.session() != null && session(pipe).id() == id) {
        return pipe;
      }
    }
    return null;
  }

  /** In how many a node is. */
  int sessionsAt(String node) {
    return of(node).size();
  }

  /** Those that a node is in. */
  List<PipeControl> of(String node) {
    return all.stream().filter(p -> p.session() != null && session(p).has(node)).toList();
  }

  /** The session of one that has one. */
  static Session session(PipeControl pipe) {
    Session session = pipe.session();
    if (session == null) {
      throw new IllegalStateException("pipe " + pipe.number() + " has no session");
    }
    return session;
  }

  /** What one that has a session goes by, as the planner knows it. */
  PlannedPipe planOf(PipeControl pipe) {
    return new PlannedPipe(need.layers(), session(pipe).plan().stretches());
  }

  /** Asks the nodes of a plan to open a session, for the first pipe that has none. */
  void open(PlannedPipe planned, long now) {
    for (PipeControl pipe : all) {
      if (pipe.session() == null) {
        Pipe plan = new Pipe(++epochs, origin, need.layers(), planned.stretches());
        Session session = new Session(ids.getAsLong(), pipe.number(), plan);
        boolean runs = pipe.planned(session, now);
        tellAll(session, Kind.OPEN, Codec.encode(terms.opening(plan)));
        if (runs) {
          run(pipe, now);
        }
        return;
      }
    }
  }

  /** A node has opened; says whether its pipe runs now. */
  boolean opened(String node, long id, long now) {
    PipeControl pipe = bySession(id);
    boolean runs = pipe != null && pipe.opened(node, now);
    if (runs) {
      run(pipe, now);
    }
    return runs;
  }

  private void run(PipeControl pipe, long now) {
    Session session = session(pipe);
    works.plan(pipe.number(), session, "plan " + session.plan().epoch());
    figures.opened.increment();
    board.runs(pipe.number(), now);
    LOG.log(
        Level.INFO,
        "pipe {0} of {1} runs by plan {2}: {3}",
        pipe.number(),
        need.model(),
        session.plan().epoch(),
        session.words());
  }

  /** Asks the nodes of a pipe which steps they have. */
  void probe(PipeControl pipe) {
    tellAll(session(pipe), Kind.PROBE, NOTHING);
  }

  /** Ends a pipe that nobody uses, so that its nodes may be in others. */
  void giveWay(PipeControl pipe, long now) {
    Session over = pipe.broken(now);
    works.plan(pipe.number(), null, "it is planned anew");
    LOG.log(Level.INFO, "pipe {0} of {1} is idle, and planned anew", over.pipe(), need.model());
    tellAll(over, Kind.CLOSE, NOTHING);
  }

  /** Ends a pipe that cannot go on. */
  void breakUp(PipeControl pipe, String why, long now) {
    boolean ran = pipe.isRunning();
    Session over = pipe.broken(now);
    if (ran) {
      works.plan(pipe.number(), null, why);
      figures.broken.increment();
      board.broke(pipe.number(), now);
    }
    LOG.log(
        Level.WARNING,
        "pipe {0} of {1} {2}: {3}",
        pipe.number(),
        need.model(),
        ran ? "broke" : "did not open",
        why);
    tellAll(over, Kind.CLOSE, NOTHING);
  }

  /** Ends all: the origin goes. */
  void close(long now) {
    for (PipeControl pipe : all) {
      if (pipe.session() != null) {
        Session over = pipe.broken(now);
        works.plan(pipe.number(), null, "the origin ends");
        tellAll(over, Kind.CLOSE, NOTHING);
      }
    }
  }

  private void tellAll(Session session, Kind kind, ByteBuffer body) {
    for (String node : session.others()) {
      works.send(node, new Message(kind, session.id(), body.duplicate()));
    }
  }
}
