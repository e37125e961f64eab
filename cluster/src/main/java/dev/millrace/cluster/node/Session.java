package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.member.Opening;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A pipe of an origin, as far as it goes through this node: its processor, and the keys and values
 * of its sequences here. Belongs to the thread that computes, but for what is said.
 */
final class Session implements AutoCloseable {
  /** A part of it: layers at work, and whose they are. */
  record Part(Held held, Weights.Cut cut) {}

  private final long id;
  private final Opening opening;
  private final Set<String> before = new HashSet<>(); // nodes whose steps come here
  private final Set<String> after = new HashSet<>(); // nodes to which ours go
  private final List<Part> parts;
  private final long cacheBytes;
  private final Inbox.Lane lane;
  private final Roads roads;
  private final Progress progress;
  private final PipeProcessor processor;
  private boolean cut; // its origin knows that the way on from here is

  Session(
      String node,
      long id,
      Opening opening,
      List<Part> parts,
      long cacheBytes,
      Inbox.Lane lane,
      Roads roads,
      UnaryOperator<Segment> hook) {
    this.id = id;
    this.opening = opening;
    place(node, opening.pipe());
    this.parts = List.copyOf(parts);
    this.cacheBytes = cacheBytes;
    this.lane = lane;
    this.roads = roads;
    this.progress = new Progress(node, opening.pipe());
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

  Opening opening() {
    return opening;
  }

  /** The nodes to which frames go from here; the origin's link comes with the first answer. */
  Set<String> onward() {
    return after.stream().filter(name -> !name.equals(origin())).collect(Collectors.toSet());
  }

  /** Whether its origin knows that the way on from here is cut. */
  boolean isCut() {
    return cut;
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
      progress.received(frame.layer(), frame.group());
    }
  }

  /** What a probe is answered: where its steps are, as {@link Progress#told}. Any thread. */
  ByteBuffer probed() {
    return Codec.encode(progress.told());
  }

  /**
   * Does what a frame asks. Throws where the frame makes no sense. Where the way on is cut, nothing
   * is computed that nobody would get.
   */
  void serve(Frame frame) {
    if (cut) {
      return;
    }
    processor.receive(frame);
    if (frame.kind() == Frame.Kind.STEP && !cut) {
      progress.passed(frame.layer(), frame.group());
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
      roads.pass(to, new Message(Kind.FRAME, id, frame));
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

  /** Tells the origin, soon. Any thread. */
  void tell(Kind kind, ByteBuffer body) {
    roads.tell(origin(), new Message(kind, id, body));
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
