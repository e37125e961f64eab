package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.plan.PlannerEvent;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
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
public final class Auditor implements AuditRecorder.EndedSequences, AutoCloseable {
  private static final int MOST_WITHHELD = 2;

  /** While more than these wait nobody else is waited for: another may be slow. */
  private static final int FEW = 4;

  private static final long SLICE_MILLIS = 50;
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** What an audit needs of the origin. */
  public interface Environment {
    /** The session that a pipe runs by; null where it does not, or by a later plan. */
    @Nullable PipeSession session(int pipe, long epoch);

    void send(String node, NodeMessage message);

    void report(PlannerEvent event);
  }

  private record Key(int pipe, long passage) {}

  /**
   * A sequence that waits for its verdict.
   *
   * @param hearing of its nodes; null where their pipe broke before
   */
  private record Case(AuditRecorder.EndedSequence ended, @Nullable AuditRecordCollector hearing) {
    Key key() {
      return new Key(ended.recording().pipe(), ended.recording().passage());
    }
  }

  private final ReplayRunner replays;
  private final Environment around;
  private final OriginCounters figures;
  private final long patienceMillis;
  private final BlockingQueue<Case> cases = new LinkedBlockingQueue<>();
  private final Map<Key, Case> open = new ConcurrentHashMap<>(); // those that nobody dropped
  private final Map<String, Integer> withheld = new HashMap<>(); // of this audit's thread
  private final Thread thread;
  private volatile Consumer<AuditRecording> done = recording -> {};
  private volatile boolean closed;

  /**
   * @param patienceMillis how long a node may take to give its records: it may be at work
   */
  public Auditor(
      ReplayRunner replays, Environment around, OriginCounters figures, long patienceMillis) {
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
  public void start(Consumer<AuditRecording> forget) {
    done = forget;
    thread.start();
  }

  /** Its nodes are asked at once: until its turn comes they may be gone. */
  @Override
  public void add(AuditRecorder.EndedSequence ended) {
    AuditRecording recording = ended.recording();
    PipeSession session = around.session(recording.pipe(), ended.epoch());
    long passage = recording.passage();
    AuditRecordCollector hearing =
        session == null ? null : new AuditRecordCollector(session, passage, ended.positions());
    Case next = new Case(ended, hearing);
    open.put(next.key(), next);
    if (session != null) {
      for (String node : session.otherNodes()) {
        around.send(
            node, new NodeMessage(Kind.RECORDS_ASKED, session.id(), WireCodec.encode(passage)));
      }
    }
    cases.add(next);
  }

  @Override
  public void dropped(int pipe, long passage) {
    open.remove(new Key(pipe, passage));
  }

  /** Whether a sequence of a pipe waits for its verdict. Any thread. */
  public boolean isOpen(int pipe) {
    return open.keySet().stream().anyMatch(key -> key.pipe() == pipe);
  }

  /** A node sent its records. Any thread. */
  public void recordsReceived(String from, NodeMessage message) {
    hearings(hearing -> hearing.received(from, message));
  }

  private void hearings(Consumer<AuditRecordCollector> each) {
    for (Case waiting : open.values()) {
      if (waiting.hearing() != null) {
        each.accept(waiting.hearing());
      }
    }
  }

  /** Takes a message of a replay's session; false where it is of none. Any thread. */
  public boolean received(String from, NodeMessage message) {
    return replays.received(from, message);
  }

  /** Any thread. */
  public void lost(String node, String why) {
    hearings(hearing -> hearing.lost(node));
    replays.lost(node, why);
  }

  /** Something of a session could not be sent. Any thread. */
  public void undelivered(String node, long session, String why) {
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
      AuditComparison.Deviation lie = judge(next, heard(next));
      figures.audits.increment();
      if (lie != null) {
        accuse(lie.nodes(), lie.why());
      }
      next.ended().verdict().accept(lie == null ? null : lie.why());
    } catch (ReplayFailedException e) {
      withoutVerdict(next, e.getMessage());
    }
  }

  private void accuse(List<String> nodes, String why) {
    figures.lies.increment();
    around.report(new PlannerEvent.Lied(nodes, why));
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
  private AuditRecordCollector heard(Case next) throws ReplayFailedException, InterruptedException {
    AuditRecordCollector hearing = next.hearing();
    if (hearing == null) {
      throw new ReplayFailedException("its pipe broke before its nodes could be asked");
    }
    AuditRecorder.EndedSequence ended = next.ended();
    for (long waited = 0; !hearing.await(SLICE_MILLIS); waited += SLICE_MILLIS) {
      String silent = hearing.firstMissing();
      if (isOver(next) || around.session(ended.recording().pipe(), ended.epoch()) == null) {
        throw new ReplayFailedException("its pipe broke while its nodes were asked");
      }
      if (waited >= patienceMillis && silent != null) {
        throw withheld(silent, "does not give its records of a sequence");
      }
    }
    return hearing;
  }

  /** An honest node always has them; once there may have been another reason. */
  private ReplayFailedException withheld(String node, String what) {
    if (withheld.merge(node, 1, Integer::sum) < MOST_WITHHELD) {
      around.report(new PlannerEvent.Suspect(node, "it " + what));
    } else {
      accuse(List.of(node), "it " + what + ", not for the first time");
    }
    return new ReplayFailedException("node " + node + " " + what);
  }

  private AuditComparison.@Nullable Deviation judge(Case next, AuditRecordCollector hearing)
      throws ReplayFailedException, InterruptedException {
    PipeSession session = hearing.session();
    List<NodeLayers> stages = session.stages();
    AuditComparison trial =
        new AuditComparison(stages, hearing.records(), next.ended().positions());
    String notWhole = trial.firstIncomplete();
    if (notWhole != null) {
      throw withheld(notWhole, "has no whole records of a sequence");
    }
    HiddenStates rows = next.ended().recording().left();
    for (int stage = 0; stage < stages.size(); stage++) {
      NodeLayers stretch = stages.get(stage);
      List<byte[]> in = rows.hashes();
      boolean hurried = cases.size() > FEW;
      ReplayRunner.Result found = hurried ? null : replays.replayElsewhere(stretch, session, rows);
      AuditComparison.Deviation lie =
          found == null ? null : trial.judge(stage, in, found.rows().hashes());
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
  private ReplayRunner.Result here(
      NodeLayers stretch, HiddenStates in, ReplayRunner.@Nullable Result other, Case next)
      throws ReplayFailedException {
    HiddenStates right = replays.replayHere(stretch, in, () -> isOver(next));
    if (other != null && !right.hasSameBits(other.rows())) {
      accuse(
          List.of(other.by()),
          "asked to replay layers %d to %d for an audit, it gave a wrong result"
              .formatted(stretch.from(), stretch.to() - 1));
    }
    return new ReplayRunner.Result(right, "");
  }

  /** Ends at once; who waits for a verdict has none any more. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
