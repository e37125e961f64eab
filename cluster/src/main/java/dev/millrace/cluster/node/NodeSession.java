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
 * The part of an origin's pipe on this node: its processor, and the keys and values of its
 * sequences. Owned by the compute thread, except where noted.
 */
final class NodeSession implements AutoCloseable {
  /** Open layers, and the entry that they belong to. */
  record Part(LayerEntry held, LoadedLayers.OpenLayers cut) {}

  private final long id;
  private final OpenSessionRequest request;
  private final Set<String> before = new HashSet<>(); // nodes that send steps here
  private final Set<String> after = new HashSet<>(); // nodes that get our steps
  private final List<Part> parts;
  private final long cacheBytes;
  private final ComputeQueue.SessionLane lane;
  private final NodeLinks links;
  private final StepProgress progress;
  private final PipeProcessor processor;
  private boolean unreachableReported; // the origin was told that the next node is unreachable

  NodeSession(
      NodeSessionContext context,
      long id,
      OpenSessionRequest request,
      List<Part> parts,
      long cacheBytes) {
    String node = context.node();
    this.id = id;
    this.request = request;
    findNeighbours(node, request.pipe());
    this.parts = List.copyOf(parts);
    this.cacheBytes = cacheBytes;
    this.lane = context.queue().openLane(request.parameters().batch().inFlight());
    this.links = context.links();
    this.progress = new StepProgress(node, request.pipe());
    List<Segment> segments =
        parts.stream()
            .map(part -> context.hook().apply(new TimedSegment(part.held(), part.cut())))
            .toList();
    this.processor = new PipeProcessor(node, segments, null, this::send);
    processor.setPlan(request.pipe());
  }

  /** Finds the nodes before and after this one in the plan; the origin is at both ends. */
  private void findNeighbours(String node, Pipe plan) {
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

  OpenSessionRequest request() {
    return request;
  }

  /**
   * The nodes that get frames from here, without the origin, whose link opens with the first
   * answer.
   */
  Set<String> nextNodes() {
    return after.stream().filter(name -> !name.equals(origin())).collect(Collectors.toSet());
  }

  /** Whether the origin was told that the next node is unreachable. */
  boolean isUnreachableReported() {
    return unreachableReported;
  }

  /** The origin of the session. Any thread. */
  String origin() {
    return request.pipe().origin();
  }

  /** Whether frames may come from a node: the one before in the plan, or the origin. Any thread. */
  boolean acceptsFramesFrom(String node) {
    return before.contains(node) || node.equals(origin());
  }

  /** Whether steps go to a node or come from it. Any thread. */
  boolean isNeighbour(String node) {
    return before.contains(node) || after.contains(node);
  }

  /** The lane of its frames. Any thread. */
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

  /** A frame has arrived and waits. Any thread. */
  void frameArrived(Frame frame) {
    if (frame.kind() == Frame.Kind.STEP) {
      progress.received(frame.layer(), frame.group());
    }
  }

  /** The answer to a probe: {@link StepProgress#snapshot}. Any thread. */
  ByteBuffer probeAnswer() {
    return WireCodec.encode(progress.snapshot());
  }

  /**
   * Processes a frame. Throws if the frame is invalid. Computes nothing if the next node is
   * unreachable.
   */
  void process(Frame frame) {
    if (unreachableReported) {
      return;
    }
    processor.receive(frame);
    if (frame.kind() == Frame.Kind.STEP && !unreachableReported) {
      progress.passed(frame.layer(), frame.group());
    }
  }

  AuditRecords auditRecords(long sequence) {
    return new AuditRecords(sequence, processor.rowHashes(sequence));
  }

  /**
   * Called by the processor. An unreachable node is reported to the origin; it is not a failed
   * step.
   */
  private void send(String to, ByteBuffer frame) {
    if (!after.contains(to) && !to.equals(origin())) {
      throw new ClusterException(
          "a frame is addressed to node " + to + ", which is not next in the plan");
    }
    try {
      links.sendFrame(to, new NodeMessage(Kind.FRAME, id, frame));
    } catch (ClusterException e) {
      reportUnreachable(to, PipeProcessor.reason(e));
    }
  }

  /** Tells the origin once that another node of the plan is unreachable from here. */
  void reportUnreachable(String node, String why) {
    if (unreachableReported || node.equals(origin())) {
      return;
    }
    unreachableReported = true;
    notifyOrigin(Kind.UNREACHED, WireCodec.encode(node, why));
  }

  /** Sends a message to the origin soon. Any thread. */
  void notifyOrigin(Kind kind, ByteBuffer body) {
    links.sendSoon(origin(), new NodeMessage(kind, id, body));
  }

  /** Frees keys and values. */
  @Override
  public void close() {
    lane.close();
    parts.forEach(part -> part.cut().close());
  }

  /** Measures the time of steps with one row. */
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
