package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.node.Testimony;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.pipe.Pipe.Stretch;
import dev.millrace.engine.pipe.Witness;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds nodes that lie. Of a chosen sequence the origin and all nodes have noted what they sent and
 * received; when it ends, each node's layers are computed once more from position 0, by another
 * node that holds them or else here, and every row is compared. A difference that another node
 * found is looked at here before anybody is accused. One sequence at a time, on a thread of its own.
 */
final class Audit implements Recorder.Court, AutoCloseable {
  /** A verdict comes within this time, or there is none. */
  static final long VERDICT_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long RECORDS_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** What an audit needs of the origin. */
  interface Surroundings {
    /** The session that a pipe runs by; null where it does not, or by a later plan. */
    @Nullable Session session(int pipe, long epoch);

    void send(String node, Message message);

    void tell(Event event);
  }

  private record Key(int pipe, long passage) {}

  /** What came of one node's records, to whoever asked. */
  private record Answer(String node, long session, Testimony testimony) {}

  /** A session whose sequences cannot be trusted, and why. */
  private record Condemned(int pipe, long epoch, String why) {}

  private record Case(Recorder.Ended ended, long deadline) {}

  private final Replays replays;
  private final Surroundings around;
  private final Figures figures;
  private final BlockingQueue<Case> cases = new LinkedBlockingQueue<>();
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private final Set<Key> dropped = ConcurrentHashMap.newKeySet();
  private final Set<Key> open = ConcurrentHashMap.newKeySet();
  private final Thread thread;
  private @Nullable Condemned condemned; // of this audit's thread
  private volatile Consumer<Recording> done = recording -> {};
  private volatile Runnable incomplete = () -> {};
  private volatile boolean closed;

  Audit(Replays replays, Surroundings around, Figures figures) {
    this.replays = replays;
    this.around = around;
    this.figures = figures;
    thread = Thread.ofPlatform().daemon().name("millrace-audit").unstarted(this::run);
  }

  /**
   * Begins to work.
   *
   * @param done takes back each recording when it is needed no more
   * @param incomplete told of each sequence that comes again because its audit had no verdict
   */
  void start(Consumer<Recording> done, Runnable incomplete) {
    this.done = done;
    this.incomplete = incomplete;
    thread.start();
  }

  @Override
  public void take(Recorder.Ended ended) {
    open.add(key(ended));
    cases.add(new Case(ended, System.nanoTime() + VERDICT_NANOS));
  }

  @Override
  public void dropped(int pipe, long passage) {
    Key key = new Key(pipe, passage);
    if (open.contains(key)) {
      dropped.add(key);
    }
  }

  /** Whether a sequence of a pipe waits for its verdict. Any thread. */
  boolean isOpen(int pipe) {
    return open.stream().anyMatch(key -> key.pipe() == pipe);
  }

  /** A node sent its records. Any thread. */
  void records(String from, long session, Testimony testimony) {
    answers.add(new Answer(from, session, testimony));
  }

  /** Takes a message of a replay's session; false where it is of none. Any thread. */
  boolean received(String from, Message message) {
    return replays.received(from, message);
  }

  /** Any thread. */
  void lost(String node, String why) {
    replays.lost(node, why);
  }

  /** Something of a session could not be sent. Any thread. */
  void undelivered(String node, long session, String why) {
    replays.undelivered(node, session, why);
  }

