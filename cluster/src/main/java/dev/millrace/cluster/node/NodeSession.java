package dev.millrace.cluster.node;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.layers.ComputeQueue;
import dev.millrace.cluster.internal.layers.LayerEntry;
import dev.millrace.cluster.internal.layers.LoadedLayers;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.Segment;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A pipe of an origin, as far as it goes through this node: its processor, and the keys and values
 * of its sequences here. Belongs to the thread that computes, but for what is said.
 */
final class NodeSession implements AutoCloseable {
  /** A part of it: layers at work, and whose they are. */
  record Part(LayerEntry held, LoadedLayers.OpenLayers cut) {}

  private final long id;
  private final OpenSessionRequest opening;
  private final Set<String> before = new HashSet<>(); // nodes whose steps come here
  private final Set<String> after = new HashSet<>(); // nodes to which ours go
  private final List<Part> parts;
  private final long cacheBytes;
  private final ComputeQueue.SessionLane lane;
  private final NodeLinks links;
  private final StepProgress progress;
  private final PipeProcessor processor;
  private boolean cut; // its origin knows that the way on from here is

  NodeSession(
      NodeContext context,
      long id,
      OpenSessionRequest opening,
      List<Part> parts,
      long cacheBytes) {
    String node = context.node();
    this.id = id;
    this.opening = opening;
    place(node, opening.pipe());
    this.parts = List.copyOf(parts);
    this.cacheBytes = cacheBytes;
    this.lane = context.queue().openLane(opening.parameters().batch().inFlight());
    this.links = context.links();
    this.progress = new StepProgress(node, opening.pipe());
    List<Segment> segments =
        parts.stream()
            .map(part -> context.hook().apply(new TimedSegment(part.held(), part.cut())))
            .toList();
    this.processor = new PipeProcessor(node, segments, null, this::send);
    processor.setPlan(opening.pipe());
  }

  /** Finds who is before and after this node in the plan; the origin is at both ends. */
  private void place(String node, Pipe plan) {
    String last = plan.origin();
    for (Pipe.NodeLayers stretch : plan.nodeLayers()) {
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

  OpenSessionRequest opening() {
    return opening;
  }

  /** The nodes to which frames go from here; the origin's link comes with the first answer. */
  Set<String> nextNodes() {
    return after.stream().filter(name -> !name.equals(origin())).collect(Collectors.toSet());
  }

  /** Whether its origin knows that the way on from here is cut. */
  boolean isUnreachableReported() {
    return cut;
  }

  /** Whose it is. Any thread. */
  String origin() {
    return opening.pipe().origin();
  }

  /** Whether frames may come from a node: the one before in the plan, or the origin. Any thread. */
  boolean acceptsFramesFrom(String node) {
    return before.contains(node) || node.equals(origin());
  }

  /** Whether steps go to a node or come from it. Any thread. */
  boolean isNeighbour(String node) {
    return before.contains(node) || after.contains(node);
  }

  /** Where its frames wait. Any thread. */
  ComputeQueue.SessionLane lane() {
    return lane;
  }

  List<Part> parts() {
    return parts;
  }

  long cacheBytes() {
    return cacheBytes;
  }

  int sequences() {
    return processor.passageCount();
  }

  /** A frame has come, and waits. Any thread. */
  void frameArrived(Frame frame) {
    if (frame.kind() == Frame.Kind.STEP) {
      progress.received(frame.layer(), frame.group());
    }
  }

  /** What a probe is answered: where its steps are, as {@link StepProgress#snapshot}. Any thread. */
  ByteBuffer probeAnswer() {
    return WireCodec.encode(progress.snapshot());
  }

  /**
   * Does what a frame asks. Throws where the frame makes no sense. Where the way on is cut, nothing
   * is computed that nobody would get.
   */
  void process(Frame frame) {
    if (cut) {
      return;
    }
    processor.receive(frame);
    if (frame.kind() == Frame.Kind.STEP && !cut) {
      progress.passed(frame.layer(), frame.group());
    }
  }

  AuditRecords auditRecords(long passage) {
    return new AuditRecords(passage, processor.rowHashes(passage));
  }

  /** By the processor: a node that is not reached is the origin's to leave, and no failed step. */
  private void send(String to, ByteBuffer frame) {
    if (!after.contains(to) && !to.equals(origin())) {
      throw new ClusterException(
          "a frame is to go to node " + to + ", which is not next in the plan");
    }
    try {
      links.sendFrame(to, new NodeMessage(Kind.FRAME, id, frame));
    } catch (ClusterException e) {
      reportUnreachable(to, PipeProcessor.reason(e));
    }
  }

  /** Tells the origin, once, that another node of the plan cannot be reached from here. */
  void reportUnreachable(String node, String why) {
    if (cut || node.equals(origin())) {
      return;
    }
    cut = true;
    notifyOrigin(Kind.UNREACHED, WireCodec.encode(node, why));
  }

  /** Tells the origin, soon. Any thread. */
  void notifyOrigin(Kind kind, ByteBuffer body) {
    links.sendSoon(origin(), new NodeMessage(kind, id, body));
  }

  /** Frees keys and values. */
  @Override
  public void close() {
    lane.close();
    parts.forEach(part -> part.cut().close());
  }

  /** Notes how long steps of one row take. */
  private record TimedSegment(LayerEntry held, LoadedLayers.OpenLayers cut) implements Segment {
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
        held.speed.addStep(share, System.nanoTime() - began);
      }
    }
  }
}
