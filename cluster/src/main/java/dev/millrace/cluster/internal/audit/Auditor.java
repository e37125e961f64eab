package dev.millrace.cluster.internal.audit;

import dev.millrace.cluster.internal.link.NodeMessage;
import dev.millrace.cluster.internal.link.NodeMessage.Kind;
import dev.millrace.cluster.internal.plan.OriginCounters;
import dev.millrace.cluster.internal.plan.PipeSession;
import dev.millrace.cluster.internal.plan.PlannerEvent;
import dev.millrace.cluster.internal.protocol.WireCodec;
import dev.millrace.engine.internal.pipe.Pipe.NodeLayers;
import dev.millrace.engine.internal.thread.EngineThreads;
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
 * Finds nodes that return wrong results. For a chosen sequence, the origin and all nodes have
 * recorded what they sent and received. When it ends, each node's layers are replayed from position
 * 0, by another node that holds them or here, and every row is compared. A difference that another
 * node found is replayed here before a node is accused. It audits one sequence at a time on a
 * thread of its own; others wait. A sequence without a verdict is revoked and computed again. A
 * node that twice lacks its records is treated like one with a wrong result.
 */
public final class Auditor implements OriginAuditRecorder.EndedSequences, AutoCloseable {
  private static final int MAX_WITHHELD = 2;

  /** While more than these wait, replays run here only: other nodes may be slow. */
  private static final int MAX_WAITING = 4;

  private static final long SLICE_MILLIS = 50;
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** What an audit needs from the origin. */
  public interface Environment {
    /** The session of a pipe; null if it does not run, or runs by a later plan. */
    @Nullable PipeSession session(int pipe, long epoch);

    void send(String node, NodeMessage message);

    void report(PlannerEvent event);
  }

  private record Key(int pipe, long sequence) {}

  /**
   * A sequence that waits for its verdict.
   *
   * @param collector of the nodes' records; null if the pipe broke before
   */
  private record Case(
      OriginAuditRecorder.EndedSequence ended, @Nullable AuditRecordCollector collector) {
    Key key() {
      return new Key(ended.recording().pipe(), ended.recording().sequence());
    }
  }

  private final ReplayRunner replays;
  private final Environment environment;
  private final OriginCounters counters;
  private final long timeoutMillis;
  private final BlockingQueue<Case> cases = new LinkedBlockingQueue<>();
  private final Map<Key, Case> open = new ConcurrentHashMap<>(); // cases that were not dropped
  private final Map<String, Integer> withheld = new HashMap<>(); // used by this auditor's thread
  private final Thread thread;
  private volatile Consumer<AuditRecording> done = recording -> {};
  private volatile boolean closed;

  /**
   * @param timeoutMillis how long a node may take to send its records; it may be busy
   */
  public Auditor(
      ReplayRunner replays, Environment environment, OriginCounters counters, long timeoutMillis) {
    this.replays = replays;
    this.environment = environment;
    this.counters = counters;
    this.timeoutMillis = timeoutMillis;
    thread = EngineThreads.service("millrace-audit").unstarted(this::run);
  }

  /**
   * Starts the auditor's thread.
   *
   * @param forget called with each recording that is no longer needed
   */
  public void start(Consumer<AuditRecording> forget) {
    done = forget;
    thread.start();
  }

  /** Asks the nodes for their records at once, because they may be gone later. */
  @Override
  public void add(OriginAuditRecorder.EndedSequence ended) {
    AuditRecording recording = ended.recording();
    PipeSession session = environment.session(recording.pipe(), ended.epoch());
    long sequence = recording.sequence();
    AuditRecordCollector collector =
        session == null ? null : new AuditRecordCollector(session, sequence, ended.positions());
    Case next = new Case(ended, collector);
    open.put(next.key(), next);
    if (session != null) {
      for (String node : session.otherNodes()) {
        environment.send(
            node, new NodeMessage(Kind.RECORDS_ASKED, session.id(), WireCodec.encode(sequence)));
      }
    }
    cases.add(next);
  }

  @Override
  public void dropped(int pipe, long sequence) {
    open.remove(new Key(pipe, sequence));
  }

  /** Whether a sequence of a pipe waits for its verdict. Any thread. */
  public boolean isOpen(int pipe) {
    return open.keySet().stream().anyMatch(key -> key.pipe() == pipe);
  }

  /** A node sent its records. Any thread. */
  public void recordsReceived(String from, NodeMessage message) {
    forEachCollector(collector -> collector.received(from, message));
  }

  private void forEachCollector(Consumer<AuditRecordCollector> each) {
    for (Case waiting : open.values()) {
      if (waiting.collector() != null) {
        each.accept(waiting.collector());
      }
    }
  }

  /** Takes a message of a replay's session; false if it belongs to none. Any thread. */
  public boolean received(String from, NodeMessage message) {
    return replays.received(from, message);
  }

