package dev.millrace.cluster.origin;

import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Post;
import dev.millrace.engine.pipe.Hop;
import dev.millrace.engine.pipe.PipeProcessor;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way of one pipe's frames to its nodes, by the session that it has. It never fails a step: one
 * that cannot be sent stays away, the planner is told, and the next plan brings it back.
 */
final class PipeHop implements Hop {
  private final Post post;
  private final Figures figures;
  private final Consumer<Event> planner;
  private final AtomicReference<@Nullable Session> session = new AtomicReference<>();

  PipeHop(Post post, Figures figures, Consumer<Event> planner) {
    this.post = post;
    this.figures = figures;
    this.planner = planner;
  }

  /** Where frames go and come from; null while there is no pipe, or none that works. */
  @Nullable Session session() {
    return session.get();
  }

  void use(@Nullable Session next) {
    session.set(next);
  }

  /** Nothing more goes to a node whose link is lost: it would be looked for in vain. */
  void lost(String node) {
    Session now = session.get();
    if (now != null && now.has(node)) {
      session.compareAndSet(now, null);
    }
  }

  @Override
  public void send(String node, ByteBuffer frame) {
    Session now = session.get();
    if (now == null || !now.has(node)) {
      return; // of a plan that is over, or about to be
    }
    int bytes = frame.remaining();
    try {
      post.send(node, new Message(Kind.FRAME, now.id(), frame));
      figures.bytesSent.add(bytes);
    } catch (RuntimeException e) {
      session.compareAndSet(now, null);
      planner.accept(new Event.Unreached(node, now.id(), PipeProcessor.reason(e)));
    }
  }
}
