package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.layers.LayerMemoryBudget;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that origins have open here, within the node's limits. Belongs to the thread that
 * computes, but for what says otherwise.
 */
final class NodeSessions {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Seconds after which a step is taken for one that never ends. */
  static final long STUCK = 60;

  private final String node;
  private final int maxSessions;
  private final SessionAdmission admission;
  private final LayerMemoryBudget budget;
  private final ComputeQueue queue;
  private final NodeLinks links;
  private final LongSupplier clock;
  private final Map<Long, NodeSession> open = new ConcurrentHashMap<>();
  private final PendingOpens anteroom = new PendingOpens();
  private final StepTimer step;
  private volatile boolean stopping;
  private int version;

  NodeSessions(
      NodeContext context, int maxSessions, LayerMemoryBudget budget, LayerInventory inventory) {
    this.node = context.node();
    this.links = context.links();
    this.queue = context.queue();
    this.clock = context.clock();
    this.maxSessions = maxSessions;
    this.budget = budget;
    this.admission = new SessionAdmission(context, budget, inventory);
    this.step = new StepTimer(clock);
  }

  /** Another number after every change of what is open. */
  int version() {
    return version;
  }

  int count() {
    return open.size();
  }

  int sequences() {
    return open.values().stream().mapToInt(NodeSession::sequences).sum();
  }

  long cacheBytes() {
    return open.values().stream().mapToLong(NodeSession::cacheBytes).sum();
  }

  /** Any thread. */
  @Nullable NodeSession find(long id) {
    return open.get(id);
  }

  /**
   * Why no session can be opened while the thread that computes is where it is; null where it
   * moves. Any thread.
   */
  @Nullable String stuckReason() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(step.elapsedNanos());
    return seconds < STUCK
        ? null
        : "node %s is stuck in a step since %d s: stop it and start it again"
            .formatted(node, seconds);
  }

  /** Opens a session and says so, or says why not; maybe a moment later. */
  void open(String from, long id, OpenSessionRequest opening) {
    open(new PendingOpens.PendingOpen(from, id, opening, clock.getAsLong()));
  }

  private void open(PendingOpens.PendingOpen guest) {
    if (stopping || !anteroom.holdBack(guest, clock.getAsLong())) {
      openNow(guest.from(), guest.id(), guest.opening());
    }
  }

  private void openNow(String from, long id, OpenSessionRequest opening) {
    try {
      if (stopping) {
        throw new ClusterException(stops());
      }
      OpenRequestLimits.check(node, from, opening);
      NodeSession session = admit(id, opening);
      open.put(id, session);
      version++;
      links.connect(session.nextNodes(), cut -> queue.addTask(() -> linked(session, cut)));
    } catch (RuntimeException | OutOfMemoryError e) {
      refuse(from, id, PipeProcessor.reason(e));
    }
  }

  private NodeSession admit(long id, OpenSessionRequest opening) {
    if (id == 0 || open.containsKey(id)) {
      throw new ClusterException("a session of this number is open: draw another");
    }
    if (open.size() >= maxSessions) {
      throw new ClusterException(
          "%d %s open, as many as node %s may have; wait, or start it with a larger --max-origins"
              .formatted(open.size(), open.size() == 1 ? "session is" : "sessions are", node));
    }
    return admission.admit(id, opening);
  }

  /** The ways on from here stand, or one does not. */
  private void linked(NodeSession session, Optional<NodeLinks.Unreachable> cut) {
    if (open.get(session.id()) != session || session.isUnreachableReported()) {
      return;
    }
    if (cut.isPresent()) {
      session.reportUnreachable(cut.get().node(), cut.get().why());
      close(session, "node %s is not reached: %s".formatted(cut.get().node(), cut.get().why()));
      return;
    }
    LOG.log(
        Level.INFO,
        "session of origin {0}: {1} of model {2}, {3} for its cache",
        session.origin(),
        OpenRequestLimits.ranges(node, session.opening().pipe()),
        session.opening().parameters().model(),
        LayerMemoryBudget.humanBytes(session.cacheBytes()));
    session.notifyOrigin(Kind.OPENED, ByteBuffer.allocate(0));
  }

  /** A frame's turn has come. */
  void process(NodeSession session, Frame frame) {
    if (open.get(session.id()) != session) {
      return;
    }
    step.begin();
    try {
      session.process(frame);
    } catch (RuntimeException e) {
      end(session, PipeProcessor.reason(e));
    } finally {
      step.end();
    }
  }

  /** Ends a session for which something came that must not, and tells its origin why. */
  void end(NodeSession session, String why) {
    if (open.get(session.id()) == session) {
      close(session, why);
      refuse(session.origin(), session.id(), why);
    }
  }

  /** Its origin closes a session. */
  void closeByOrigin(String from, long id) {
    anteroom.removeIf(guest -> guest.id() == id && guest.from().equals(from));
    NodeSession session = open.get(id);
    if (session != null && session.origin().equals(from)) {
      close(session, "its origin closed it");
    }
  }

  /** An origin asks what was noted of a passage. */
  void sendAuditRecords(String from, long id, long passage) {
    NodeSession session = open.get(id);
    if (session != null && session.origin().equals(from)) {
      session.notifyOrigin(Kind.RECORDS, session.auditRecords(passage).encode());
    } else {
      refuse(from, id, "no such session of yours is open here");
    }
  }

  /**
   * There is no link with a node any more: what it had open here is freed. This alone says that an
   * origin is gone; who is a member may be told wrongly while links work.
   */
  void nodeLost(String other, String why) {
    anteroom.removeIf(guest -> guest.from().equals(other));
    for (NodeSession session : List.copyOf(open.values())) {
      if (session.origin().equals(other)) {
        close(session, why);
      } else if (session.isNeighbour(other)) {
        session.reportUnreachable(other, why);
      }
    }
  }

  /** Tells all origins that this node stops; none is admitted from now on. Any thread. */
  void announceStop() {
    stopping = true;
    open.values().forEach(session -> session.notifyOrigin(Kind.REFUSED, WireCodec.encode(stops())));
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
    links.sendSoon(to, new NodeMessage(Kind.REFUSED, id, WireCodec.encode(why)));
  }

  /** Who is a member now, for openings that wait for one. */
  void setMembers(Set<String> names) {
    anteroom.setMembers(names);
    retryPending();
  }

  /** Now and then: openings that wait are looked at again. */
  void retryPending() {
    anteroom.takeAll().forEach(this::open);
  }

  /** Something could not be said: a session whose origin does not know of it is closed. */
  void undelivered(NodeMessage message) {
    NodeSession session = open.get(message.session());
    if (session != null && message.kind() == Kind.OPENED) {
      close(session, "its origin cannot be reached");
    }
  }

  private void close(NodeSession session, String why) {
    open.remove(session.id());
    session.close();
    budget.release(session.cacheBytes());
    for (NodeSession.Part part : session.parts()) {
      part.held().users--;
      part.held().idleSince = clock.getAsLong();
    }
    version++;
    LOG.log(Level.INFO, "session of origin {0} is over: {1}", session.origin(), why);
  }
}
