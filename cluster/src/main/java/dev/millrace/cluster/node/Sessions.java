package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Post;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.model.LoadSettings;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.tensor.Kernels;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that origins have open here, within the node's limits. Belongs to the thread that
 * computes, but for {@link #find} and {@link #farewell}.
 */
final class Sessions {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final String node;
  private final int most;
  private final Budget budget;
  private final Stock stock;
  private final Inbox inbox;
  private final Post post;
  private final Replies replies;
  private final LongSupplier clock;
  private final UnaryOperator<Segment> hook;
  private final Map<Long, Session> open = new ConcurrentHashMap<>();
  private final Anteroom anteroom = new Anteroom();
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
      Post post,
      LongSupplier clock,
      UnaryOperator<Segment> hook) {
    this.node = node;
    this.most = most;
    this.budget = budget;
    this.stock = stock;
    this.inbox = inbox;
    this.post = post;
    this.replies = new Replies(post, clock);
    this.clock = clock;
    this.hook = hook;
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
      LOG.log(
          Level.INFO,
          "session of origin {0}: layers {1} of model {2}, {3} for its cache",
          from,
          Terms.ranges(node, opening.pipe()),
          opening.model(),
          Budget.text(session.cacheBytes()));
      replies.send(from, new Message(Kind.OPENED, id, ByteBuffer.allocate(0)));
    } catch (ClusterException | EngineException | OutOfMemoryError e) {
      refuse(from, id, PipeProcessor.reason(e));
    }
  }

  private Session admit(long id, Opening opening) {
    if (id == 0 || open.containsKey(id)) {
      throw new ClusterException("a session of this number is open: draw another");
    }
    if (open.size() >= most) {
      throw new ClusterException(
          "%d sessions are open, as many as this node may have; wait, or start it with more"
              .formatted(open.size()));
    }
    LoadSettings settings = settings(opening);
    List<Stock.Piece> pieces = pieces(opening);
    long bytes = 0;
    for (Stock.Piece piece : pieces) {
      Weights weights = weights(piece);
      Terms.checkModel(opening, weights);
      bytes = Math.addExact(bytes, weights.cacheBytes(piece.to() - piece.from(), settings));
    }
    stock.makeRoom(bytes, pieces.stream().map(Stock.Piece::held).toList());
    String refusal = budget.refusal(opening.pages() + " pages for keys and values", bytes);
    if (refusal != null) {
      throw new ClusterException(refusal);
    }
    List<Session.Part> parts = open(pieces, settings);
    budget.take(bytes);
    parts.forEach(part -> part.held().users++);
    Inbox.Lane lane = inbox.lane(opening.inFlight());
    return new Session(node, id, opening, parts, bytes, lane, post, hook);
  }

  private List<Stock.Piece> pieces(Opening opening) {
    List<Stock.Piece> pieces = new ArrayList<>();
    for (Pipe.Stretch stretch : opening.pipe().stretches()) {
      if (stretch.node().equals(node)) {
        pieces.addAll(stock.cover(opening.sha256(), opening.model(), stretch.from(), stretch.to()));
      }
    }
    return pieces;
  }

  private static Weights weights(Stock.Piece piece) {
    Weights weights = piece.held().weights;
    if (weights == null) {
      throw new IllegalStateException("layers " + piece.held().range + " are loaded, and not here");
    }
    return weights;
  }

  /** Who computes, and by which kernels, was decided when the weights were loaded. */
  private static LoadSettings settings(Opening opening) {
    return new LoadSettings(
        1,
        Kernels.best(),
        opening.kvType(),
        opening.context(),
        opening.pages(),
        opening.maxRows(),
        opening.maxRuns());
  }

  private static List<Session.Part> open(List<Stock.Piece> pieces, LoadSettings settings) {
    List<Session.Part> parts = new ArrayList<>();
    try {
      for (Stock.Piece piece : pieces) {
        Weights.Cut cut = weights(piece).open(piece.from(), piece.to(), settings);
        parts.add(new Session.Part(piece.held(), cut));
      }
      return parts;
    } catch (Throwable e) {
      parts.forEach(part -> part.cut().close());
      throw e;
    }
  }

  /** A frame's turn has come. */
  void serve(Session session, Frame frame, ByteBuffer bytes) {
    if (open.get(session.id()) != session) {
      return;
    }
    try {
      session.serve(frame, bytes);
    } catch (RuntimeException e) {
      end(session, PipeProcessor.reason(e));
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

  /** There is no link with a node any more. */
  void lost(String other, String why) {
    left(other, why);
    for (Session session : open.values()) {
      if (session.isBeside(other)) {
        session.unreached(other, why);
      }
    }
  }

  /** An origin is gone: what it had here is freed. */
  void left(String origin, String why) {
    replies.drop(origin);
    anteroom.drop(guest -> guest.from().equals(origin));
    for (Session session : List.copyOf(open.values())) {
      if (session.origin().equals(origin)) {
        close(session, why);
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

  void refuse(String to, long id, String why) {
    LOG.log(Level.INFO, "node {0} is refused: {1}", to, why);
    replies.send(to, new Message(Kind.REFUSED, id, Codec.encode(why)));
  }

  /** Who is a member now. */
  void members(Set<String> names) {
    anteroom.members(names);
    retry();
  }

  /** Now and then: who could not be answered is tried again, or given up. */
  void retry() {
    anteroom.empty().forEach(this::open);
    for (Message unsaid : replies.retry()) {
      Session session = open.get(unsaid.session());
      if (session != null && unsaid.kind() == Kind.OPENED) {
        close(session, "its origin cannot be reached");
      }
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
