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

/** An origin of one sequence at a time, step by step. */
final class SteppedOrigin {
  /** The sequence. */
  private final class Guest implements PipeSequence {
    final SequenceStep walk = processor.newStep();
    int[] tokens;
    final int[] pages = IntStream.range(0, 8).toArray();

    @Override
    public SequenceStep step() {
      return walk;
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
  final InMemoryNodes town;
  final InMemoryNodes.Ear ear;
  final long session;
  final Pipe plan;
  final PipeProcessor processor;
  private final EmbeddingAndHead end = FakeLoadedLayers.MODEL.end();
  private final Queue<ByteBuffer> sent = new ArrayDeque<>();
  boolean recorded;
  private long passage = 5;
  private long turn;

  SteppedOrigin(InMemoryNodes town, String name, long session, String nodes) {
    this.town = town;
    this.name = name;
    this.session = session;
    this.ear = town.ear(name);
    this.plan = InMemoryNodes.plan(7, name, nodes);
    List<Segment> own =
        plan.nodeLayers().stream()
            .filter(s -> s.node().equals(name))
            .map(s -> FakeLoadedLayers.MODEL.segment(8, s.from(), s.to()))
            .toList();
    processor = new PipeProcessor(name, own, end, this::send);
    processor.setPlan(plan);
  }

  private void send(String to, ByteBuffer frame) {
    sent.add(frame.duplicate());
    town.send(name, to, new NodeMessage(Kind.FRAME, session, frame));
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
              town.open(name, node, session, opening());
              ear.next(Kind.OPENED);
            });
  }

  void close(String node) {
    town.send(name, node, Kind.CLOSE, session, ByteBuffer.allocate(0));
    town.work();
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
      town.work();
      sequence.finish();
    }
    forget();
    return sequence.generated();
  }

  /** The passage is over. */
  void forget() {
    processor.forget(passage++);
    town.work();
  }

  /** What a node noted of the first passage. */
  AuditRecords records(String node) {
    town.send(name, node, Kind.RECORDS_ASKED, session, WireCodec.encode(5L));
    town.work();
    return AuditRecords.decode(ear.next(Kind.RECORDS).body());
  }

  /** One sequence and the group that it goes in. */
  final class Sequence {
    private final SequenceGroup group = new SequenceGroup(end.width(), 64, 1);
    private final Guest guest = new Guest();
    private final Sampler sampler = new Sampler(Sampling.greedy(), end.vocabulary());
    private final int prompt;
    private int known;
    private int done;

    Sequence(int[] prompt) {
      this.prompt = prompt.length;
      this.known = prompt.length;
      guest.tokens = Arrays.copyOf(prompt, prompt.length + 64);
    }

    /** Sends the next rows away. */
    void step() {
      group.open(++turn);
      group.add(guest, done, known - done, false);
      processor.start(group);
    }

    /** What the next message brings; the walk's ending, where it was none of tokens. */
    StepEnding finish() {
      NodeMessage message = ear.next(Kind.FRAME);
      if (processor.receiveReturned(group, new Frame(message.body()))) {
        processor.resume(group);
      }
      StepEnding ending = guest.walk.ending();
      if (ending == null) {
        float[] logits = new float[end.vocabulary()];
        processor.head(group, logits);
        guest.tokens[known] =
            sampler.choose(logits, 0, logits.length, null, guest.tokens, known, known);
        done = known++;
        guest.walk.move(SequenceCondition.MORE_TOKENS);
      }
      return ending;
    }

    int[] generated() {
      return Arrays.copyOfRange(guest.tokens, prompt, known);
    }
  }
}
