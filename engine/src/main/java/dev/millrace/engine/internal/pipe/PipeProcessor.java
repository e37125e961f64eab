package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.error.EngineException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves groups of sequences through a pipe as far as this node can, and sends them on. The same
 * class runs at the origin and at every other node of a pipe, with all segments here or only some;
 * {@link PipeTransitionTable} decides where each sequence goes. For one thread at a time.
 */
public final class PipeProcessor {
  private final String node;
  private final @Nullable EmbeddingAndHead end;
  private final FrameTransport transport;
  private final StepExecutor steps;
  private final TransitionCounts counts = new TransitionCounts();
  private final KvPositionTracker tracker;
  private final RowHashRecorder recorder = new RowHashRecorder();
  private int stages;
  private List<String> others = List.of();

  /**
   * @param segments the segments of this node
   * @param end null if this node is not an origin
   */
  public PipeProcessor(
      String node,
      List<Segment> segments,
      @Nullable EmbeddingAndHead end,
      FrameTransport transport) {
    this.node = node;
    this.end = end;
    this.transport = transport;
    steps = new StepExecutor(node, List.copyOf(segments), end, transport);
    tracker =
        new KvPositionTracker(
            segments.stream().mapToInt(Segment::pages).min().orElse(Integer.MAX_VALUE));
  }

  /** A processor with a whole model here; the segments cover its layers in order. */
  public static PipeProcessor local(List<Segment> segments, EmbeddingAndHead end) {
    List<Pipe.NodeLayers> stretches =
        segments.stream().map(s -> new Pipe.NodeLayers("here", s.from(), s.to())).toList();
    FrameTransport nowhere =
        (to, frame) -> {
          throw new IllegalStateException(
              "no connection to node " + to + ": this pipe is all on this node");
        };
    PipeProcessor processor = new PipeProcessor("here", segments, end, nowhere);
    processor.setPlan(new Pipe(1, "here", segments.getLast().to(), stretches));
    return processor;
  }

  /**
   * Sets the plan to use from now on; null is none. Data of passages under a plan of another epoch
   * is dropped.
   */
  public void setPlan(@Nullable Pipe plan) {
    if (plan == null || epoch() != plan.epoch()) {
      tracker.clear();
      recorder.clear();
    }
    steps.pipe = plan;
    stages = plan == null || !plan.isComplete() ? 0 : plan.nodeCount();
    others = plan == null ? List.of() : plan.otherNodes(node);
  }

  /** The epoch of the plan; -1 without a plan. */
  public long epoch() {
    return steps.pipe == null ? -1 : steps.pipe.epoch();
  }

  /** The number of nodes that compute sequences in this plan; 0 without a complete plan. */
  public int stages() {
    return stages;
  }

  /** Embedding and head; only an origin has them. */
  public EmbeddingAndHead end() {
    if (end == null) {
      throw new IllegalStateException("node " + node + " has no end");
    }
    return end;
  }

  public TransitionCounts transitionCounts() {
    return counts;
  }

  /** A new step that begins with tokens to embed. */
  public SequenceStep newStep() {
    return new SequenceStep(NextComputation.EMBED, 0, counts);
  }

  /**
   * At the origin: embeds the tokens of a new batch and moves it as far as this node can.
   * Afterwards each run is at HEAD, at EMBED with more chunks to come, or DONE: handed off, or
   * ended. Never throws because of a model or a transport.
   */
  public void start(SequenceGroup group) {
    try {
      steps.validate(group);
      if (group.count(SequenceState.EMBED) > 0) {
        steps.embed(group, end());
      }
      steps.advance(group);
    } catch (Throwable e) {
      group.fail(reason(e));
    }
  }

  /**
   * At the origin: handles a frame of a group that was handed off. Returns whether it brings the
   * hidden states, so that {@link #resume} may follow; else the group has ended. A frame that does
   * not fit the group, or the place where the plan has it return, or that comes out of order, counts
   * as lost: the group must be computed again.
   */
  public boolean receiveReturned(SequenceGroup group, Frame frame) {
    try {
      Pipe plan = steps.pipe;
      if (plan != null && frame.kind() == Frame.Kind.STEP) {
        frame.returnTo(group, plan);
        String refusal = tracker.check(group, group.step(0).layer());
        if (refusal != null) {
          abandon(group, SequenceCondition.STEP_REFUSED, "node " + node + ": " + refusal);
        }
        return refusal == null;
      }
      StepEnding ending = frame.ending();
      boolean released = ending.kind() == StepEnding.Kind.RELEASED;
      abandon(
          group,
          released ? SequenceCondition.STEP_REFUSED : SequenceCondition.STEP_FAILED,
          ending.reason());
    } catch (EngineException e) {
      abandon(group, SequenceCondition.STEP_REFUSED, reason(e));
    }
    return false;
  }