  /** Any thread. */
  public void lost(String node, String why) {
    forEachCollector(collector -> collector.lost(node));
    replays.lost(node, why);
  }

  /** A message of a session could not be sent. Any thread. */
  public void undelivered(String node, long session, String why) {
    replays.undelivered(node, session, why);
  }

  private void run() {
    try {
      while (!closed) {
        Case next = cases.take();
        try {
          audit(next);
        } catch (RuntimeException | Error e) { // if this thread ended, all audits would stop
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

  private void audit(Case next) throws InterruptedException {
    if (isOver(next)) {
      return; // its sequence was dropped
    }
    try {
      AuditComparison.Deviation deviation = compare(next, collect(next));
      counters.audits.increment();
      if (deviation != null) {
        accuse(deviation.nodes(), deviation.why());
      }
      next.ended().verdict().accept(deviation == null ? null : deviation.why());
    } catch (ReplayFailedException e) {
      withoutVerdict(next, e.getMessage());
    }
  }

  private void accuse(List<String> nodes, String why) {
    counters.lies.increment();
    environment.report(new PlannerEvent.WrongResult(nodes, why));
  }

  private void withoutVerdict(Case next, String why) {
    if (!isOver(next)) {
      counters.auditsIncomplete.increment();
      LOG.log(Level.WARNING, "an audit has no verdict; its sequence is computed again: {0}", why);
    }
    next.ended().verdict().accept("its audit has no verdict: " + why);
  }

  /**
   * Waits for the records of the nodes. It counts its own waits, so a suspended machine does not
   * cause a timeout.
   */
  private AuditRecordCollector collect(Case next)
      throws ReplayFailedException, InterruptedException {
    AuditRecordCollector collector = next.collector();
    if (collector == null) {
      throw new ReplayFailedException("its pipe broke before its nodes could be asked");
    }
    OriginAuditRecorder.EndedSequence ended = next.ended();
    for (long waited = 0; !collector.await(SLICE_MILLIS); waited += SLICE_MILLIS) {
      String silent = collector.firstMissing();
      if (isOver(next) || environment.session(ended.recording().pipe(), ended.epoch()) == null) {
        throw new ReplayFailedException("its pipe broke while its nodes were asked");
      }
      if (waited >= timeoutMillis && silent != null) {
        throw withheld(silent, "does not send its records of a sequence");
      }
    }
    return collector;
  }

  /** An honest node always has its records; the first time there may be another reason. */
  private ReplayFailedException withheld(String node, String what) {
    if (withheld.merge(node, 1, Integer::sum) < MAX_WITHHELD) {
      environment.report(new PlannerEvent.Suspect(node, "it " + what));
    } else {
      accuse(List.of(node), "it " + what + ", and not for the first time");
    }
    return new ReplayFailedException("node " + node + " " + what);
  }

  private AuditComparison.@Nullable Deviation compare(Case next, AuditRecordCollector collector)
      throws ReplayFailedException, InterruptedException {
    PipeSession session = collector.session();
    List<NodeLayers> stages = session.stages();
    AuditComparison comparison =
        new AuditComparison(stages, collector.records(), next.ended().positions());
    String incomplete = comparison.firstIncomplete();
    if (incomplete != null) {
      throw withheld(incomplete, "has incomplete records of a sequence");
    }
    HiddenStates rows = next.ended().recording().left();
    for (int stage = 0; stage < stages.size(); stage++) {
      NodeLayers stretch = stages.get(stage);
      List<byte[]> in = rows.hashes();
      boolean isBusy = cases.size() > MAX_WAITING;
      ReplayRunner.Result replayed =
          isBusy ? null : replays.replayElsewhere(stretch, session, rows);
      AuditComparison.Deviation deviation =
          replayed == null ? null : comparison.judge(stage, in, replayed.rows().hashes());
      if (replayed == null || deviation != null) {
        replayed = replayHere(stretch, rows, replayed, next);
        deviation = comparison.judge(stage, in, replayed.rows().hashes());
      }
      if (deviation != null) {
        return deviation;
      }
      rows = replayed.rows();
    }
    return comparison.judgeReturn(next.ended().recording().returned(), rows.hashes());
  }

  /** Replays layers here: no other node can, or the other node's replay differs. */
  private ReplayRunner.Result replayHere(
      NodeLayers stretch, HiddenStates in, ReplayRunner.@Nullable Result other, Case next)
      throws ReplayFailedException {
    HiddenStates right = replays.replayHere(stretch, in, () -> isOver(next));
    if (other != null && !right.hasSameBits(other.rows())) {
      accuse(
          List.of(other.by()),
          "asked to replay layers %d to %d for an audit, it returned a wrong result"
              .formatted(stretch.from(), stretch.to() - 1));
    }
    return new ReplayRunner.Result(right, "");
  }

  /** Stops at once; waiting sequences get no verdict. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
