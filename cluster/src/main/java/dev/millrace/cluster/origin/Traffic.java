package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.wire.Courier;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Post;
import dev.millrace.cluster.wire.Receiver;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.wheel.Wheels;
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
final class Traffic implements Receiver {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  private final Figures figures;
  private final Events planner;
  private final Courier courier;
  private final List<PipeHop> hops = new ArrayList<>();
  private volatile @Nullable Post post;
  private volatile @Nullable Wheels wheels;
  private volatile @Nullable Audit audit;

  Traffic(int pipes, Figures figures, Events planner) {
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
    Audit examining = audit;
    if (examining != null && message.session() != 0) {
      examining.undelivered(node, message.session(), why);
    }
    planner.put(node, new Event.Unreached(node, message.session(), "", why));
  }

  @Override
  public void lost(String node, String why) {
    hops.forEach(hop -> hop.lost(node));
    Audit examining = audit;
    if (examining != null) {
      examining.lost(node, why);
    }
    planner.put(node, new Event.Lost(node, why));
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
        case OPENED -> planner.put(from, new Event.Opened(from, message.session()));
        case REFUSED -> {
          String why = Codec.texts(message.body(), 1).getFirst();
          planner.put(from, new Event.Refused(from, message.session(), why));
        }
        case UNREACHED -> {
          List<String> texts = Codec.texts(message.body(), 2);
          planner.put(
              from,
              new Event.Unreached(texts.getFirst(), message.session(), from, texts.getLast()));
        }
        case PROBED -> probed(from, message);
        case RECORDS -> {
          if (examining != null) {
            examining.records(from, message);
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
      planner.put(from, new Event.Refused(from, message.session(), e.getMessage()));
    }
  }

  /** Of each of a node's stretches two numbers, in the order of the plan. */
  private void probed(String from, Message message) {
    for (PipeHop hop : hops) {
      Session session = hop.session();
      if (session != null && session.id() == message.session() && session.has(from)) {
        long[] groups = Codec.numbers(message.body(), 2 * session.stretches(from));
        List<Event.Progress> stretches = new ArrayList<>();
        for (int i = 0; i < groups.length; i += 2) {
          stretches.add(new Event.Progress(groups[i], groups[i + 1]));
        }
        planner.put(from, new Event.Probed(from, session.id(), stretches));
      }
    }
  }

  private void frame(String from, Message message) {
    for (int pipe = 0; pipe < hops.size(); pipe++) {
      Returns returns = hops.get(pipe).returns();
      if (returns != null && returns.session().id() == message.session()) {
        frame(from, pipe, returns, message.body());
        return;
      }
    }
  }

  private void frame(String from, int pipe, Returns returns, ByteBuffer body) {
    Wheels turning = wheels;
    if (turning == null) {
      return;
    }
    int bytes = body.remaining();
    try {
      Frame frame = new Frame(body);
      String refusal = returns.refuse(from, frame.kind(), bytes);
      if (refusal == null) {
        figures.bytesReceived.add(bytes);
        Runnable accept = () -> turning.arrived(pipe, frame, () -> returns.read(from));
        if (frame.isFailure()) { // who is to blame is not decided here
          String why = frame.ending().reason();
          planner.put(from, new Event.Failed(from, returns.session().id(), why, accept));
        } else {
          accept.run();
        }
      } else if (returns.warn(from)) {
        LOG.log(Level.WARNING, "frames of node {0} are dropped: {1}", from, refusal);
        planner.put(from, new Event.Doubtful(from, refusal));
      }
    } catch (EngineException e) {
      planner.put(from, new Event.Refused(from, returns.session().id(), e.getMessage()));
    }
  }
}
