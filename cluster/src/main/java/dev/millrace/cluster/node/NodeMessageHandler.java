package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.cluster.internal.layers.LayerInventory;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Takes what links bring, reads it, and leaves it for the thread that computes. Only a probe is
 * answered here: it asks whether this node lives, while that thread may be busy for long; and an
 * opening, where it is so for too long.
 */
final class NodeMessageHandler implements MessageReceiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final int MOST_TOLD = 1024;

  private final ComputeQueue inbox;
  private final LayerInventory stock;
  private final NodeSessions sessions;

  /** Who was told of which session that it is not his or not open. */
  private final Map<StrayFrame, Boolean> told =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<StrayFrame, Boolean> eldest) {
          return size() > MOST_TOLD;
        }
      };

  private record StrayFrame(String from, long session) {}

  NodeMessageHandler(ComputeQueue inbox, LayerInventory stock, NodeSessions sessions) {
    this.inbox = inbox;
    this.stock = stock;
    this.sessions = sessions;
  }

  @Override
  public void received(String from, NodeMessage message) {
    try {
      long id = message.session();
      switch (message.kind()) {
        case OPEN -> open(from, id, WireCodec.decodeOpenRequest(message.body()));
        case FRAME -> frame(from, message);
        case CLOSE -> inbox.addTaskOrWait(() -> sessions.closeByOrigin(from, id));
        case PROBE -> probed(from, id);
        case RECORDS_ASKED -> {
          long passage = WireCodec.decodeNumbers(message.body(), 1)[0];
          inbox.addTaskOrWait(() -> sessions.sendAuditRecords(from, id, passage));
        }
        case LOAD -> {
          var wish = WireCodec.decodeLoadRequest(message.body());
          inbox.addTaskOrWait(() -> load(from, () -> stock.request(wish)));
        }
        case REFUSED -> refused(from, message);
        case PING, OPENED, UNREACHED, PROBED, RECORDS ->
            LOG.log(Level.DEBUG, "node {0} sent {1}, which is an origin''s", from, message.kind());
      }
    } catch (ClusterException | IllegalArgumentException e) {
      String why = "%s cannot be read: %s".formatted(message.kind(), PipeProcessor.reason(e));
      inbox.addTaskOrWait(() -> sessions.refuse(from, message.session(), why));
    }
  }

  @Override
  public void lost(String node, String why) {
    inbox.addTask(() -> sessions.nodeLost(node, why));
  }

  /** Refused here where the thread that computes would never come to it. */
  private void open(String from, long id, OpenSessionRequest opening) {
    String stuck = sessions.stuckReason();
    if (stuck == null) {
      inbox.addTaskOrWait(() -> sessions.open(from, id, opening));
    } else {
      sessions.refuse(from, id, stuck);
    }
  }

  private void frame(String from, NodeMessage message) {
    NodeSession session = sessions.find(message.session());
    if (session == null || !session.acceptsFramesFrom(from)) {
      stray(from, message.session());
      return;
    }
    Frame frame;
    try {
      frame = new Frame(message.body());
      session.frameArrived(frame);
    } catch (EngineException e) {
      String why = "from node %s: %s".formatted(from, PipeProcessor.reason(e));
      inbox.addTaskOrWait(() -> sessions.end(session, why));
      return;
    }
    boolean step = frame.kind() == Frame.Kind.STEP;
    if (!session.lane().put(step, () -> sessions.process(session, frame))) {
      String why = "more frames came from node %s than were agreed to be under way".formatted(from);
      inbox.addTaskOrWait(() -> sessions.end(session, why));
    }
  }

  /** A frame that belongs nowhere is dropped; its sender is told, once. */
  private void stray(String from, long session) {
    synchronized (told) {
      if (told.put(new StrayFrame(from, session), true) != null) {
        return;
      }
    }
    inbox.addTaskOrWait(
        () -> sessions.refuse(from, session, "no such session is open here for you"));
  }

  /** Another node knows nothing of a session that leads there: its origin should know. */
  private void refused(String from, NodeMessage message) {
    String why = WireCodec.decodeTexts(message.body(), 1).getFirst();
    NodeSession session = sessions.find(message.session());
    if (session != null && session.isNeighbour(from)) {
      inbox.addTaskOrWait(() -> session.reportUnreachable(from, why));
    }
  }

  private void probed(String from, long id) {
    NodeSession session = sessions.find(id);
    if (session != null && session.origin().equals(from)) {
      session.notifyOrigin(Kind.PROBED, session.probeAnswer());
    } else {
      inbox.addTask(() -> sessions.refuse(from, id, "no such session is open here for you"));
    }
  }

  private void load(String from, Runnable loading) {
    try {
      loading.run();
    } catch (ClusterException | IllegalArgumentException e) {
      sessions.refuse(from, 0, PipeProcessor.reason(e));
    }
  }
}
