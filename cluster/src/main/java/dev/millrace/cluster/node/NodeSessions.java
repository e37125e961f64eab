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
 * The sessions that origins have open on this node. Owned by the compute thread, except where
 * noted.
 */
final class NodeSessions {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Seconds after which a step counts as stuck. */
  static final long STUCK_SECONDS = 60;

  private final String node;
  private final int maxSessions;
  private final SessionAdmission admission;
  private final LayerMemoryBudget budget;
  private final ComputeQueue queue;
  private final NodeLinks links;
  private final LongSupplier clock;
  private final Map<Long, NodeSession> open = new ConcurrentHashMap<>();
  private final PendingOpens pendingOpens = new PendingOpens();
  private final CurrentStepTimer stepTimer;
  private volatile boolean stopping;
  private int version;

  NodeSessions(
      NodeSessionContext context,
      int maxSessions,
      LayerMemoryBudget budget,
      LayerInventory inventory) {
    this.node = context.node();
    this.links = context.links();
    this.queue = context.queue();
    this.clock = context.clock();
    this.maxSessions = maxSessions;
    this.budget = budget;
    this.admission = new SessionAdmission(context, budget, inventory);
    this.stepTimer = new CurrentStepTimer(clock);
  }

  /** Changes whenever a session opens or closes. */
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
   * Why no session can be opened because the compute thread is stuck; null if it is not. Any
   * thread.
   */
  @Nullable String stuckReason() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(stepTimer.elapsedNanos());
    return seconds < STUCK_SECONDS
        ? null
        : "node %s has been stuck in a step for %d s: stop it and start it again"
            .formatted(node, seconds);
  }

  /** Opens a session and answers the origin, maybe a moment later. */
  void open(String from, long id, OpenSessionRequest request) {
    open(new PendingOpens.PendingOpen(from, id, request, clock.getAsLong()));
  }

  private void open(PendingOpens.PendingOpen pending) {
    if (stopping || !pendingOpens.holdBack(pending, clock.getAsLong())) {
      openNow(pending.from(), pending.id(), pending.opening());
    }
  }

  private void openNow(String from, long id, OpenSessionRequest request) {
    try {
      if (stopping) {
        throw new ClusterException(stopMessage());
      }
      OpenRequestLimits.check(node, from, request);
      NodeSession session = admit(id, request);
      open.put(id, session);
      version++;
      links.connect(session.nextNodes(), failure -> queue.addTask(() -> linked(session, failure)));
    } catch (RuntimeException | OutOfMemoryError e) {
      refuse(from, id, PipeProcessor.reason(e));
    }
  }

  private NodeSession admit(long id, OpenSessionRequest request) {
    if (id == 0 || open.containsKey(id)) {
      throw new ClusterException("a session with this number is open: draw another");
    }
    if (open.size() >= maxSessions) {
      throw new ClusterException(
          "%d %s open, as many as node %s may have; wait, or start it with a larger --max-origins"
              .formatted(open.size(), open.size() == 1 ? "session is" : "sessions are", node));
    }
    return admission.admit(id, request);
  }

  /** The links to the next nodes are open, or one failed. */
  private void linked(NodeSession session, Optional<NodeLinks.Unreachable> failure) {
    if (open.get(session.id()) != session || session.isUnreachableReported()) {
      return;
    }
    if (failure.isPresent()) {
      session.reportUnreachable(failure.get().node(), failure.get().why());
      close(
          session,
          "node %s is not reached: %s".formatted(failure.get().node(), failure.get().why()));
      return;
    }
    LOG.log(
        Level.INFO,
        "session of origin {0}: {1} of model {2}, {3} for its cache",
        session.origin(),
        OpenRequestLimits.ranges(node, session.request().pipe()),
        session.request().parameters().model(),
        LayerMemoryBudget.humanBytes(session.cacheBytes()));
    session.notifyOrigin(Kind.OPENED, ByteBuffer.allocate(0));
  }

  /** Processes a frame of a session. */
  void process(NodeSession session, Frame frame) {
    if (open.get(session.id()) != session) {
      return;
    }
    stepTimer.begin();
    try {
      session.process(frame);
    } catch (RuntimeException e) {
      end(session, PipeProcessor.reason(e));
    } finally {
      stepTimer.end();
    }
  }

  /** Ends a session and tells its origin why. */
  void end(NodeSession session, String why) {
    if (open.get(session.id()) == session) {
      close(session, why);
      refuse(session.origin(), session.id(), why);
    }
  }

  /** An origin closes its session. */
  void closeByOrigin(String from, long id) {
    pendingOpens.removeIf(pending -> pending.id() == id && pending.from().equals(from));
    NodeSession session = open.get(id);
    if (session != null && session.origin().equals(from)) {
      close(session, "its origin closed it");
    }
  }

  /** Sends the audit records of a sequence to the origin. */
  void sendAuditRecords(String from, long id, long sequence) {
    NodeSession session = open.get(id);
    if (session != null && session.origin().equals(from)) {
      session.notifyOrigin(Kind.RECORDS, session.auditRecords(sequence).encode());
    } else {
      refuse(from, id, "no such session is open here for you");
    }
  }

  /**
   * The link with a node is lost: its sessions are closed. Only a lost link means that an origin is
   * gone; the membership may be wrong while links work.
   */
  void nodeLost(String other, String why) {
    pendingOpens.removeIf(pending -> pending.from().equals(other));
    for (NodeSession session : List.copyOf(open.values())) {
      if (session.origin().equals(other)) {
        close(session, why);
      } else if (session.isNeighbour(other)) {
        session.reportUnreachable(other, why);
      }
    }
  }

  /** Tells all origins that this node stops; no session is opened from now on. Any thread. */
  void announceStop() {
    stopping = true;
    open.values()
        .forEach(session -> session.notifyOrigin(Kind.REFUSED, WireCodec.encode(stopMessage())));
  }

  private String stopMessage() {
    return "node " + node + " stops";
  }

  void closeAll() {
    List.copyOf(open.values()).forEach(session -> close(session, stopMessage()));
  }

  /** Any thread. */
  void refuse(String to, long id, String why) {
    LOG.log(Level.INFO, "node {0} is refused: {1}", to, why);
    links.sendSoon(to, new NodeMessage(Kind.REFUSED, id, WireCodec.encode(why)));
  }

  /** Sets the current members; some open requests wait for one. */
  void setMembers(Set<String> names) {
    pendingOpens.setMembers(names);
    retryPending();
  }

  /** Looks again at the open requests that wait. */
  void retryPending() {
    pendingOpens.takeAll().forEach(this::open);
  }

  /** A message was not delivered: a session whose origin does not know of it is closed. */
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
    LOG.log(Level.INFO, "session of origin {0} ended: {1}", session.origin(), why);
  }
}