  /** At the origin: continues a group that has returned; ends as {@link #start} does. */
  public void resume(SequenceGroup group) {
    int layer = group.step(0).layer();
    try {
      steps.validate(group);
      steps.advance(group);
    } catch (Throwable e) {
      group.fail(reason(e));
    }
    if (group.isLost()) {
      tracker.recordAborted(group, layer);
    } else {
      tracker.recordDone(group, layer);
    }
  }

  /** Gives up a group in flight, with a condition that ends it: later frames for it are ignored. */
  public void abandon(SequenceGroup group, SequenceCondition condition, String reason) {
    for (int run = 0; run < group.size(); run++) {
      SequenceStep step = group.step(run);
      if (step.hasEnded(StepEnding.Kind.HANDED_OFF)) {
        step.restart(NextComputation.HEAD, 0);
      }
      if (step.state() != SequenceState.DONE) {
        step.move(condition, reason);
      }
    }
  }

  /** Ignores a frame of an unknown group. */
  public void countStrayFrame() {
    newStep().move(SequenceCondition.NO_SEQUENCE);
  }

  /**
   * At the other nodes: does what a frame asks. Throws if the frame cannot be read, and then has
   * done nothing; also throws if the result cannot be sent to the origin.
   */
  public void receive(ByteBuffer bytes) {
    receive(new Frame(bytes));
  }

  /** As {@link #receive(ByteBuffer)}, for a frame whose header is already read. */
  public void receive(Frame frame) {
    switch (frame.kind()) {
      case STEP -> serve(frame);
      case FORGET -> forgotten(frame);
      case ENDED -> countStrayFrame();
    }
  }

  private void forgotten(Frame frame) {
    if (frame.epoch() == epoch()) {
      tracker.forget(frame.group());
      recorder.forget(frame.group());
    }
  }

  /** Norm and head of the runs at HEAD, in their order. */
  public void head(SequenceGroup group, float[] logits) {
    int count = group.headCount();
    if (count > 0) {
      end().head(group.batch, group.headRows(), count, logits);
    }
  }

  /**
   * Sends the other nodes of the pipe the end of a passage; a node that cannot be reached drops its
   * data with the next plan.
   */
  public void forget(long passage) {
    tracker.forget(passage);
    for (int i = 0; i < others.size(); i++) {
      try {
        transport.send(others.get(i), Frame.forget(passage, epoch()));
      } catch (RuntimeException e) {
        // a lost node keeps nothing
      }
    }
  }

  /** The hashes of a recorded passage at this node, by position; empty if it was not recorded. */
  public List<RowHashRecorder.RowHashes> rowHashes(long passage) {
    return recorder.rows(passage);
  }

  /** The number of passages whose keys and values this node holds for other origins. */
  public int passageCount() {
    return tracker.size();
  }

  private void serve(Frame frame) {
    SequenceGroup group = frame.toGroup(counts);
    int layer = group.step(0).layer();
    if (!refused(group, frame.epoch())) {
      try {
        byte @Nullable [] @Nullable [] in = RowHashRecorder.hashes(group);
        steps.validate(group);
        steps.advance(group);
        // nothing would continue a sequence that stops here
        group.fail("node %s is no origin, but its plan %d says so".formatted(node, frame.epoch()));
        recorder.record(group, layer, in);
      } catch (Throwable e) {
        group.fail("node %s, from layer %d on: %s".formatted(node, layer, reason(e)));
      }
      if (group.isHandedOff()) {
        tracker.recordDone(group, layer);
      } else {
        tracker.recordAborted(group, layer);
      }
    }
    // the origin must learn of sequences that ended here without being handed off
    StepEnding ending = group.step(0).ending();
    if (ending != null && !group.isHandedOff()) {
      transport.send(frame.origin(), Frame.ended(group.id(), frame.epoch(), ending));
    }
  }

  private boolean refused(SequenceGroup group, long epoch) {
    if (epoch() < epoch) {
      String reason = "node %s does not know plan %d".formatted(node, epoch);
      group.move(SequenceState.VALIDATING, SequenceCondition.PIPE_MISSING, reason);
      return true;
    }
    SequenceStep due = group.step(0);
    String refusal =
        epoch < epoch()
            ? "plan " + epoch + " is over"
            : due.nextComputation() != NextComputation.LAYER
                ? "a step of " + due.nextComputation() + ", which is its origin's"
                : tracker.check(group, due.layer());
    if (refusal != null) {
      group.move(
          SequenceState.VALIDATING,
          SequenceCondition.STEP_REFUSED,
          "node " + node + ": " + refusal);
    }
    return refusal != null;
  }

  /** The reason of a failure, as text. */
  public static String reason(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
