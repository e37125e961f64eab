package dev.millrace.cluster.origin;

import dev.millrace.cluster.internal.link.MessageSender;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.model.OriginModel;
import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.plan.PlannerEvent;
import dev.millrace.cluster.internal.plan.PlannerEventQueue;
import dev.millrace.engine.internal.pipe.FrameTransport;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends the frames of one pipe to its nodes, in the pipe's session. It never fails a step: a frame
 * that cannot be sent is dropped, the planner is told, and the next plan repeats the step.
 */
final class PipeTransport implements FrameTransport {
  private final MessageSender sender;
  private final OriginCounters counters;
  private final PlannerEventQueue planner;
  private final AtomicReference<@Nullable ReturnFilter> returns = new AtomicReference<>();

  PipeTransport(MessageSender sender, OriginCounters counters, PlannerEventQueue planner) {
    this.sender = sender;
    this.counters = counters;
    this.planner = planner;
  }

  /** The session of the pipe; null while there is none, or none that works. */
  @Nullable PipeSession session() {
    ReturnFilter now = returns.get();
    return now == null ? null : now.session();
  }

  /** The filter of returning frames; null while there is no session. */
  @Nullable ReturnFilter returns() {
    return returns.get();
  }

  void setSession(@Nullable PipeSession next) {
    // frames of revoked steps may still come, as many again
    returns.set(next == null ? null : new ReturnFilter(next, 2 * OriginModel.GROUPS));
  }

  /** Stops sending to a node whose link is lost. */
  void nodeLost(String node) {
    ReturnFilter now = returns.get();
    if (now != null && now.session().includes(node)) {
      returns.compareAndSet(now, null);
    }
  }

  @Override
  public void send(String node, ByteBuffer frame) {
    ReturnFilter now = returns.get();
    if (now == null || !now.session().includes(node)) {
      return; // of a plan that has ended or is about to end
    }
    long id = now.session().id();
    int bytes = frame.remaining();
    now.frameSent(bytes);
    try {
      sender.send(node, new NodeMessage(Kind.FRAME, id, frame));
      counters.bytesSent.add(bytes);
    } catch (RuntimeException e) {
      returns.compareAndSet(now, null);
      planner.put(node, new PlannerEvent.Unreached(node, id, "", PipeProcessor.reason(e)));
    }
  }
}
