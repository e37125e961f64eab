package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.node.Testimony;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Post;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.wheel.Wheels;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What goes between the origin and its nodes. Frames of a session that is in use go straight to the
 * wheels; what is of none, or from a node that is not in it, is dropped; the rest is for the
 * planner or the audit. For any thread.
 */
final class Traffic implements Receiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final Figures figures;
  private final Consumer<Event> planner;
  private final Courier courier;
  private final List<PipeHop> hops = new ArrayList<>();
  private volatile @Nullable Post post;
  private volatile @Nullable Wheels wheels;
  private volatile @Nullable Audit audit;

  Traffic(int pipes, Figures figures, Consumer<Event> planner) {
    this.figures = figures;
    this.planner = planner;
    courier = new Courier(this::dispatch, this::undelivered);
    for (int pipe = 0; pipe < pipes; pipe++) {
      hops.add(new PipeHop(this::dispatch, figures, planner));
    }
  }

  /** Who takes what comes; before anything can. */
  void connect(Wheels toWheels, @Nullable Audit toAudit) {
    wheels = toWheels;
    audit = toAudit;
  }

  /** From now on messages can be sent. */
  void open(Post way) {
    post = way;
  }

  List<PipeHop> hops() {
    return hops;
  }

  private void dispatch(String node, Message message) {
    Post way = post;
    if (way == null) {
      throw new ClusterException("this origin has not joined its network yet");
    }
    way.send(node, message);
  }

  /** Queues a message and returns at once. */
  void send(String node, Message message) {
    courier.send(node, message);
  }

  /** Waits a little until what is queued is sent. */
  void flush(long millis) throws InterruptedException {
    courier.flush(millis);
  }

  private void undelivered(String node, Message message, String why) {
    if (message.session() != 0) {
      Audit examining = audit;
      if (examining != null) {
        examining.undelivered(node, message.session(), why);
      }
      planner.accept(new Event.Unreached(node, message.session(), why));
    }
  }

  @Override
  public void lost(String node, String why) {
    hops.forEach(hop -> hop.lost(node));
    Audit examining = audit;
    if (examining != null) {
      examining.lost(node, why);
    }
    planner.accept(new Event.Lost(node, why));
  }

  @Override
  public void received(String from, Message message) {
    Audit examining = audit;
    if (examining != null && examining.received(from, message)) {
      return;
    }
    try {
      switch (message.kind()) {
        case FRAME -> frame(from, message);
        case OPENED -> planner.accept(new Event.Opened(from, message.session()));
        case REFUSED -> {
          String why = Codec.texts(message.body(), 1).getFirst();
          planner.accept(new Event.Refused(from, message.session(), why));
        }
        case UNREACHED -> {
          List<String> texts = Codec.texts(message.body(), 2);
          String why = "by " + from + ": " + texts.getLast();
          planner.accept(new Event.Unreached(texts.getFirst(), message.session(), why));
        }
        case PROBED -> {
          long[] groups = Codec.numbers(message.body(), 2);
          planner.accept(new Event.Probed(from, message.session(), groups[0], groups[1]));
        }
        case RECORDS -> {
          if (examining != null) {
            examining.records(from, message.session(), Testimony.decode(message.body()));
          }
        }
        case OPEN ->
            send(
                from,
                new Message(
                    Kind.REFUSED,
                    message.session(),
                    Codec.encode("this is an origin: it holds no layers for others")));
        case PING, CLOSE, PROBE, RECORDS_ASKED, LOAD -> {}
      }
    } catch (ClusterException e) {
      LOG.log(
          Level.WARNING,
          "a {0} of node {1} cannot be read: {2}",
          message.kind(),
          from,
          e.getMessage());
      planner.accept(new Event.Refused(from, message.session(), e.getMessage()));
    }
  }

  private void frame(String from, Message message) {
    for (int pipe = 0; pipe < hops.size(); pipe++) {
      Session session = hops.get(pipe).session();
      Wheels turning = wheels;
      if (session == null || turning == null || session.id() != message.session()) {
        continue;
      }
      if (session.has(from)) {
        figures.bytesReceived.add(message.body().remaining());
        try {
          turning.arrived(pipe, message.body());
        } catch (EngineException e) {
          planner.accept(new Event.Refused(from, session.id(), e.getMessage()));
        }
      }
      return;
    }
  }
}
