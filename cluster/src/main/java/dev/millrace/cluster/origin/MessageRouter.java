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
 * Routes messages between the origin and its nodes. Frames of an open session go straight to the
 * batch loop, except those of failed steps; frames of other sessions or nodes are dropped; all else
 * goes to the planner or the auditor. Any thread.
 */
final class MessageRouter implements MessageReceiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final OriginCounters counters;
  private final PlannerEventQueue planner;
  private final RetryingSender retrying;
  private final List<PipeTransport> transports = new ArrayList<>();
  private volatile @Nullable MessageSender sender;
  private volatile @Nullable BatchLoop batchLoop;
  private volatile @Nullable Auditor auditor;

  MessageRouter(int pipes, OriginCounters counters, PlannerEventQueue planner) {
    this.counters = counters;
    this.planner = planner;
    retrying = new RetryingSender(this::dispatch, this::undelivered);
    for (int pipe = 0; pipe < pipes; pipe++) {
      transports.add(new PipeTransport(this::dispatch, counters, planner));
    }
  }

  /** Sets the receivers; called before any message can come. */
  void connect(BatchLoop toLoop, @Nullable Auditor toAuditor) {
    batchLoop = toLoop;
    auditor = toAuditor;
  }

  /** From now on messages can be sent. */
  void setSender(MessageSender via) {
    sender = via;
  }

  List<PipeTransport> transports() {
    return transports;
  }

  private void dispatch(String node, NodeMessage message) {
    MessageSender via = sender;
    if (via == null) {
      throw new ClusterException("this origin has not joined its network yet");
    }
    via.send(node, message);
  }

  /** Queues a message and returns at once. */
  void send(String node, NodeMessage message) {
    retrying.send(node, message);
  }

  /** Waits a little until what is queued is sent. */
  void flush(long millis) throws InterruptedException {
    retrying.flush(millis);
  }

  private void undelivered(String node, NodeMessage message, String why) {
    Auditor current = auditor;
    if (current != null && message.session() != 0) {
      current.undelivered(node, message.session(), why);
    }
    planner.put(node, new PlannerEvent.Unreached(node, message.session(), "", why));
  }

  @Override
  public void lost(String node, String why) {
    transports.forEach(transport -> transport.nodeLost(node));
    Auditor current = auditor;
    if (current != null) {
      current.lost(node, why);
    }
    planner.put(node, new PlannerEvent.Lost(node, why));
  }

  @Override
  public void received(String from, NodeMessage message) {
    Auditor current = auditor;
    if (current != null && current.received(from, message)) {
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
          if (current != null) {
            current.recordsReceived(from, message);
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

  /** Two numbers for each of a node's stretches, in the order of the plan. */
  private void probed(String from, NodeMessage message) {
    for (PipeTransport transport : transports) {
      PipeSession session = transport.session();
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
    for (int pipe = 0; pipe < transports.size(); pipe++) {
      ReturnFilter returns = transports.get(pipe).returns();
      if (returns != null && returns.session().id() == message.session()) {
        frame(from, pipe, returns, message.body());
        return;
      }
    }
  }

  private void frame(String from, int pipe, ReturnFilter returns, ByteBuffer body) {
    BatchLoop loop = batchLoop;
    if (loop == null) {
      return;
    }
    int bytes = body.remaining();
    try {
      Frame frame = new Frame(body);
      String refusal = returns.refusalReason(from, frame.kind(), bytes);
      if (refusal == null) {
        counters.bytesReceived.add(bytes);
        Runnable accept = () -> loop.receive(pipe, frame, () -> returns.frameRead(from));
        if (frame.isFailure()) { // the planner decides who is to blame
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
