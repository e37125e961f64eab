package dev.millrace.engine.internal.pipe;

import dev.millrace.engine.error.EngineException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes groups of sequences as far through a pipe as this node can, and hands them on. The same
 * machine runs at the origin and at every other node of a pipe, with all segments here or only
 * some; {@link PipeTransitionTable} says where each sequence goes. One thread at a time.
 */
public final class PipeProcessor {
  private final String node;
  private final @Nullable EmbeddingAndHead end;
  private final FrameTransport hop;
  private final StepExecutor steps;
  private final TransitionCounts tally = new TransitionCounts();
  private final KvPositionTracker fence;
  private final RowHashRecorder witness = new RowHashRecorder();
  private int stages;
  private List<String> others = List.of();

  /**
   * @param segments those that this node has
   * @param end null where this node is nobody's origin
   */
  public PipeProcessor(
      String node, List<Segment> segments, @Nullable EmbeddingAndHead end, FrameTransport hop) {
    this.node = node;
    this.end = end;
    this.hop = hop;
    steps = new StepExecutor(node, List.copyOf(segments), end, hop);
    fence = new KvPositionTracker(segments.stream().mapToInt(Segment::pages).min().orElse(0));
  }

  /** A processor with a whole model here; the segments cover its layers in order. */
  public static PipeProcessor local(List<Segment> segments, EmbeddingAndHead end) {
    List<Pipe.NodeLayers> stretches =
        segments.stream().map(s -> new Pipe.NodeLayers("here", s.from(), s.to())).toList();
    FrameTransport nowhere =
        (to, frame) -> {
          throw new IllegalStateException("no way to node " + to + ": this pipe is all here");
        };
    PipeProcessor processor = new PipeProcessor("here", segments, end, nowhere);
    processor.setPlan(new Pipe(1, "here", segments.getLast().to(), stretches));
    return processor;
  }

  /**
   * Goes by another plan from now on; null is none. What was kept for passages under a plan of
   * another epoch is forgotten.
   */
  public void setPlan(@Nullable Pipe plan) {
    if (plan == null || epoch() != plan.epoch()) {
      fence.clear();
      witness.clear();
    }
    steps.pipe = plan;
    stages = plan == null || !plan.isComplete() ? 0 : plan.nodeCount();
    others = plan == null ? List.of() : plan.otherNodes(node);
  }

  /** The epoch of the plan; -1 where there is none. */
  public long epoch() {
    return steps.pipe == null ? -1 : steps.pipe.epoch();
  }

  /**
   * At how many nodes sequences are computed by the plan; 0 where there is none, or an incomplete
   * one.
   */
  public int stages() {
    return stages;
  }

  /** The end; only an origin has one. */
  public EmbeddingAndHead end() {
    if (end == null) {
      throw new IllegalStateException("node " + node + " has no end");
    }
    return end;
  }

  public TransitionCounts transitionCounts() {
    return tally;
  }

  /** A walk at its beginning, with tokens to embed. */
  public SequenceStep newStep() {
    return new SequenceStep(ComputeStep.EMBED, 0, tally);
  }

