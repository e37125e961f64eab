package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.protocol.SessionParameters;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.EmbeddingAndHead;
import dev.millrace.engine.internal.pipe.Frame;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.pipe.Pipe;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.pipe.PipeSequence;
import dev.millrace.engine.internal.pipe.Segment;
import dev.millrace.engine.internal.pipe.SequenceGroup;
import dev.millrace.engine.internal.pipe.SequenceStep;
import dev.millrace.engine.internal.pipe.StepEnding;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Replays layers of a sequence on a node that holds them, in a session that looks to the node like
 * any other: the rows are sent as if this origin had computed the layers before.
 */
public final class RemoteReplay {
  private static final int ROWS = LocalReplay.ROWS;

  /** One step is in flight at a time, so more unread messages than this are too many. */
  private static final int MAX_UNREAD = 4;

  private final String origin;
  private final int layers;
  private final SessionParameters parameters;
  private final BiConsumer<String, NodeMessage> sender;
  private final String holder;
  private final long session;
  private final BlockingQueue<NodeMessage> messages = new ArrayBlockingQueue<>(MAX_UNREAD);

  public RemoteReplay(
      String origin,
      int layers,
      SessionParameters parameters,
      BiConsumer<String, NodeMessage> sender,
      String holder,
      long session) {
    this.origin = origin;
    this.layers = layers;
    this.parameters = parameters;
    this.sender = sender;
    this.holder = holder;
    this.session = session;
  }

  long session() {
    return session;
  }

  /** A message of this session has come. Any thread. */
  void received(String from, NodeMessage message) {
    if (from.equals(holder)) {
      messages.offer(message);
    }
  }

  /** No message will come any more. Any thread. */
  void lost(String node, String why) {
    if (node.equals(holder)) {
      messages.offer(
          new NodeMessage(Kind.REFUSED, session, WireCodec.encode("the link is lost: " + why)));
    }
  }

  /** The output of layers [from, to) for these rows, by {@code deadline} (nanoTime). */
  HiddenStates replay(int from, int to, HiddenStates in, long deadline)
      throws ReplayFailedException, InterruptedException {
    Pipe plan = plan(from, to);
    SessionParameters asked = parameters.forReplay(KvPageSize.countFor(in.count()), ROWS);
    send(Kind.OPEN, WireCodec.encode(asked.openRequest(plan)));
    try {
      await(Kind.OPENED, deadline);
      return run(plan, from, to, in, deadline);
    } finally {
      send(Kind.CLOSE, ByteBuffer.allocate(0));
    }
  }

  private Pipe plan(int from, int to) {
    List<NodeLayers> stretches = new ArrayList<>();
    if (from > 0) {
      stretches.add(new NodeLayers(origin, 0, from));
    }
    stretches.add(new NodeLayers(holder, from, to));
    if (to < layers) {
      stretches.add(new NodeLayers(origin, to, layers));
    }
    return new Pipe(1, origin, layers, stretches);
  }

  private HiddenStates run(Pipe plan, int from, int to, HiddenStates in, long deadline)
      throws ReplayFailedException, InterruptedException {
    List<Segment> around = new ArrayList<>();
    if (from > 0) {
      around.add(new SkippedLayers(0, from));
    }
    if (to < layers) {
      around.add(new SkippedLayers(to, layers));
    }
    PipeProcessor processor =
        new PipeProcessor(
            origin, around, new KnownRows(in), (node, frame) -> send(Kind.FRAME, frame));
    processor.setPlan(plan);
    ReplayedSequence sequence =
        new ReplayedSequence(processor.newStep(), KvPageSize.countFor(in.count()));
    SequenceGroup group = new SequenceGroup(in.width(), ROWS, 1);
    HiddenStates out = new HiddenStates(in.width());
    for (int first = 0; first < in.count(); first += ROWS) {
      group.open(1 + first / ROWS);
      // as if more rows followed, so that the head is never computed
      group.add(sequence, first, Math.min(ROWS, in.count() - first), true);
      processor.start(group);
      check(group, true);
      if (processor.receiveReturned(group, frame(await(Kind.FRAME, deadline)))) {
        processor.resume(group);
      }
      check(group, false);
      for (int i = 0; i < group.batch.rows; i++) {
        out.add(first + i, group.batch.hidden, i * in.width());
      }
    }
    return out;
  }

  private static Frame frame(NodeMessage message) throws ReplayFailedException {
    try {
      return new Frame(message.body());
    } catch (EngineException e) {
      throw new ReplayFailedException(e.getMessage());
    }
  }

  private void check(SequenceGroup group, boolean away) throws ReplayFailedException {
    if (group.isHandedOff() != away) {
      throw failed("the step is in a wrong place");
    }
    StepEnding ending = group.step(0).ending();
    if (!away && ending != null) {
      throw failed(ending.reason());
    }
  }

  private NodeMessage await(Kind kind, long deadline)
      throws ReplayFailedException, InterruptedException {
    NodeMessage message = messages.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    if (message == null) {
      throw failed("no answer in time");
    }
    if (message.kind() != kind) {
      throw failed(message.kind() == Kind.REFUSED ? reason(message) : "sent " + message.kind());
    }
    return message;
  }

  private static String reason(NodeMessage message) {
    try {
      return WireCodec.decodeTexts(message.body(), 1).getFirst();
    } catch (ClusterException e) {
      return e.getMessage();
    }
  }

  private ReplayFailedException failed(String why) {
    return new ReplayFailedException("node %s could not replay it: %s".formatted(holder, why));
  }

  private void send(Kind kind, ByteBuffer body) {
    sender.accept(holder, new NodeMessage(kind, session, body));
  }

  /** Stands for layers whose results are known. */
  private record SkippedLayers(int from, int to) implements Segment {
    @Override
    public void forward(Batch batch) {}
  }

  /** Returns the known rows instead of embeddings. */
  private record KnownRows(HiddenStates rows) implements EmbeddingAndHead {
    @Override
    public int vocabulary() {
      return 1;
    }

    @Override
    public int width() {
      return rows.width();
    }

    @Override
    public void embed(Batch batch, int row, int[] tokens, int offset, int count) {
      for (int i = 0; i < count; i++) {
        rows.copyTo(offset + i, batch.hidden, (row + i) * rows.width());
      }
    }

    @Override
    public void head(Batch batch, int[] rows, int count, float[] logits) {
      throw new IllegalStateException("a replay has no head");
    }

    @Override
    public void norm(Batch batch, int row, float[] out, int offset) {
      throw new IllegalStateException("a replay has no norm");
    }
  }

  /** The sequence as the node sees it. */
  private static final class ReplayedSequence implements PipeSequence {
    private final SequenceStep sequenceStep;
    private final int[] pages;

    ReplayedSequence(SequenceStep sequenceStep, int count) {
      this.sequenceStep = sequenceStep;
      pages = new int[count];
      for (int i = 0; i < count; i++) {
        pages[i] = i;
      }
    }

    @Override
    public SequenceStep step() {
      return sequenceStep;
    }

    @Override
    public long passage() {
      return 1;
    }

    @Override
    public int base() {
      return 0;
    }

    @Override
    public int[] tokens() {
      return new int[0]; // embedding needs none
    }

    @Override
    public int[] pages() {
      return pages;
    }
  }
}
