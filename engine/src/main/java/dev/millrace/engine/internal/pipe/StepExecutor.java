package dev.millrace.engine.internal.pipe;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executes the part of a step that one node can do, for all runs of a group: it validates, embeds,
 * computes the layers that are here, and sends the group on. It finds out which condition holds;
 * {@link PipeTransitionTable} says what follows.
 */
final class StepExecutor {
  private final String node;
  private final List<Segment> segments;
  private final @Nullable EmbeddingAndHead end;
  private final FrameTransport transport;

  /** The current plan; null is none. */
  @Nullable Pipe pipe;

  StepExecutor(
      String node,
      List<Segment> segments,
      @Nullable EmbeddingAndHead end,
      FrameTransport transport) {
    this.node = node;
    this.segments = segments;
    this.end = end;
    this.transport = transport;
  }

  void validate(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      SequenceStep step = group.step(run);
      if (step.state() == SequenceState.VALIDATING) {
        step.move(found(group, run));
      }
    }
  }

  private SequenceCondition found(SequenceGroup group, int run) {
    if (pipe == null) {
      return SequenceCondition.PIPE_MISSING;
    }
    if (!pipe.isComplete()) {
      return SequenceCondition.PIPE_INCOMPLETE;
    }
    boolean origin = pipe.origin().equals(node);
    return switch (group.step(run).nextComputation()) {
      case LAYER -> SequenceCondition.LAYERS_DUE;
      case TOKENIZE, EMBED ->
          origin ? SequenceCondition.EMBED_DUE : SequenceCondition.EMBED_DUE_ELSEWHERE;
      case NORM, HEAD ->
          !origin
              ? SequenceCondition.NOT_ORIGIN_FOR_HEAD
              : end == null
                  ? SequenceCondition.END_MISSING
                  : !group.hasMoreChunks(run)
                      ? SequenceCondition.HEAD_DUE
                      : group.isOvertaken(run)
                          ? SequenceCondition.NEXT_CHUNK_BEGUN
                          : SequenceCondition.CHUNK_DUE;
    };
  }

  void embed(SequenceGroup group, EmbeddingAndHead with) {
    Batch batch = group.batch;
    for (int run = 0; run < group.size(); run++) {
      PipeSequence sequence = group.sequence(run);
      SequenceStep step = group.step(run);
      if (step.state() == SequenceState.EMBED) {
        int first = group.firstPosition(run);
        with.embed(batch, batch.firstRow[run], sequence.tokens(), first, batch.rowCount[run]);
        step.setDue(NextComputation.LAYER, 0);
      }
    }
    @Nullable String next = pipe == null || !pipe.isComplete() ? null : pipe.nodeOf(0);
    group.move(
        SequenceState.EMBED,
        next == null ? SequenceCondition.NO_MODEL_FOR_LAYER : sendCondition(next),
        "");
  }

  /** Computes layers as long as they are here; then sends the group to the next node. */
  void advance(SequenceGroup group) {
    int layer = layerOf(group);
    while (layer >= 0) {
      Segment segment = segmentAt(layer);
      if (segment == null || pipe == null) {
        String reason = "node " + node + " has no segment that begins with layer " + layer;
        group.move(SequenceState.PROCESS_LAYERS, SequenceCondition.NO_LOCAL_SEGMENT, reason);
        break;
      }
      segment.forward(group.batch);
      leave(group, segment, pipe);
      layer = layerOf(group);
    }
    send(group);
  }

  /** The next layer of the group; -1 if no layer is next. */
  private static int layerOf(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      SequenceStep step = group.step(run);
      if (step.state() == SequenceState.PROCESS_LAYERS) {
        return step.layer();
      }
    }
    return -1;
  }

  private void leave(SequenceGroup group, Segment segment, Pipe plan) {
    boolean all = segment.to() == plan.layers();
    boolean origin = plan.origin().equals(node);
    @Nullable String next = all ? null : plan.nodeOf(segment.to());
    for (int run = 0; run < group.size(); run++) {
      SequenceStep step = group.step(run);
      if (step.state() != SequenceState.PROCESS_LAYERS) {
        continue;
      }
      if (!all) {
        step.setDue(NextComputation.LAYER, segment.to());
        step.move(next == null ? SequenceCondition.NO_LOCAL_SEGMENT : sendCondition(next));
      } else if (!origin) {
        step.setDue(NextComputation.HEAD, segment.to());
        step.move(SequenceCondition.ALL_LAYERS_DONE_ELSEWHERE);
      } else if (group.hasMoreChunks(run)) {
        step.setDue(NextComputation.EMBED, 0);
        step.move(
            group.isOvertaken(run)
                ? SequenceCondition.NEXT_CHUNK_BEGUN
                : SequenceCondition.ALL_LAYERS_DONE_MORE_CHUNKS);
      } else {
        step.setDue(NextComputation.HEAD, segment.to());
        step.move(SequenceCondition.ALL_LAYERS_DONE);
      }
    }
  }

  private SequenceCondition sendCondition(String next) {
    return next.equals(node) ? SequenceCondition.NEXT_LOCAL : SequenceCondition.NEXT_REMOTE;
  }

  private @Nullable Segment segmentAt(int layer) {
    for (int i = 0; i < segments.size(); i++) {
      if (segments.get(i).from() == layer) {
        return segments.get(i);
      }
    }
    return null;
  }

  private void send(SequenceGroup group) {
    SequenceStep step = group.step(0);
    if (pipe == null || step.state() != SequenceState.SEND) {
      return;
    }
    boolean layers = step.nextComputation() == NextComputation.LAYER;
    String to = layers ? pipe.nodeOf(step.layer()) : pipe.origin();
    if (to == null) {
      throw new IllegalStateException("no node has layer " + step.layer());
    }
    try {
      transport.send(to, Frame.step(group, pipe));
      group.move(SequenceState.SEND, SequenceCondition.SENT, "");
    } catch (RuntimeException e) {
      group.move(SequenceState.SEND, SequenceCondition.UNREACHED, PipeProcessor.reason(e));
    }
  }
}
