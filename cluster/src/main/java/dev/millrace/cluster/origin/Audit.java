package dev.millrace.cluster.origin;

import dev.millrace.cluster.member.Codec;
import dev.millrace.cluster.wire.Message;
import dev.millrace.cluster.wire.Message.Kind;
import dev.millrace.engine.pipe.Pipe.Stretch;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds nodes that lie. Of a chosen sequence the origin and all nodes have noted what they sent and
 * received; when it ends, each node's layers are computed once more from position 0, by another
 * node that holds them or else here, and every row is compared. A difference that another node
 * found is looked at here before anybody is accused. One sequence at a time, on a thread of its
 * own; others wait as long as it takes. Where there can be no verdict, the sequence is revoked, and
 * comes again to be audited as any other; a node that twice has not its records is a liar.
 */
final class Audit implements Recorder.Court, AutoCloseable {
  private static final int MOST_WITHHELD = 2;

  /** While more than these wait nobody else is waited for: another may be slow. */
  private static final int FEW = 4;

  private static final long SLICE_MILLIS = 50;
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** What an audit needs of the origin. */
  interface Surroundings {
    /** The session that a pipe runs by; null where it does not, or by a later plan. */
    @Nullable Session session(int pipe, long epoch);

    void send(String node, Message message);

    void tell(Event event);
  }

  private record Key(int pipe, long passage) {}

  /**
   * A sequence that waits for its verdict.
   *
   * @param hearing of its nodes; null where their pipe broke before
   */
  private record Case(Recorder.Ended ended, @Nullable Hearing hearing) {
    Key key() {
      return new Key(ended.recording().pipe(), ended.recording().passage());
    }
  }

  private final Replays replays;
  private final Surroundings around;
  private final Figures figures;
  private final long patienceMillis;
  private final BlockingQueue<Case> cases = new LinkedBlockingQueue<>();
  private final Map<Key, Case> open = new ConcurrentHashMap<>(); // those that nobody dropped
  private final Map<String, Integer> withheld = new HashMap<>(); // of this audit's thread
  private final Thread thread;
  private volatile Consumer<Recording> done = recording -> {};
  private volatile boolean closed;

  /**
   * @param patienceMillis how long a node may take to give its records: it may be at work
   */
  Audit(Replays replays, Surroundings around, Figures figures, long patienceMillis) {
    this.replays = replays;
    this.around = around;
    this.figures = figures;
    this.patienceMillis = patienceMillis;
    thread = Thread.ofPlatform().daemon().name("millrace-audit").unstarted(this::run);
  }

  /**
   * Begins to work.
   *
   * @param forget takes back each recording when it is needed no more
   */
  void start(Consumer<Recording> forget) {
    done = forget;
    thread.start();
  }

  /** Its nodes are asked at once: until its turn comes they may be gone. */
  @Override
  public void take(Recorder.Ended ended) {
    Recording recording = ended.recording();
    Session session = around.session(recording.pipe(), ended.epoch());
    long passage = recording.passage();
    Hearing hearing = session == null ? null : new Hearing(session, passage, ended.positions());
    Case next = new Case(ended, hearing);
    open.put(next.key(), next);
    if (session != null) {
      for (String node : session.others()) {
        around.send(node, new Message(Kind.RECORDS_ASKED, session.id(), Codec.encode(passage)));
      }
    }
    cases.add(next);
  }

  @Override
  public void dropped(int pipe, long passage) {
    open.remove(new Key(pipe, passage));
  }

  /** Whether a sequence of a pipe waits for its verdict. Any thread. */
  boolean isOpen(int pipe) {
    return open.keySet().stream().anyMatch(key -> key.pipe() == pipe);
  }

  /** A node sent its records. Any thread. */
  void records(String from, Message message) {
    hearings(hearing -> hearing.received(from, message));
  }

  private void hearings(Consumer<Hearing> each) {
    for (Case waiting : open.values()) {
      if (waiting.hearing() != null) {
        each.accept(waiting.hearing());
      }
    }
  }

