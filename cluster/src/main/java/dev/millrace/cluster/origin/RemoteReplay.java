package dev.millrace.cluster.origin;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.End;
import dev.millrace.engine.pipe.Ending;
import dev.millrace.engine.pipe.Frame;
import dev.millrace.engine.pipe.Group;
import dev.millrace.engine.pipe.Pages;
import dev.millrace.engine.pipe.Pipe;
import dev.millrace.engine.pipe.Pipe.Stretch;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.pipe.Traveller;
import dev.millrace.engine.pipe.Walk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Has layers of a sequence computed by a node that holds them, in a session of its own that is to
 * the node as any other: the rows go there as if this origin had computed what comes before.
 */
final class RemoteReplay {
  private static final int ROWS = LocalReplay.ROWS;

  /** One step is under way at a time: whoever has more to say than this says too much. */
  private static final int UNREAD = 4;

  private final String origin;
  private final int layers;
  private final Terms terms;
  private final BiConsumer<String, Message> post;
  private final String holder;
  private final long session;
  private final BlockingQueue<Message> inbox = new ArrayBlockingQueue<>(UNREAD);

  RemoteReplay(
      String origin,
      int layers,
      Terms terms,
      BiConsumer<String, Message> post,
      String holder,
      long session) {
    this.origin = origin;
    this.layers = layers;
    this.terms = terms;
    this.post = post;
    this.holder = holder;
    this.session = session;
  }

  long session() {
    return session;
  }

  /** Something came for this session. Any thread. */
  void received(String from, Message message) {
    if (from.equals(holder)) {
      inbox.offer(message);
    }
  }

  /** Nothing will come any more. Any thread. */
  void lost(String node, String why) {
    if (node.equals(holder)) {
      inbox.offer(new Message(Kind.REFUSED, session, Codec.encode("the link is lost: " + why)));
    }
  }

  /** What layers [from, to) make of these rows at that node, by {@code deadline} of nanoTime. */
  Rows replay(int from, int to, Rows in, long deadline) throws ReplayFailed, InterruptedException {
    Pipe plan = plan(from, to);
    Terms asked = terms.replay(Pages.holding(in.count()), ROWS);
    send(Kind.OPEN, Codec.encode(asked.opening(plan)));
    try {
      await(Kind.OPENED, deadline);
      return run(plan, from, to, in, deadline);
    } finally {
      send(Kind.CLOSE, ByteBuffer.allocate(0));
    }
  }

  private Pipe plan(int from, int to) {
    List<Stretch> stretches = new ArrayList<>();
    if (from > 0) {
      stretches.add(new Stretch(origin, 0, from));
    }
    stretches.add(new Stretch(holder, from, to));
    if (to < layers) {
      stretches.add(new Stretch(origin, to, layers));
    }
    return new Pipe(1, origin, layers, stretches);
  }

  private Rows run(Pipe plan, int from, int to, Rows in, long deadline)
      throws ReplayFailed, InterruptedException {
    List<Segment> around = new ArrayList<>();
    if (from > 0) {
      around.add(new Nothing(0, from));
    }
    if (to < layers) {
      around.add(new Nothing(to, layers));
    }
    PipeProcessor processor =
        new PipeProcessor(
            origin, around, new Entrance(in), (node, frame) -> send(Kind.FRAME, frame));
    processor.plan(plan);
    Sequence sequence = new Sequence(processor.newWalk(), Pages.holding(in.count()));
    Group group = new Group(in.width(), ROWS, 1);
    Rows out = new Rows(in.width());
    for (int first = 0; first < in.count(); first += ROWS) {
      group.open(1 + first / ROWS);
      // as if more were to come: nothing of the end is ever due
      group.add(sequence, first, Math.min(ROWS, in.count() - first), true);
      processor.start(group);
      check(group, true);
      if (processor.takeBack(group, frame(await(Kind.FRAME, deadline)))) {
        processor.resume(group);
      }
      check(group, false);
      for (int i = 0; i < group.batch.rows; i++) {
        out.add(first + i, group.batch.hidden, i * in.width());
      }
    }
    return out;
  }

  private static Frame frame(Message message) throws ReplayFailed {
    try {
      return new Frame(message.body());
    } catch (EngineException e) {
      throw new ReplayFailed(e.getMessage());
    }
  }

  private void check(Group group, boolean away) throws ReplayFailed {
    if (group.isAway() != away) {
      throw failed("the step stands where it should not");
    }
    Ending ending = group.traveller(0).walk().ending();
    if (!away && ending != null) {
      throw failed(ending.reason());
    }
  }

  private Message await(Kind kind, long deadline) throws ReplayFailed, InterruptedException {
    Message message = inbox.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    if (message == null) {
      throw failed("no answer in time");
    }
    if (message.kind() != kind) {
      throw failed(message.kind() == Kind.REFUSED ? reason(message) : "sent " + message.kind());
    }
    return message;
  }

  private static String reason(Message message) {
    try {
      return Codec.texts(message.body(), 1).getFirst();
    } catch (ClusterException e) {
      return e.getMessage();
    }
  }

  private ReplayFailed failed(String why) {
    return new ReplayFailed("node %s could not replay it: %s".formatted(holder, why));
  }

  private void send(Kind kind, ByteBuffer body) {
    post.accept(holder, new Message(kind, session, body));
  }

  /** Stands for layers whose results are known. */
  private record Nothing(int from, int to) implements Segment {
    @Override
    public void forward(Batch batch) {}
  }

  /** Gives the rows that are known instead of an embedding. */
  private record Entrance(Rows rows) implements End {
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

  /** The sequence as the other node sees it. */
  private static final class Sequence implements Traveller {
    private final Walk walk;
    private final int[] pages;

    Sequence(Walk walk, int count) {
      this.walk = walk;
      pages = new int[count];
      for (int i = 0; i < count; i++) {
        pages[i] = i;
      }
    }

    @Override
    public Walk walk() {
      return walk;
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
      return new int[0]; // the entrance needs none
    }

    @Override
    public int[] pages() {
      return pages;
    }
  }
}