  private void run() {
    try {
      while (!closed) {
        Case next = cases.take();
        Key key = key(next.ended());
        try {
          examine(next);
        } catch (RuntimeException e) {
          LOG.log(Level.ERROR, "an audit failed", e);
          withoutVerdict(next, "the audit itself failed: " + e);
        } finally {
          open.remove(key);
          dropped.remove(key);
          done.accept(next.ended().recording());
        }
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private static Key key(Recorder.Ended ended) {
    return new Key(ended.recording().pipe(), ended.recording().passage());
  }

  private void examine(Case next) throws InterruptedException {
    Recording recording = next.ended().recording();
    Condemned found = condemned;
    if (found != null
        && found.pipe() == recording.pipe()
        && found.epoch() == next.ended().epoch()) {
      next.ended().verdict().accept(found.why());
      return;
    }
    Session session = around.session(recording.pipe(), next.ended().epoch());
    if (session == null) {
      withoutVerdict(next, "its pipe broke before its nodes could be asked");
      return;
    }
    List<Stretch> stages = stages(session);
    try {
      Map<String, List<Witness.Row>> records = collect(next, session);
      Trial.Lie lie = judge(next, stages, session, records);
      figures.audits.increment();
      if (lie != null) {
        figures.lies.increment();
        condemned = new Condemned(recording.pipe(), next.ended().epoch(), lie.why());
        next.ended().verdict().accept(lie.why());
        around.tell(new Event.Lied(lie.nodes(), lie.why()));
      } else {
        next.ended().verdict().accept(null);
      }
    } catch (ReplayFailed e) {
      withoutVerdict(next, e.getMessage());
    }
  }

  private void withoutVerdict(Case next, String why) {
    if (!dropped.contains(key(next.ended()))) {
      figures.auditsIncomplete.increment();
      LOG.log(
          Level.WARNING, "the audit of a sequence has no verdict, it is computed again: {0}", why);
      incomplete.run();
    }
    next.ended().verdict().accept("its audit has no verdict: " + why);
  }

  /** The stretches of other nodes; where one node has two that adjoin they are one to it. */
  private static List<Stretch> stages(Session session) {
    List<Stretch> stages = new ArrayList<>();
    for (Stretch stretch : session.remote()) {
      Stretch last = stages.isEmpty() ? null : stages.getLast();
      if (last != null && last.node().equals(stretch.node()) && last.to() == stretch.from()) {
        stages.set(stages.size() - 1, new Stretch(last.node(), last.from(), stretch.to()));
      } else {
        stages.add(stretch);
      }
    }
    return stages;
  }

  /** Asks all nodes for what they noted. */
  private Map<String, List<Witness.Row>> collect(Case next, Session session)
      throws ReplayFailed, InterruptedException {
    long passage = next.ended().recording().passage();
    answers.clear();
    for (String node : session.others()) {
      around.send(node, new Message(Kind.RECORDS_ASKED, session.id(), Codec.encode(passage)));
    }
    long until = Math.min(next.deadline(), System.nanoTime() + RECORDS_NANOS);
    Map<String, List<Witness.Row>> records = new HashMap<>();
    while (records.size() < session.others().size()) {
      Answer answer = answers.poll(50, TimeUnit.MILLISECONDS);
      if (answer != null
          && answer.session() == session.id()
          && answer.testimony().passage() == passage
          && session.has(answer.node())) {
        records.put(answer.node(), answer.testimony().rows());
      } else if (answer == null) {
        checkAwaited(next, session, records, until);
      }
    }
    return records;
  }

  private void checkAwaited(
      Case next, Session session, Map<String, List<Witness.Row>> records, long until)
      throws ReplayFailed {
    Recording recording = next.ended().recording();
    if (dropped.contains(key(next.ended()))
        || around.session(recording.pipe(), next.ended().epoch()) == null) {
      throw new ReplayFailed("its pipe broke while its nodes were asked");
    }
    if (System.nanoTime() - until >= 0) {
      for (String node : session.others()) {
        if (!records.containsKey(node)) {
          around.tell(new Event.Doubtful(node, "it does not give its records of a sequence"));
          throw new ReplayFailed("node " + node + " did not give its records");
        }
      }
    }
  }

  private Trial.@Nullable Lie judge(
      Case next, List<Stretch> stages, Session session, Map<String, List<Witness.Row>> records)
      throws ReplayFailed, InterruptedException {
    Trial trial = new Trial(stages, records, next.ended().positions());
    String withheld = trial.notWhole();
    if (withheld != null) {
      around.tell(new Event.Doubtful(withheld, "its records of a sequence are not whole"));
      throw new ReplayFailed("the records of node " + withheld + " are not whole");
    }
    Rows rows = next.ended().recording().left();
    for (int stage = 0; stage < stages.size(); stage++) {
      Stretch stretch = stages.get(stage);
      List<byte[]> in = rows.hashes();
      Replays.Found found = replays.elsewhere(stretch, session, rows, next.deadline());
      Trial.Lie lie = found == null ? null : trial.judge(stage, in, found.rows().hashes());
      if (found == null || lie != null) {
        found = here(stretch, rows, found, next);
        lie = trial.judge(stage, in, found.rows().hashes());
      }
      if (lie != null) {
        return lie;
      }
      rows = found.rows();
    }
    return trial.judgeReturn(next.ended().recording().returned(), rows.hashes());
  }

  /** Computes it here: nobody else can, or who did disagrees, and one of the two is wrong. */
  private Replays.Found here(Stretch stretch, Rows in, Replays.@Nullable Found other, Case next)
      throws ReplayFailed {
    Rows right =
        replays.here(
            stretch,
            in,
            () ->
                closed
                    || dropped.contains(key(next.ended()))
                    || System.nanoTime() - next.deadline() >= 0);
    if (other != null && !right.same(other.rows())) {
      String why =
          "asked to replay layers %d to %d for an audit, it gave a wrong result"
              .formatted(stretch.from(), stretch.to() - 1);
      figures.lies.increment();
      around.tell(new Event.Lied(List.of(other.by()), why));
    }
    return new Replays.Found(right, "");
  }

  /** Ends at once; who waits for a verdict has none any more. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