  /** Takes a message of a replay's session; false where it is of none. Any thread. */
  boolean received(String from, Message message) {
    return replays.received(from, message);
  }

  /** Any thread. */
  void lost(String node, String why) {
    hearings(hearing -> hearing.lost(node));
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
        try {
          examine(next);
        } catch (RuntimeException | Error e) { // a thread that ended would hold up all
          LOG.log(Level.ERROR, "an audit failed", e);
          withoutVerdict(next, "the audit itself failed: " + e);
        } finally {
          open.remove(next.key());
          done.accept(next.ended().recording());
        }
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private boolean isOver(Case one) {
    return closed || !open.containsKey(one.key());
  }

  private void examine(Case next) throws InterruptedException {
    if (isOver(next)) {
      return; // nobody waits for its verdict
    }
    try {
      Trial.Lie lie = judge(next, heard(next));
      figures.audits.increment();
      if (lie != null) {
        accuse(lie.nodes(), lie.why());
      }
      next.ended().verdict().accept(lie == null ? null : lie.why());
    } catch (ReplayFailed e) {
      withoutVerdict(next, e.getMessage());
    }
  }

  private void accuse(List<String> nodes, String why) {
    figures.lies.increment();
    around.tell(new Event.Lied(nodes, why));
  }

  private void withoutVerdict(Case next, String why) {
    if (!isOver(next)) {
      figures.auditsIncomplete.increment();
      LOG.log(
          Level.WARNING, "the audit of a sequence has no verdict, it is computed again: {0}", why);
    }
    next.ended().verdict().accept("its audit has no verdict: " + why);
  }

  /** Waits for what its nodes noted. What is waited is counted: time that we slept is not. */
  private Hearing heard(Case next) throws ReplayFailed, InterruptedException {
    Hearing hearing = next.hearing();
    if (hearing == null) {
      throw new ReplayFailed("its pipe broke before its nodes could be asked");
    }
    Recorder.Ended ended = next.ended();
    for (long waited = 0; !hearing.await(SLICE_MILLIS); waited += SLICE_MILLIS) {
      String silent = hearing.silent();
      if (isOver(next) || around.session(ended.recording().pipe(), ended.epoch()) == null) {
        throw new ReplayFailed("its pipe broke while its nodes were asked");
      }
      if (waited >= patienceMillis && silent != null) {
        throw withheld(silent, "does not give its records of a sequence");
      }
    }
    return hearing;
  }

  /** An honest node always has them; once there may have been another reason. */
  private ReplayFailed withheld(String node, String what) {
    if (withheld.merge(node, 1, Integer::sum) < MOST_WITHHELD) {
      around.tell(new Event.Doubtful(node, "it " + what));
    } else {
      accuse(List.of(node), "it " + what + ", not for the first time");
    }
    return new ReplayFailed("node " + node + " " + what);
  }

  private Trial.@Nullable Lie judge(Case next, Hearing hearing)
      throws ReplayFailed, InterruptedException {
    Session session = hearing.session();
    List<Stretch> stages = session.stages();
    Trial trial = new Trial(stages, hearing.records(), next.ended().positions());
    String notWhole = trial.notWhole();
    if (notWhole != null) {
      throw withheld(notWhole, "has no whole records of a sequence");
    }
    Rows rows = next.ended().recording().left();
    for (int stage = 0; stage < stages.size(); stage++) {
      Stretch stretch = stages.get(stage);
      List<byte[]> in = rows.hashes();
      boolean hurried = cases.size() > FEW;
      Replays.Found found = hurried ? null : replays.elsewhere(stretch, session, rows);
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
    Rows right = replays.here(stretch, in, () -> isOver(next));
    if (other != null && !right.same(other.rows())) {
      accuse(
          List.of(other.by()),
          "asked to replay layers %d to %d for an audit, it gave a wrong result"
              .formatted(stretch.from(), stretch.to() - 1));
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
