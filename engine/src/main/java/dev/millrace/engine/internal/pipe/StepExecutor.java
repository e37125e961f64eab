package dev.millrace.engine.internal.pipe;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a walk that one node can make, for all runs of a group: it validates, embeds, goes
 * through the layers that are here, and sends on. It finds out which condition holds; {@link
 * PipeTransitionTable} says what follows.
 */
final class StepExecutor {
  private final String node;
  private final List<Segment> segments;
  private final @Nullable EmbeddingAndHead end;
  private final FrameTransport hop;

  /** The plan by which it goes; null is none. */
  @Nullable Pipe pipe;

  StepExecutor(
      String node, List<Segment> segments, @Nullable EmbeddingAndHead end, FrameTransport hop) {
    this.node = node;
    this.segments = segments;
    this.end = end;
    this.hop = hop;
  }

  void validate(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      SequenceStep walk = group.sequence(run).step();
      if (walk.state() == SequenceState.VALIDATING) {
        walk.move(found(walk, group.hasMoreChunks(run)));
      }
    }
  }

  private SequenceCondition found(SequenceStep walk, boolean moreChunks) {
    if (pipe == null) {
      return SequenceCondition.PIPE_MISSING;
    }
    if (!pipe.isComplete()) {
      return SequenceCondition.PIPE_INCOMPLETE;
    }
    boolean origin = pipe.origin().equals(node);
    return switch (walk.computeStep()) {
      case LAYER -> SequenceCondition.LAYERS_DUE;
      case TOKENIZE, EMBED ->
          origin ? SequenceCondition.EMBED_DUE : SequenceCondition.EMBED_DUE_ELSEWHERE;
      case NORM, HEAD ->
          !origin
              ? SequenceCondition.NOT_ORIGIN_FOR_HEAD
              : end == null
                  ? SequenceCondition.END_MISSING
                  : moreChunks ? SequenceCondition.CHUNK_DUE : SequenceCondition.HEAD_DUE;
    };
  }

  void embed(SequenceGroup group, EmbeddingAndHead with) {
    Batch batch = group.batch;
    for (int run = 0; run < group.size(); run++) {
      PipeSequence traveller = group.sequence(run);
      if (traveller.step().state() == SequenceState.EMBED) {
        int first = group.firstPosition(run);
        with.embed(batch, batch.firstRow[run], traveller.tokens(), first, batch.rowCount[run]);
        traveller.step().setDue(ComputeStep.LAYER, 0);
      }
    }
    @Nullable String next = pipe == null || !pipe.isComplete() ? null : pipe.nodeOf(0);
    group.move(
        SequenceState.EMBED,
        next == null ? SequenceCondition.NO_MODEL_FOR_LAYER : whither(next),
        "");
  }

  /** Layers, as long as they are here; then off to where the rest is. */
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

  /** The layer at which the group stands; -1 where it does not stand at layers. */
  private static int layerOf(SequenceGroup group) {
    for (int run = 0; run < group.size(); run++) {
      SequenceStep walk = group.sequence(run).step();
      if (walk.state() == SequenceState.PROCESS_LAYERS) {
        return walk.layer();
      }
    }
    return -1;
  }

  private void leave(SequenceGroup group, Segment segment, Pipe plan) {
    boolean all = segment.to() == plan.layers();
    boolean origin = plan.origin().equals(node);
    @Nullable String next = all ? null : plan.nodeOf(segment.to());
    for (int run = 0; run < group.size(); run++) {
      SequenceStep walk = group.sequence(run).step();
      if (walk.state() != SequenceState.PROCESS_LAYERS) {
        continue;
      }
      if (!all) {
        walk.setDue(ComputeStep.LAYER, segment.to());
        walk.move(next == null ? SequenceCondition.NO_LOCAL_SEGMENT : whither(next));
      } else if (!origin) {
        walk.setDue(ComputeStep.HEAD, segment.to());
        walk.move(SequenceCondition.ALL_LAYERS_DONE_ELSEWHERE);
      } else if (group.hasMoreChunks(run)) {
        walk.setDue(ComputeStep.EMBED, 0);
        walk.move(SequenceCondition.ALL_LAYERS_DONE_MORE_CHUNKS);
      } else {
        walk.setDue(ComputeStep.HEAD, segment.to());
        walk.move(SequenceCondition.ALL_LAYERS_DONE);
      }
    }
  }

  private SequenceCondition whither(String next) {
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
    SequenceStep walk = group.sequence(0).step();
    if (pipe == null || walk.state() != SequenceState.SEND) {
      return;
    }
    boolean layers = walk.computeStep() == ComputeStep.LAYER;
    String to = layers ? pipe.nodeOf(walk.layer()) : pipe.origin();
    if (to == null) {
      throw new IllegalStateException("no node has layer " + walk.layer());
    }
    try {
      hop.send(to, Frame.step(group, pipe));
      group.move(SequenceState.SEND, SequenceCondition.SENT, "");
    } catch (RuntimeException e) {
      group.move(SequenceState.SEND, SequenceCondition.UNREACHED, PipeProcessor.reason(e));
    }
  }
}
