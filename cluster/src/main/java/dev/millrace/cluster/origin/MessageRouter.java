package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.audit.Auditor;
import dev.millrace.cluster.internal.link.MessageReceiver;
import dev.millrace.cluster.internal.link.MessageSender;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.link.RetryingSender;
import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.plan.PlannerEvent;
import dev.millrace.cluster.internal.plan.PlannerEventQueue;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.wheel.BatchLoop;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What goes between the origin and its nodes. Frames of a session that is in use go straight to the
 * wheels, but for those that say that a step failed; what is of none, or from a node that is not in
 * it, is dropped; the rest is for the planner or the audit. For any thread.
 */
final class MessageRouter implements MessageReceiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final OriginCounters figures;
  private final PlannerEventQueue planner;
  private final RetryingSender courier;
  private final List<PipeTransport> hops = new ArrayList<>();
  private volatile @Nullable MessageSender post;
  private volatile @Nullable BatchLoop wheels;
  private volatile @Nullable Auditor audit;

  MessageRouter(int pipes, OriginCounters figures, PlannerEventQueue planner) {
    this.figures = figures;
    this.planner = planner;
    courier = new RetryingSender(this::dispatch, this::undelivered);
    for (int pipe = 0; pipe < pipes; pipe++) {
      hops.add(new PipeTransport(this::dispatch, figures, planner));
    }
  }

  /** Who takes what comes; before anything can. */
  void connect(BatchLoop toWheels, @Nullable Auditor toAudit) {
    wheels = toWheels;
    audit = toAudit;
  }

  /** From now on messages can be sent. */
  void setSender(MessageSender way) {
    post = way;
  }

  List<PipeTransport> hops() {
    return hops;
  }

  private void dispatch(String node, NodeMessage message) {
    MessageSender way = post;
    if (way == null) {
      throw new ClusterException("this origin has not joined its network yet");
    }
    way.send(node, message);
  }

  /** Queues a message and returns at once. */
  void send(String node, NodeMessage message) {
    courier.send(node, message);
  }

  /** Waits a little until what is queued is sent. */
  void flush(long millis) throws InterruptedException {
    courier.flush(millis);
  }

  private void undelivered(String node, NodeMessage message, String why) {
    Auditor examining = audit;
    if (examining != null && message.session() != 0) {
      examining.undelivered(node, message.session(), why);
    }
    planner.put(node, new PlannerEvent.Unreached(node, message.session(), "", why));
  }

  @Override
  public void lost(String node, String why) {
    hops.forEach(hop -> hop.nodeLost(node));
    Auditor examining = audit;
    if (examining != null) {
      examining.lost(node, why);
    }
    planner.put(node, new PlannerEvent.Lost(node, why));
  }

  @Override
  public void received(String from, NodeMessage message) {
    Auditor examining = audit;
    if (examining != null && examining.received(from, message)) {
      return;
    }
    try {
      switch (message.kind()) {
        case FRAME -> frame(from, message);
        case OPENED -> planner.put(from, new PlannerEvent.Opened(from, message.session()));
        case REFUSED -> {
          String why = WireCodec.decodeTexts(message.body(), 1).getFirst();
          planner.put(from, new PlannerEvent.Refused(from, message.session(), why));
        }
        case UNREACHED -> {
          List<String> texts = WireCodec.decodeTexts(message.body(), 2);
          planner.put(
              from,
              new PlannerEvent.Unreached(
                  texts.getFirst(), message.session(), from, texts.getLast()));
        }
        case PROBED -> probed(from, message);
        case RECORDS -> {
          if (examining != null) {
            examining.recordsReceived(from, message);
          }
        }
        case OPEN ->
            send(
                from,
                new NodeMessage(
                    Kind.REFUSED,
                    message.session(),
                    WireCodec.encode("this is an origin: it holds no layers for others")));
        case PING, CLOSE, PROBE, RECORDS_ASKED, LOAD -> {}
      }
    } catch (ClusterException e) {
      LOG.log(
          Level.WARNING,
          "a {0} of node {1} cannot be read: {2}",
          message.kind(),
          from,
          e.getMessage());
      planner.put(from, new PlannerEvent.Refused(from, message.session(), e.getMessage()));
    }
  }

  /** Of each of a node's stretches two numbers, in the order of the plan. */
  private void probed(String from, NodeMessage message) {
    for (PipeTransport hop : hops) {
      PipeSession session = hop.session();
      if (session != null && session.id() == message.session() && session.includes(from)) {
        long[] groups = WireCodec.decodeNumbers(message.body(), 2 * session.stretches(from));
        List<PlannerEvent.StretchProgress> stretches = new ArrayList<>();
        for (int i = 0; i < groups.length; i += 2) {
          stretches.add(new PlannerEvent.StretchProgress(groups[i], groups[i + 1]));
        }
        planner.put(from, new PlannerEvent.Probed(from, session.id(), stretches));
      }
    }
  }

  private void frame(String from, NodeMessage message) {
    for (int pipe = 0; pipe < hops.size(); pipe++) {
      ReturnFilter returns = hops.get(pipe).returns();
      if (returns != null && returns.session().id() == message.session()) {
        frame(from, pipe, returns, message.body());
        return;
      }
    }
  }

  private void frame(String from, int pipe, ReturnFilter returns, ByteBuffer body) {
    BatchLoop turning = wheels;
    if (turning == null) {
      return;
    }
    int bytes = body.remaining();
    try {
      Frame frame = new Frame(body);
      String refusal = returns.refusalReason(from, frame.kind(), bytes);
      if (refusal == null) {
        figures.bytesReceived.add(bytes);
        Runnable accept = () -> turning.receive(pipe, frame, () -> returns.frameRead(from));
        if (frame.isFailure()) { // who is to blame is not decided here
          String why = frame.ending().reason();
          planner.put(from, new PlannerEvent.Failed(from, returns.session().id(), why, accept));
        } else {
          accept.run();
        }
      } else if (returns.isFirstWarning(from)) {
        LOG.log(Level.WARNING, "frames of node {0} are dropped: {1}", from, refusal);
        planner.put(from, new PlannerEvent.Suspect(from, refusal));
      }
    } catch (EngineException e) {
      planner.put(from, new PlannerEvent.Refused(from, returns.session().id(), e.getMessage()));
    }
  }
}
