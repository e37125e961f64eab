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
 * The way of one pipe's frames to its nodes and back, by the session that it has. It never fails a
 * step: one that cannot be sent stays away, the planner is told, and the next plan brings it back.
 */
final class PipeTransport implements FrameTransport {
  private final MessageSender post;
  private final OriginCounters figures;
  private final PlannerEventQueue planner;
  private final AtomicReference<@Nullable ReturnFilter> returns = new AtomicReference<>();

  PipeTransport(MessageSender post, OriginCounters figures, PlannerEventQueue planner) {
    this.post = post;
    this.figures = figures;
    this.planner = planner;
  }

  /** Where frames go and come from; null while there is no pipe, or none that works. */
  @Nullable PipeSession session() {
    ReturnFilter now = returns.get();
    return now == null ? null : now.session();
  }

  /** What may come back now; null while there is no session. */
  @Nullable ReturnFilter returns() {
    return returns.get();
  }

  void setSession(@Nullable PipeSession next) {
    // as many again may have been given up by a revocation, and come all the same
    returns.set(next == null ? null : new ReturnFilter(next, 2 * OriginModel.GROUPS));
  }

  /** Nothing more goes to a node whose link is lost: it would be looked for in vain. */
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
      return; // of a plan that is over, or about to be
    }
    long id = now.session().id();
    int bytes = frame.remaining();
    now.frameSent(bytes);
    try {
      post.send(node, new NodeMessage(Kind.FRAME, id, frame));
      figures.bytesSent.add(bytes);
    } catch (RuntimeException e) {
      returns.compareAndSet(now, null);
      planner.put(node, new PlannerEvent.Unreached(node, id, "", PipeProcessor.reason(e)));
    }
  }
}
