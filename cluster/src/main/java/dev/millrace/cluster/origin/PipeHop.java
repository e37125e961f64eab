package dev.millrace.cluster.origin;

import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Post;
import dev.millrace.engine.pipe.Hop;
import dev.millrace.engine.pipe.PipeProcessor;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The way of one pipe's frames to its nodes and back, by the session that it has. It never fails a
 * step: one that cannot be sent stays away, the planner is told, and the next plan brings it back.
 */
final class PipeHop implements Hop {
  private final Post post;
  private final Figures figures;
  private final Events planner;
  private final AtomicReference<@Nullable Returns> returns = new AtomicReference<>();

  PipeHop(Post post, Figures figures, Events planner) {
    this.post = post;
    this.figures = figures;
    this.planner = planner;
  }

  /** Where frames go and come from; null while there is no pipe, or none that works. */
  @Nullable Session session() {
    Returns now = returns.get();
    return now == null ? null : now.session();
  }

  /** What may come back now; null while there is no session. */
  @Nullable Returns returns() {
    return returns.get();
  }

  void use(@Nullable Session next) {
    // as many again may have been given up by a revocation, and come all the same
    returns.set(next == null ? null : new Returns(next, 2 * OwnModel.GROUPS));
  }

  /** Nothing more goes to a node whose link is lost: it would be looked for in vain. */
  void lost(String node) {
    Returns now = returns.get();
    if (now != null && now.session().has(node)) {
      returns.compareAndSet(now, null);
    }
  }

  @Override
  public void send(String node, ByteBuffer frame) {
    Returns now = returns.get();
    if (now == null || !now.session().has(node)) {
      return; // of a plan that is over, or about to be
    }
    long id = now.session().id();
    int bytes = frame.remaining();
    now.sent(bytes);
    try {
      post.send(node, new Message(Kind.FRAME, id, frame));
      figures.bytesSent.add(bytes);
    } catch (RuntimeException e) {
      returns.compareAndSet(now, null);
      planner.put(node, new Event.Unreached(node, id, "", PipeProcessor.reason(e)));
    }
  }
}
