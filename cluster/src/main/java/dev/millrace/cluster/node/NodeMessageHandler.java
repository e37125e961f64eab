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
 * Decodes messages of links and queues them for the compute thread. It answers only probes itself,
 * because the compute thread may be busy for long, and refuses open requests while that thread is
 * stuck.
 */
final class NodeMessageHandler implements MessageReceiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final int MAX_TOLD = 1024;

  private final ComputeQueue queue;
  private final LayerInventory inventory;
  private final NodeSessions sessions;

  /** Senders that were told that a session is not open for them. */
  private final Map<StrayFrame, Boolean> notifiedSenders =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<StrayFrame, Boolean> eldest) {
          return size() > MAX_TOLD;
        }
      };

  private record StrayFrame(String from, long session) {}

  NodeMessageHandler(ComputeQueue queue, LayerInventory inventory, NodeSessions sessions) {
    this.queue = queue;
    this.inventory = inventory;
    this.sessions = sessions;
  }

  @Override
  public void received(String from, NodeMessage message) {
    try {
      long id = message.session();
      switch (message.kind()) {
        case OPEN -> open(from, id, WireCodec.decodeOpenRequest(message.body()));
        case FRAME -> frame(from, message);
        case CLOSE -> queue.addTaskOrWait(() -> sessions.closeByOrigin(from, id));
        case PROBE -> probed(from, id);
        case RECORDS_ASKED -> {
          long sequence = WireCodec.decodeNumbers(message.body(), 1)[0];
          queue.addTaskOrWait(() -> sessions.sendAuditRecords(from, id, sequence));
        }
        case LOAD -> {
          var request = WireCodec.decodeLoadRequest(message.body());
          queue.addTaskOrWait(() -> load(from, () -> inventory.request(request)));
        }
        case REFUSED -> refused(from, message);
        case PING, OPENED, UNREACHED, PROBED, RECORDS ->
            LOG.log(
                Level.DEBUG,
                "node {0} sent {1}, which only an origin handles",
                from,
                message.kind());
      }
    } catch (ClusterException | IllegalArgumentException e) {
      String why = "%s cannot be read: %s".formatted(message.kind(), PipeProcessor.reason(e));
      queue.addTaskOrWait(() -> sessions.refuse(from, message.session(), why));
    }
  }

  @Override
  public void lost(String node, String why) {
    queue.addTask(() -> sessions.nodeLost(node, why));
  }

  /** Refused here if the compute thread is stuck. */
  private void open(String from, long id, OpenSessionRequest opening) {
    String stuck = sessions.stuckReason();
    if (stuck == null) {
      queue.addTaskOrWait(() -> sessions.open(from, id, opening));
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
      queue.addTaskOrWait(() -> sessions.end(session, why));
      return;
    }
    boolean step = frame.kind() == Frame.Kind.STEP;
    if (!session.lane().put(step, () -> sessions.process(session, frame))) {
      String why = "node %s sent more frames than may be in flight".formatted(from);
      queue.addTaskOrWait(() -> sessions.end(session, why));
    }
  }

  /** A frame of an unknown session is dropped; its sender is told once. */
  private void stray(String from, long session) {
    synchronized (notifiedSenders) {
      if (notifiedSenders.put(new StrayFrame(from, session), true) != null) {
        return;
      }
    }
    queue.addTaskOrWait(
        () -> sessions.refuse(from, session, "no such session is open here for you"));
  }

  /** The next node does not know a session; its origin is told. */
  private void refused(String from, NodeMessage message) {
    String why = WireCodec.decodeTexts(message.body(), 1).getFirst();
    NodeSession session = sessions.find(message.session());
    if (session != null && session.isNeighbour(from)) {
      queue.addTaskOrWait(() -> session.reportUnreachable(from, why));
    }
  }

  private void probed(String from, long id) {
    NodeSession session = sessions.find(id);
    if (session != null && session.origin().equals(from)) {
      session.notifyOrigin(Kind.PROBED, session.probeAnswer());
    } else {
      queue.addTask(() -> sessions.refuse(from, id, "no such session is open here for you"));
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
