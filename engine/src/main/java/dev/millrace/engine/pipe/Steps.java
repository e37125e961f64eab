package dev.millrace.engine.pipe;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a walk that one node can make, for all runs of a group: it validates, embeds, goes
 * through the layers that are here, and sends on. It finds out which condition holds; {@link
 * PipeTable} says what follows.
 */
final class Steps {
  private final String node;
  private final List<Segment> segments;
  private final @Nullable End end;
  private final Hop hop;

  /** The plan by which it goes; null is none. */
  @Nullable Pipe pipe;

  Steps(String node, List<Segment> segments, @Nullable End end, Hop hop) {
    this.node = node;
    this.segments = segments;
    this.end = end;
    this.hop = hop;
  }

  void validate(Group group) {
    for (int run = 0; run < group.size(); run++) {
      Walk walk = group.traveller(run).walk();
      if (walk.state() == SequenceState.VALIDATING) {
        walk.move(found(walk, group.moreChunks(run)));
      }
    }
  }

  private Condition found(Walk walk, boolean moreChunks) {
    if (pipe == null) {
      return Condition.PIPE_MISSING;
    }
    if (!pipe.isComplete()) {
      return Condition.PIPE_INCOMPLETE;
    }
    boolean origin = pipe.origin().equals(node);
    return switch (walk.step()) {
      case LAYER -> Condition.LAYERS_DUE;
      case TOKENIZE, EMBED -> origin ? Condition.EMBED_DUE : Condition.EMBED_DUE_ELSEWHERE;
      case NORM, HEAD ->
          !origin
              ? Condition.NOT_ORIGIN_FOR_HEAD
              : end == null
                  ? Condition.END_MISSING
                  : moreChunks ? Condition.CHUNK_DUE : Condition.HEAD_DUE;
    };
  }

  void embed(Group group, End with) {
    Batch batch = group.batch;
    for (int run = 0; run < group.size(); run++) {
      Traveller traveller = group.traveller(run);
      if (traveller.walk().state() == SequenceState.EMBED) {
        int first = group.firstPosition(run);
        with.embed(batch, batch.firstRow[run], traveller.tokens(), first, batch.rowCount[run]);
        traveller.walk().due(ComputeStep.LAYER, 0);
      }
    }
    @Nullable String next = pipe == null || !pipe.isComplete() ? null : pipe.nodeOf(0);
    group.move(
        SequenceState.EMBED, next == null ? Condition.NO_MODEL_FOR_LAYER : whither(next), "");
  }

  /** Layers, as long as they are here; then off to where the rest is. */
  void goOn(Group group) {
    int layer = layerOf(group);
    while (layer >= 0) {
      Segment segment = segmentAt(layer);
      if (segment == null || pipe == null) {
        String reason = "node " + node + " has no segment that begins with layer " + layer;
        group.move(SequenceState.PROCESS_LAYERS, Condition.NO_LOCAL_SEGMENT, reason);
        break;
      }
      segment.forward(group.batch);
      leave(group, segment, pipe);
      layer = layerOf(group);
    }
    send(group);
  }

  /** The layer at which the group stands; -1 where it does not stand at layers. */
  private static int layerOf(Group group) {
    for (int run = 0; run < group.size(); run++) {
      Walk walk = group.traveller(run).walk();
      if (walk.state() == SequenceState.PROCESS_LAYERS) {
        return walk.layer();
      }
    }
    return -1;
  }

  private void leave(Group group, Segment segment, Pipe plan) {
    boolean all = segment.to() == plan.layers();
    boolean origin = plan.origin().equals(node);
    @Nullable String next = all ? null : plan.nodeOf(segment.to());
    for (int run = 0; run < group.size(); run++) {
      Walk walk = group.traveller(run).walk();
      if (walk.state() != SequenceState.PROCESS_LAYERS) {
        continue;
      }
      if (!all) {
        walk.due(ComputeStep.LAYER, segment.to());
        walk.move(next == null ? Condition.NO_LOCAL_SEGMENT : whither(next));
      } else if (!origin) {
        walk.due(ComputeStep.HEAD, segment.to());
        walk.move(Condition.ALL_LAYERS_DONE_ELSEWHERE);
      } else if (group.moreChunks(run)) {
        walk.due(ComputeStep.EMBED, 0);
        walk.move(Condition.ALL_LAYERS_DONE_MORE_CHUNKS);
      } else {
        walk.due(ComputeStep.HEAD, segment.to());
        walk.move(Condition.ALL_LAYERS_DONE);
      }
    }
  }

  private Condition whither(String next) {
    return next.equals(node) ? Condition.NEXT_LOCAL : Condition.NEXT_REMOTE;
  }

  private @Nullable Segment segmentAt(int layer) {
    for (int i = 0; i < segments.size(); i++) {
      if (segments.get(i).from() == layer) {
        return segments.get(i);
      }
    }
    return null;
  }

  private void send(Group group) {
    Walk walk = group.traveller(0).walk();
    if (pipe == null || walk.state() != SequenceState.SEND) {
      return;
    }
    boolean layers = walk.step() == ComputeStep.LAYER;
    String to = layers ? pipe.nodeOf(walk.layer()) : pipe.origin();
    if (to == null) {
      throw new IllegalStateException("no node has layer " + walk.layer());
    }
    try {
      hop.send(to, Frame.step(group, pipe));
      group.move(SequenceState.SEND, Condition.SENT, "");
    } catch (RuntimeException e) {
      group.move(SequenceState.SEND, Condition.UNREACHED, PipeProcessor.reason(e));
    }
  }
}
