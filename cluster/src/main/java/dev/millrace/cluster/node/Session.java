package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.cluster.wire.Post;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A pipe of an origin, as far as it goes through this node: its processor, and the keys and values
 * of its sequences here. Belongs to the thread that computes, but for what is said.
 */
final class Session implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** A part of it: layers at work, and whose they are. */
  record Part(Held held, Weights.Cut cut) {}

  private final long id;
  private final Opening opening;
  private final Set<String> before = new HashSet<>(); // nodes whose steps come here
  private final Set<String> after = new HashSet<>(); // nodes to which ours go
  private final List<Part> parts;
  private final long cacheBytes;
  private final Inbox.Lane lane;
  private final Post post;
  private final PipeProcessor processor;
  private boolean cut; // its origin knows that the way on from here is
  private volatile long received = -1;
  private volatile long passedOn = -1;

  Session(
      String node,
      long id,
      Opening opening,
      List<Part> parts,
      long cacheBytes,
      Inbox.Lane lane,
      Post post,
      UnaryOperator<Segment> hook) {
    this.id = id;
    this.opening = opening;
    place(node, opening.pipe());
    this.parts = List.copyOf(parts);
    this.cacheBytes = cacheBytes;
    this.lane = lane;
    this.post = post;
    List<Segment> segments =
        parts.stream().map(part -> hook.apply(new Timed(part.held(), part.cut()))).toList();
    this.processor = new PipeProcessor(node, segments, null, this::send);
    processor.plan(opening.pipe());
  }

  /** Finds who is before and after this node in the plan; the origin is at both ends. */
  private void place(String node, Pipe plan) {
    String last = plan.origin();
    for (Pipe.Stretch stretch : plan.stretches()) {
      link(node, last, stretch.node());
      last = stretch.node();
    }
    link(node, last, plan.origin());
  }

  private void link(String node, String from, String to) {
    if (to.equals(node) && !from.equals(node)) {
      before.add(from);
    } else if (from.equals(node) && !to.equals(node)) {
      after.add(to);
    }
  }

  long id() {
    return id;
  }

  /** Whose it is. Any thread. */
  String origin() {
    return opening.pipe().origin();
  }

  /** Whether frames may come from a node: the one before in the plan, or the origin. Any thread. */
  boolean takesFrom(String node) {
    return before.contains(node) || node.equals(origin());
  }

  /** Whether steps go to a node or come from it. Any thread. */
  boolean isBeside(String node) {
    return before.contains(node) || after.contains(node);
  }

  /** Where its frames wait. Any thread. */
  Inbox.Lane lane() {
    return lane;
  }

  List<Part> parts() {
    return parts;
  }

  long cacheBytes() {
    return cacheBytes;
  }

  int passages() {
    return processor.passages();
  }

  /** A frame has come, and waits. Any thread. */
  void arrived(Frame frame) {
    if (frame.kind() == Frame.Kind.STEP) {
      received = frame.group();
    }
  }

  /** The last groups that came and that were passed on; -1 before the first. Any thread. */
  ByteBuffer probed() {
    return Codec.encode(received, passedOn);
  }

  /**
   * Does what a frame asks. Throws where the frame makes no sense. Where the way on is cut, nothing
   * is computed that nobody would get, and nobody is dialled again and again.
   */
  void serve(Frame frame, ByteBuffer bytes) {
    if (cut) {
      return;
    }
    processor.receive(bytes);
    if (frame.kind() == Frame.Kind.STEP && !cut) {
      passedOn = frame.group();
    }
  }

  Testimony testimony(long passage) {
    return new Testimony(passage, processor.records(passage));
  }

  /** By the processor: a node that is not reached is the origin's to leave, and no failed step. */
  private void send(String to, ByteBuffer frame) {
    if (!after.contains(to) && !to.equals(origin())) {
      throw new ClusterException(
          "a frame is to go to node " + to + ", which is not next in the plan");
    }
    try {
      post.send(to, new Message(Kind.FRAME, id, frame));
    } catch (ClusterException e) {
      unreached(to, PipeProcessor.reason(e));
    }
  }

  /** Tells the origin, once, that another node of the plan cannot be reached from here. */
  void unreached(String node, String why) {
    if (cut || node.equals(origin())) {
      return;
    }
    cut = true;
    tell(Kind.UNREACHED, Codec.encode(node, why));
  }

  /** Tells the origin; one that cannot be told is gone, and is found to be so by its link. */
  void tell(Kind kind, ByteBuffer body) {
    try {
      post.send(origin(), new Message(kind, id, body));
    } catch (ClusterException e) {
      String why = PipeProcessor.reason(e);
      LOG.log(Level.DEBUG, "origin {0} was not told {1}: {2}", origin(), kind, why);
    }
  }

  /** Frees keys and values. */
  @Override
  public void close() {
    lane.close();
    parts.forEach(part -> part.cut().close());
  }

  /** Notes how long steps of one row take. */
  private record Timed(Held held, Weights.Cut cut) implements Segment {
    @Override
    public int from() {
      return cut.from();
    }

    @Override
    public int to() {
      return cut.to();
    }

    @Override
    public int pages() {
      return cut.pages();
    }

    @Override
    public void forward(Batch batch) {
      long began = System.nanoTime();
      cut.forward(batch);
      if (batch.rows == 1) {
        long share = held.bytes / held.range.length() * (cut.to() - cut.from());
        held.speed.passed(share, System.nanoTime() - began);
      }
    }
  }
}
