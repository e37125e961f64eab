package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.PipeProcessor;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Takes what links bring, reads it, and leaves it for the thread that computes. Only a probe is
 * answered here: it asks whether this node lives, while that thread may be busy for long; and an
 * opening, where it is so for too long.
 */
final class Desk implements Receiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");
  private static final int MOST_TOLD = 1024;

  private final Inbox inbox;
  private final Stock stock;
  private final Sessions sessions;

  /** Who was told of which session that it is not his or not open. */
  private final Map<Stray, Boolean> told =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Stray, Boolean> eldest) {
          return size() > MOST_TOLD;
        }
      };

  private record Stray(String from, long session) {}

  Desk(Inbox inbox, Stock stock, Sessions sessions) {
    this.inbox = inbox;
    this.stock = stock;
    this.sessions = sessions;
  }

  @Override
  public void received(String from, Message message) {
    try {
      long id = message.session();
      switch (message.kind()) {
        case OPEN -> open(from, id, Codec.opening(message.body()));
        case FRAME -> frame(from, message);
        case CLOSE -> inbox.putWaiting(() -> sessions.closed(from, id));
        case PROBE -> probed(from, id);
        case RECORDS_ASKED -> {
          long passage = Codec.numbers(message.body(), 1)[0];
          inbox.putWaiting(() -> sessions.records(from, id, passage));
        }
        case LOAD -> {
          var wish = Codec.assignment(message.body());
          inbox.putWaiting(() -> load(from, () -> stock.want(wish)));
        }
        case REFUSED -> refused(from, message);
        case PING, OPENED, UNREACHED, PROBED, RECORDS ->
            LOG.log(Level.DEBUG, "node {0} sent {1}, which is an origin''s", from, message.kind());
      }
    } catch (ClusterException | IllegalArgumentException e) {
      String why = "%s cannot be read: %s".formatted(message.kind(), PipeProcessor.reason(e));
      inbox.putWaiting(() -> sessions.refuse(from, message.session(), why));
    }
  }

  @Override
  public void lost(String node, String why) {
    inbox.put(() -> sessions.lost(node, why));
  }

  /** Refused here where the thread that computes would never come to it. */
  private void open(String from, long id, Opening opening) {
    String stuck = sessions.stuck();
    if (stuck == null) {
      inbox.putWaiting(() -> sessions.open(from, id, opening));
    } else {
      sessions.refuse(from, id, stuck);
    }
  }

  private void frame(String from, Message message) {
    Session session = sessions.find(message.session());
    if (session == null || !session.takesFrom(from)) {
      stray(from, message.session());
      return;
    }
    Frame frame;
    try {
      frame = new Frame(message.body());
      session.arrived(frame);
    } catch (EngineException e) {
      String why = "from node %s: %s".formatted(from, PipeProcessor.reason(e));
      inbox.putWaiting(() -> sessions.end(session, why));
      return;
    }
    boolean step = frame.kind() == Frame.Kind.STEP;
    if (!session.lane().put(step, () -> sessions.serve(session, frame))) {
      String why = "more frames came from node %s than were agreed to be under way".formatted(from);
      inbox.putWaiting(() -> sessions.end(session, why));
    }
  }

  /** A frame that belongs nowhere is dropped; its sender is told, once. */
  private void stray(String from, long session) {
    synchronized (told) {
      if (told.put(new Stray(from, session), true) != null) {
        return;
      }
    }
    inbox.putWaiting(() -> sessions.refuse(from, session, "no such session is open here for you"));
  }

  /** Another node knows nothing of a session that leads there: its origin should know. */
  private void refused(String from, Message message) {
    String why = Codec.texts(message.body(), 1).getFirst();
    Session session = sessions.find(message.session());
    if (session != null && session.isBeside(from)) {
      inbox.putWaiting(() -> session.unreached(from, why));
    }
  }

  private void probed(String from, long id) {
    Session session = sessions.find(id);
    if (session != null && session.origin().equals(from)) {
      session.tell(Kind.PROBED, session.probed());
    } else {
      inbox.put(() -> sessions.refuse(from, id, "no such session is open here for you"));
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
