package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that origins have open here, within the node's limits. Belongs to the thread that
 * computes, but for what says otherwise.
 */
final class Sessions {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Seconds after which a step is taken for one that never ends. */
  static final long STUCK = 60;

  private final String node;
  private final int most;
  private final Admission admission;
  private final Budget budget;
  private final Inbox inbox;
  private final Roads roads;
  private final LongSupplier clock;
  private final Map<Long, Session> open = new ConcurrentHashMap<>();
  private final Anteroom anteroom = new Anteroom();
  private final Stopwatch step;
  private volatile boolean stopping;
  private int version;

  /**
   * @param most that may be open at once
   * @param hook put before every segment; the tests' way to spoil one
   */
  Sessions(
      String node,
      int most,
      Budget budget,
      Stock stock,
      Inbox inbox,
      Roads roads,
      LongSupplier clock,
      UnaryOperator<Segment> hook) {
    this.node = node;
    this.most = most;
    this.budget = budget;
    this.admission = new Admission(node, budget, stock, inbox, roads, hook);
    this.inbox = inbox;
    this.roads = roads;
    this.clock = clock;
    this.step = new Stopwatch(clock);
  }

  /** Another number after every change of what is open. */
  int version() {
    return version;
  }

  int count() {
    return open.size();
  }

  int passages() {
    return open.values().stream().mapToInt(Session::passages).sum();
  }

  long cacheBytes() {
    return open.values().stream().mapToLong(Session::cacheBytes).sum();
  }

  /** Any thread. */
  @Nullable Session find(long id) {
    return open.get(id);
  }

  /**
   * Why no session can be opened while the thread that computes is where it is; null where it
   * moves. Any thread.
   */
  @Nullable String stuck() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(step.running());
    return seconds < STUCK
        ? null
        : "node %s is stuck in a step since %d s: stop it and start it again"
            .formatted(node, seconds);
  }

  /** Opens a session and says so, or says why not; maybe a moment later. */
  void open(String from, long id, Opening opening) {
    open(new Anteroom.Guest(from, id, opening, clock.getAsLong()));
  }

  private void open(Anteroom.Guest guest) {
    if (stopping || !anteroom.keeps(guest, clock.getAsLong())) {
      openNow(guest.from(), guest.id(), guest.opening());
    }
  }

  private void openNow(String from, long id, Opening opening) {
    try {
      if (stopping) {
        throw new ClusterException(stops());
      }
      Terms.check(node, from, opening);
      Session session = admit(id, opening);
      open.put(id, session);
      version++;
      roads.link(session.onward(), cut -> inbox.put(() -> linked(session, cut)));
    } catch (RuntimeException | OutOfMemoryError e) {
      refuse(from, id, PipeProcessor.reason(e));
    }
  }

  private Session admit(long id, Opening opening) {
    if (id == 0 || open.containsKey(id)) {
      throw new ClusterException("a session of this number is open: draw another");
    }
    if (open.size() >= most) {
      throw new ClusterException(
          "%d %s open, as many as node %s may have; wait, or start it with a larger --max-origins"
              .formatted(open.size(), open.size() == 1 ? "session is" : "sessions are", node));
    }
    return admission.admit(id, opening);
  }

  /** The ways on from here stand, or one does not. */
  private void linked(Session session, Optional<Roads.Cut> cut) {
    if (open.get(session.id()) != session || session.isCut()) {
      return;
    }
    if (cut.isPresent()) {
      session.unreached(cut.get().node(), cut.get().why());
      close(session, "node %s is not reached: %s".formatted(cut.get().node(), cut.get().why()));
      return;
    }
    LOG.log(
        Level.INFO,
        "session of origin {0}: {1} of model {2}, {3} for its cache",
        session.origin(),
        Terms.ranges(node, session.opening().pipe()),
        session.opening().model(),
        Budget.text(session.cacheBytes()));
    session.tell(Kind.OPENED, ByteBuffer.allocate(0));
  }

  /** A frame's turn has come. */
  void serve(Session session, Frame frame) {
    if (open.get(session.id()) != session) {
      return;
    }
    step.begin();
    try {
      session.serve(frame);
    } catch (RuntimeException e) {
      end(session, PipeProcessor.reason(e));
    } finally {
      step.end();
    }
  }

  /** Ends a session for which something came that must not, and tells its origin why. */
  void end(Session session, String why) {
    if (open.get(session.id()) == session) {
      close(session, why);
      refuse(session.origin(), session.id(), why);
    }
  }

  /** Its origin closes a session. */
  void closed(String from, long id) {
    anteroom.drop(guest -> guest.id() == id && guest.from().equals(from));
    Session session = open.get(id);
    if (session != null && session.origin().equals(from)) {
      close(session, "its origin closed it");
    }
  }

  /** An origin asks what was noted of a passage. */
  void records(String from, long id, long passage) {
    Session session = open.get(id);
    if (session != null && session.origin().equals(from)) {
      session.tell(Kind.RECORDS, session.testimony(passage).encode());
    } else {
      refuse(from, id, "no such session of yours is open here");
    }
  }

  /**
   * There is no link with a node any more: what it had open here is freed. This alone says that an
   * origin is gone; who is a member may be told wrongly while links work.
   */
  void lost(String other, String why) {
    anteroom.drop(guest -> guest.from().equals(other));
    for (Session session : List.copyOf(open.values())) {
      if (session.origin().equals(other)) {
        close(session, why);
      } else if (session.isBeside(other)) {
        session.unreached(other, why);
      }
    }
  }

  /** Tells all origins that this node stops; none is admitted from now on. Any thread. */
  void farewell() {
    stopping = true;
    open.values().forEach(session -> session.tell(Kind.REFUSED, Codec.encode(stops())));
  }

  private String stops() {
    return "node " + node + " stops";
  }

  void closeAll() {
    List.copyOf(open.values()).forEach(session -> close(session, stops()));
  }

  /** Any thread. */
  void refuse(String to, long id, String why) {
    LOG.log(Level.INFO, "node {0} is refused: {1}", to, why);
    roads.tell(to, new Message(Kind.REFUSED, id, Codec.encode(why)));
  }

  /** Who is a member now, for openings that wait for one. */
  void members(Set<String> names) {
    anteroom.members(names);
    retry();
  }

  /** Now and then: openings that wait are looked at again. */
  void retry() {
    anteroom.empty().forEach(this::open);
  }

  /** Something could not be said: a session whose origin does not know of it is closed. */
  void unsaid(Message message) {
    Session session = open.get(message.session());
    if (session != null && message.kind() == Kind.OPENED) {
      close(session, "its origin cannot be reached");
    }
  }

  private void close(Session session, String why) {
    open.remove(session.id());
    session.close();
    budget.giveBack(session.cacheBytes());
    for (Session.Part part : session.parts()) {
      part.held().users--;
      part.held().since = clock.getAsLong();
    }
    version++;
    LOG.log(Level.INFO, "session of origin {0} is over: {1}", session.origin(), why);
  }
}
