package dev.millrace.engine.pipe;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes groups of sequences as far through a pipe as this node can, and hands them on. It finds out
 * which condition holds; {@link PipeTable} says what follows. The same machine runs at the origin
 * and at every other node of a pipe, with all segments here or only some. One thread at a time.
 */
public final class PipeProcessor {
  private final String node;
  private final List<Segment> segments;
  private final @Nullable End end;
  private final Hop hop;
  private final Tally tally = new Tally();
  private final Fence fence = new Fence();
  private @Nullable Pipe pipe;

  /**
   * @param segments those that this node has
   * @param end null where this node is nobody's origin
   */
  public PipeProcessor(String node, List<Segment> segments, @Nullable End end, Hop hop) {
    this.node = node;
    this.segments = List.copyOf(segments);
    this.end = end;
    this.hop = hop;
  }

  /** A processor with a whole model here; the segments cover its layers in order. */
  public static PipeProcessor local(List<Segment> segments, End end) {
    List<Pipe.Stretch> stretches =
        segments.stream().map(s -> new Pipe.Stretch("here", s.from(), s.to())).toList();
    Hop nowhere =
        (to, frame) -> {
          throw new IllegalStateException("no way to node " + to + ": this pipe is all here");
        };
    PipeProcessor processor = new PipeProcessor("here", segments, end, nowhere);
    processor.plan(new Pipe(1, "here", segments.getLast().to(), stretches));
    return processor;
  }

  /** Goes by another plan from now on; null is none. */
  public void plan(@Nullable Pipe plan) {
    pipe = plan;
  }

  /** The end; only an origin has one. */
  public End end() {
    if (end == null) {
      throw new IllegalStateException("node " + node + " has no end");
    }
    return end;
  }

  public Tally tally() {
    return tally;
  }

  /** A walk at its beginning, with tokens to embed. */
  public Walk newWalk() {
    return new Walk(ComputeStep.EMBED, 0, tally);
  }

  /**
   * At the origin: embeds a new turn's tokens and goes on as far as this node can. Afterwards each
   * run stands at HEAD, at EMBED because of more chunks, or is DONE: handed off, or ended. Never
   * throws for what a model or a hop does.
   */
  public void start(Group group) {
    try {
      validate(group);
      embed(group);
      goOn(group);
    } catch (Throwable e) {
      group.fail(reason(e));
    }
  }

  /**
   * At the origin: goes on with a group that was handed off and of which a frame came; ends as
   * {@link #start} does.
   */
  public void resume(Group group, Frame frame) {
    try {
      if (frame.kind() == Frame.Kind.ENDED) {
        Ending ending = frame.ending();
        boolean released = ending.kind() == Ending.Kind.RELEASED;
        abandon(group, released ? Condition.STEP_REFUSED : Condition.STEP_FAILED, ending.reason());
        return;
      }
      frame.returnTo(group);
      validate(group);
      goOn(group);
    } catch (Throwable e) {
      abandon(group, Condition.STEP_FAILED, reason(e));
    }
  }

  /** Gives up a group that is away, on a condition that ends it: it will be answered no more. */
  public void abandon(Group group, Condition condition, String reason) {
    for (int run = 0; run < group.size(); run++) {
      Walk walk = group.traveller(run).walk();
      if (isAway(walk)) {
        walk.begin(ComputeStep.HEAD, 0);
      }
      if (walk.state() != SequenceState.DONE) {
        walk.move(condition, reason);
      }
    }
  }

  /** A frame came of a group that nobody here knows any more. */
  public void stray() {
    newWalk().move(Condition.NO_SEQUENCE);
  }

  /** At the other nodes: does what a frame asks. Throws only for a frame that cannot be read. */
  public void receive(ByteBuffer bytes) {
    Frame frame = new Frame(bytes);
    switch (frame.kind()) {
      case STEP -> serve(frame);
      case FORGET -> fence.forget(frame.group());
      case ENDED -> stray();
    }
  }

  /** Norm and head of the runs that stand at HEAD, in their order. */
  public void head(Group group, float[] logits) {
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
    Pipe plan = pipe;
    for (int i = 0; plan != null && i < plan.stretches().size(); i++) {
      String other = plan.stretches().get(i).node();
      if (!other.equals(node)) {
        try {
          hop.send(other, Frame.forget(passage, plan.epoch()));
        } catch (RuntimeException e) {
          // a node that is lost keeps nothing
        }
      }
    }
  }

  /** How many passages this node keeps keys and values for, as a node that is not the origin. */
  public int passages() {
    return fence.size();
  }

  private void serve(Frame frame) {
    Group group = frame.toGroup(tally);
    if (!refused(group, frame.epoch())) {
      try {
        validate(group);
        goOn(group);
        fence.done(group);
        // nobody would go on with what rests here
        group.fail("node %s is no origin, but its plan %d says so".formatted(node, frame.epoch()));
      } catch (Throwable e) {
        fence.brokenOff(group);
        group.fail(reason(e));
      }
    }
    // what ended here without being handed off is the origin's to know
    Walk walk = group.traveller(0).walk();
    Ending ending = walk.ending();
    if (ending != null && !isAway(walk)) {
      hop.send(frame.origin(), Frame.ended(group.id(), frame.epoch(), ending));
    }
  }

  private boolean refused(Group group, long epoch) {
    if (pipe == null || pipe.epoch() < epoch) {
      String reason = "node %s does not know plan %d".formatted(node, epoch);
      group.move(SequenceState.VALIDATING, Condition.PIPE_MISSING, reason);
      return true;
    }
    String refusal = epoch < pipe.epoch() ? "plan " + epoch + " is over" : fence.check(group);
    if (refusal != null) {
      group.move(SequenceState.VALIDATING, Condition.STEP_REFUSED, "node " + node + ": " + refusal);
    }
    return refusal != null;
  }

  private static boolean isAway(Walk walk) {
    Ending ending = walk.ending();
    return ending != null && ending.kind() == Ending.Kind.HANDED_OFF;
  }

  private void validate(Group group) {
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

  private void embed(Group group) {
    Batch batch = group.batch;
    for (int run = 0; run < group.size(); run++) {
      Traveller traveller = group.traveller(run);
      if (traveller.walk().state() == SequenceState.EMBED) {
        int first = group.firstPosition(run);
        end().embed(batch, batch.firstRow[run], traveller.tokens(), first, batch.rowCount[run]);
        traveller.walk().due(ComputeStep.LAYER, 0);
      }
    }
    @Nullable String next = pipe == null || !pipe.isComplete() ? null : pipe.nodeOf(0);
    group.move(
        SequenceState.EMBED, next == null ? Condition.NO_MODEL_FOR_LAYER : whither(next), "");
  }

  /** Layers, as long as they are here; then off to where the rest is. */
  private void goOn(Group group) {
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
    hop.send(to, Frame.step(group, pipe));
    group.move(SequenceState.SEND, Condition.SENT, "");
  }

  /** What went wrong, in words. */
  public static String reason(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
