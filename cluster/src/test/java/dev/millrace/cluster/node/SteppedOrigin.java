package dev.millrace.cluster.node;

import dev.millrace.cluster.internal.layers.FakeLoadedLayers;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.AuditRecords;
import dev.millrace.cluster.internal.protocol.OpenSessionRequest;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.pipe.EmbeddingAndHead;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.PipeSequence;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.pipe.SequenceCondition;
import dev.millrace.engine.internal.pipe.SequenceGroup;
import dev.millrace.engine.internal.pipe.SequenceStep;
import dev.millrace.engine.internal.pipe.StepEnding;
import dev.millrace.engine.internal.sample.Sampler;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.stream.IntStream;

/** An origin that runs one sequence at a time, step by step. */
final class SteppedOrigin {
  static final int[] PROMPT = {5, 9, 17, 30, 44};
  static final int[] OTHER_PROMPT = {101, 7, 8, 90, 21, 66};

  /** Tokens that tests generate. */
  static final int COUNT = 12;

  /** What the model generates in one process. */
  static int[] alone(int[] prompt) {
    return FakeLoadedLayers.MODEL.alone(prompt, Sampling.greedy(), COUNT);
  }

  /** The sequence. */
  private final class SequenceState implements PipeSequence {
    final SequenceStep step = processor.newStep();
    int[] tokens;
    final int[] pages = IntStream.range(0, 8).toArray();

    @Override
    public SequenceStep step() {
      return step;
    }

    @Override
    public long passage() {
      return passage;
    }

    @Override
    public int base() {
      return 0;
    }

    @Override
    public int[] tokens() {
      return tokens;
    }

    @Override
    public int[] pages() {
      return pages;
    }

    @Override
    public boolean isRecorded() {
      return recorded;
    }
  }

  final String name;
  final InMemoryNodes nodes;
  final InMemoryNodes.MessageRecorder recorder;
  final long session;
  final Pipe plan;
  final PipeProcessor processor;
  private final EmbeddingAndHead end = FakeLoadedLayers.MODEL.end();
  private final Queue<ByteBuffer> sent = new ArrayDeque<>();
  boolean recorded;
  private long passage = 5;
  private long turn;

  SteppedOrigin(InMemoryNodes nodes, String name, long session, String plan) {
    this.nodes = nodes;
    this.name = name;
    this.session = session;
    this.recorder = nodes.recorder(name);
    this.plan = InMemoryNodes.plan(7, name, plan);
    List<Segment> own =
        this.plan.nodeLayers().stream()
            .filter(s -> s.node().equals(name))
            .map(s -> FakeLoadedLayers.MODEL.segment(8, s.from(), s.to()))
            .toList();
    processor = new PipeProcessor(name, own, end, this::send);
    processor.setPlan(this.plan);
  }

  private void send(String to, ByteBuffer frame) {
    sent.add(frame.duplicate());
    nodes.send(name, to, new NodeMessage(Kind.FRAME, session, frame));
  }

  /** The frame that was sent last. */
  ByteBuffer lastSent() {
    ByteBuffer last = null;
    for (ByteBuffer frame : sent) {
      last = frame;
    }
    byte[] bytes = new byte[last.remaining()];
    last.duplicate().get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  OpenSessionRequest opening() {
    return InMemoryNodes.opening(plan);
  }

  /** Opens the session at all nodes of the plan. */
  void open() {
    plan.nodeLayers().stream()
        .map(Pipe.NodeLayers::node)
        .filter(node -> !node.equals(name))
        .distinct()
        .forEach(
            node -> {
              nodes.open(name, node, session, opening());
              recorder.next(Kind.OPENED);
            });
  }

  void close(String node) {
    nodes.send(name, node, Kind.CLOSE, session, ByteBuffer.allocate(0));
    nodes.work();
  }

  /** A sequence that is computed on demand. */
  Sequence begin(int[] prompt) {
    return new Sequence(prompt);
  }

  /** The tokens that follow a prompt. */
  int[] generate(int[] prompt, int count) {
    Sequence sequence = begin(prompt);
    for (int i = 0; i < count; i++) {
      sequence.step();
      nodes.work();
      sequence.finish();
    }
    forget();
    return sequence.generated();
  }

  /** The sequence has ended. */
  void forget() {
    processor.forget(passage++);
    nodes.work();
  }

  /** The audit records of a node for the first sequence. */
  AuditRecords records(String node) {
    nodes.send(name, node, Kind.RECORDS_ASKED, session, WireCodec.encode(5L));
    nodes.work();
    return AuditRecords.decode(recorder.next(Kind.RECORDS).body());
  }

  /** One sequence and the group that it goes in. */
  final class Sequence {
    private final SequenceGroup group = new SequenceGroup(end.width(), 64, 1);
    private final SequenceState sequenceState = new SequenceState();
    private final Sampler sampler = new Sampler(Sampling.greedy(), end.vocabulary());
    private final int prompt;
    private int known;
    private int done;

    Sequence(int[] prompt) {
      this.prompt = prompt.length;
      this.known = prompt.length;
      sequenceState.tokens = Arrays.copyOf(prompt, prompt.length + 64);
    }

    /** Sends the next rows away. */
    void step() {
      group.open(++turn);
      group.add(sequenceState, done, known - done, false);
      processor.start(group);
    }

    /** Handles the next message; returns the ending of the step, null if it has a token. */
    StepEnding finish() {
      NodeMessage message = recorder.next(Kind.FRAME);
      if (processor.receiveReturned(group, new Frame(message.body()))) {
        processor.resume(group);
      }
      StepEnding ending = sequenceState.step.ending();
      if (ending == null) {
        float[] logits = new float[end.vocabulary()];
        processor.head(group, logits);
        sequenceState.tokens[known] =
            sampler.choose(logits, 0, logits.length, null, sequenceState.tokens, known, known);
        done = known++;
        sequenceState.step.move(SequenceCondition.MORE_TOKENS);
      }
      return ending;
    }

    int[] generated() {
      return Arrays.copyOfRange(sequenceState.tokens, prompt, known);
    }
  }
}
