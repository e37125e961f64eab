package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.Moves;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.TaskFold;
import dev.millrace.core.rules.Trace;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
import dev.millrace.store.fs.JobFiles.At;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A job in the owner's memory: its fold, and which of its tasks wait. Everything in it belongs to
 * whoever holds its {@link #lock}.
 */
final class ActiveJob implements Moves {
  final ReentrantLock lock = new ReentrantLock();
  private final JobId id;
  private final Disk disk;
  private final Places places;
  private final List<BitSet> waiting = new ArrayList<>();
  private final List<Entry> unwritten = new ArrayList<>();
  private final Map<Long, JournalWriter> journals = new HashMap<>();
  private final List<Hold> stopped = new ArrayList<>();
  private @Nullable JobFiles files;
  private @Nullable JobFold fold;
  private @Nullable String problem;
  private JobState place;
  private long logLength;
  private boolean forgotten;
  private boolean lever;

  ActiveJob(JobId id, Disk disk, Places places, JobState place) {
    this.id = id;
    this.disk = disk;
    this.places = places;
    this.place = place;
  }

  /** Takes what was read from the job's directory; until then it is empty. */
  void fill(Snapshot snapshot) {
    this.files = snapshot.files();
    this.fold = snapshot.fold(); // and not the log, which may be many times as large
    this.problem = snapshot.problem();
    this.logLength = snapshot.log().length();
  }

  /** How many bytes of its log count; what stands beyond them could not be written whole. */
  long logLength() {
    return logLength;
  }

  /** After that many bytes were added to its log. */
  void logged(long bytes) {
    logLength += bytes;
  }

  @Override
  public void moved(Move move) {
    if (move.task() == 0) {
      lever |= fold != null && stops(move.to()) && running();
      return;
    }
    if (move.from() == TaskState.IN_PROGRESS) {
      journals.remove(key(move.stage(), move.task()));
      if (fold != null && move.to() == TaskState.ABORTED) {
        Token token = Objects.requireNonNull(fold.stage(move.stage()).task(move.task()).token());
        stopped.add(new Hold(move.stage(), move.task(), token));
      }
    }
    while (waiting.size() < move.stage()) {
      waiting.add(new BitSet());
    }
    waiting.get(move.stage() - 1).set(move.task(), ((TaskState) move.to()).queued());
  }

  /** Whether workers have to stop when their job or stage comes to this. */
  private static boolean stops(Enum<?> state) {
    return state == JobState.PAUSED
        || state == JobState.ABORTED
        || state == JobState.FAILED
        || state == StageState.WAITING;
  }

  /** Whether something happened since this was last asked that its running tasks have to know. */
  boolean takeLever() {
    boolean was = lever;
    lever = false;
    return was;
  }

  /** Claims that ended because the job did. */
  List<Hold> stopped() {
    return stopped;
  }

  private static long key(int stage, int task) {
    return (long) stage << 32 | task;
  }

  /** Whether a running task may have a journal. */
  boolean hasJournal(Hold hold) {
    return journals.containsKey(key(hold.stage(), hold.task()))
        || fold().stage(hold.stage()).task(hold.task()).freeze() != null;
  }

  /** Adds to the journal of a running task. */
  void journal(Hold hold, Piece piece) throws IOException {
    Token entry = fold().stage(hold.stage()).task(hold.task()).journal();
    long key = key(hold.stage(), hold.task());
    JournalWriter writer = journals.get(key);
    if (writer == null || !writer.isOf(hold.token(), entry)) {
      writer = new JournalWriter(hold.token(), entry);
      journals.put(key, writer);
    }
    writer.append(disk, files().journal(at(), hold.stage(), hold.task()), piece);
  }

  /** How far the last claim of a task had come, as its journal tells. */
  Trace trace(Hold hold) {
    TaskFold task = fold().stage(hold.stage()).task(hold.task());
    Journal.Content journal = files().journal(at(), hold.stage(), hold.task(), task);
    return Trace.of(task, journal.last(), journal.grew());
  }

  JobId id() {
    return id;
  }

  JobFiles files() {
    return Objects.requireNonNull(files, "the job was not read");
  }

  JobFold fold() {
    return Objects.requireNonNull(fold, "the job was not read");
  }

  /** Why its files are not a job; null if they are. */
  @Nullable String problem() {
    return problem;
  }

  JobState place() {
    return place;
  }

  /** After its directory was renamed. */
  void placed(JobState in) {
    place = in;
  }

  At at() {
    return new At(disk, places.of(place, id));
  }

  /** Entries that must be written with the next ones: those that stand for a log not yet begun. */
  List<Entry> unwritten() {
    return unwritten;
  }

  /** Whoever still has a reference must look the job up again. */
  void forget() {
    forgotten = true;
  }

  boolean forgotten() {
    return forgotten;
  }

  /** The stage whose tasks can be claimed; null if there is none now. */
  @Nullable StageFold openStage() {
    if (!fold().state().open()) {
      return null;
    }
    for (StageFold stage : fold().stages()) {
      if (stage.state().open()) {
        return stage;
      }
    }
    return null;
  }

  /** The first waiting task of a stage from number {@code from} on; -1 if there is none. */
  int nextWaiting(int stage, int from) {
    return stage <= waiting.size() ? waiting.get(stage - 1).nextSetBit(from) : -1;
  }

  /** Whether a worker holds one of its tasks. */
  boolean running() {
    for (StageFold stage : fold().stages()) {
      if (stage.count(TaskState.IN_PROGRESS) > 0) {
        return true;
      }
    }
    return false;
  }
}