  /**
   * At the origin: embeds a new turn's tokens and goes on as far as this node can. Afterwards each
   * run stands at HEAD, at EMBED because of more chunks, or is DONE: handed off, or ended. Never
   * throws for what a model or a hop does.
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
   * At the origin: a frame came of a group that was handed off. Says whether it brings the hidden
   * states, so that {@link #resume} may follow; else the group has ended. One that does not fit the
   * group, or the place where the plan has it come back, is as good as lost: the group is to be
   * computed again.
   */
  public boolean receiveReturned(SequenceGroup group, Frame frame) {
    try {
      Pipe plan = steps.pipe;
      if (plan != null && frame.kind() == Frame.Kind.STEP) {
        frame.returnTo(group, plan);
        return true;
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

  /** At the origin: goes on with a group that is back; ends as {@link #start} does. */
  public void resume(SequenceGroup group) {
    try {
      steps.validate(group);
      steps.advance(group);
    } catch (Throwable e) {
      group.fail(reason(e));
    }
  }

  /** Gives up a group that is away, on a condition that ends it: it will be answered no more. */
  public void abandon(SequenceGroup group, SequenceCondition condition, String reason) {
    for (int run = 0; run < group.size(); run++) {
      SequenceStep walk = group.sequence(run).step();
      if (isAway(walk)) {
        walk.restart(ComputeStep.HEAD, 0);
      }
      if (walk.state() != SequenceState.DONE) {
        walk.move(condition, reason);
      }
    }
  }

  /** A frame came of a group that nobody here knows any more. */
  public void countStrayFrame() {
    newStep().move(SequenceCondition.NO_SEQUENCE);
  }

  /**
   * At the other nodes: does what a frame asks. Throws for a frame that cannot be read, of which
   * nothing was done, and where the origin cannot be told what came of it.
   */
  public void receive(ByteBuffer bytes) {
    receive(new Frame(bytes));
  }

  /** As {@link #receive(ByteBuffer)}, of a frame whose head was read before. */
  public void receive(Frame frame) {
    switch (frame.kind()) {
      case STEP -> serve(frame);
      case FORGET -> forgotten(frame);
      case ENDED -> countStrayFrame();
    }
  }

  private void forgotten(Frame frame) {
    if (frame.epoch() == epoch()) {
      fence.forget(frame.group());
      witness.forget(frame.group());
    }
  }

  /** Norm and head of the runs that stand at HEAD, in their order. */
  public void head(SequenceGroup group, float[] logits) {
    int count = group.headCount();
    if (count > 0) {
      end().head(group.batch, group.headRows(), count, logits);
    }
  }

  /**
   * Tells the other nodes of the pipe that a passage is over; one that cannot be told learns it by
   * the next plan.
   */
  public void forget(long passage) {
    for (int i = 0; i < others.size(); i++) {
      try {
        hop.send(others.get(i), Frame.forget(passage, epoch()));
      } catch (RuntimeException e) {
        // a node that is lost keeps nothing
      }
    }
  }

  /** What this node noted of a recorded passage, by position; nothing where it was none. */
  public List<RowHashRecorder.RowHashes> rowHashes(long passage) {
    return witness.rows(passage);
  }

  /** How many passages this node keeps keys and values for, as a node that is not the origin. */
  public int passageCount() {
    return fence.size();
  }

  private void serve(Frame frame) {
    SequenceGroup group = frame.toGroup(tally);
    int layer = group.sequence(0).step().layer();
    if (!refused(group, frame.epoch())) {
      try {
        byte @Nullable [] @Nullable [] in = RowHashRecorder.hashes(group);
        steps.validate(group);
        steps.advance(group);
        // nobody would go on with what rests here
        group.fail("node %s is no origin, but its plan %d says so".formatted(node, frame.epoch()));
        witness.record(group, layer, in);
      } catch (Throwable e) {
        group.fail("node %s, from layer %d on: %s".formatted(node, layer, reason(e)));
      }
      if (group.isHandedOff()) {
        fence.recordDone(group);
      } else {
        fence.recordAborted(group);
      }
    }
    // what ended here without being handed off is the origin's to know
    StepEnding ending = group.sequence(0).step().ending();
    if (ending != null && !group.isHandedOff()) {
      hop.send(frame.origin(), Frame.ended(group.id(), frame.epoch(), ending));
    }
  }

  private boolean refused(SequenceGroup group, long epoch) {
    if (epoch() < epoch) {
      String reason = "node %s does not know plan %d".formatted(node, epoch);
      group.move(SequenceState.VALIDATING, SequenceCondition.PIPE_MISSING, reason);
      return true;
    }
    SequenceStep due = group.sequence(0).step();
    String refusal =
        epoch < epoch()
            ? "plan " + epoch + " is over"
            : due.computeStep() != ComputeStep.LAYER
                ? "a step of " + due.computeStep() + ", which is its origin's"
                : fence.check(group, due.layer());
    if (refusal != null) {
      group.move(
          SequenceState.VALIDATING,
          SequenceCondition.STEP_REFUSED,
          "node " + node + ": " + refusal);
    }
    return refusal != null;
  }

  private static boolean isAway(SequenceStep walk) {
    StepEnding ending = walk.ending();
    return ending != null && ending.kind() == StepEnding.Kind.HANDED_OFF;
  }

  /** What went wrong, in words. */
  public static String reason(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
