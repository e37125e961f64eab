package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.EventLogIndex;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.TokenJournalWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job of a workspace in the owner's memory: its files, and the directory that it is in. */
public final class FsJob extends StoredJob {
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final List<LogEntry> unwritten = new ArrayList<>();
  private final Map<Long, TokenJournalWriter> journals = new HashMap<>();
  private final List<Path> unneeded = new ArrayList<>();
  private UnsyncedChanges beforeEntries = new UnsyncedChanges();
  private UnsyncedChanges withEntries = new UnsyncedChanges();
  private @Nullable JobOnDisk read;
  private @Nullable JobFiles files;
  private @Nullable String problem;
  private Fact.Detail.@Nullable Completed lastResult;
  private JobState directoryState;
  private @Nullable EventLogIndex log;

  FsJob(JobId id, FsSettings settings, JobState directoryState) {
    super(id, settings.threading());
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.directoryState = directoryState;
  }

  /** Takes what was read from the job's directory; until then it is empty. */
  void load(JobOnDisk found) {
    read = found;
    files = found.files();
    problem = found.problem();
    log = found.log().copy();
    unwritten.addAll(found.unwritten());
    loaded(found.fold());
  }

  @Override
  public void reconcile(JobUpdate update) {
    read().reconcile(update);
  }

  @Override
  public Instant reconciledAt(Instant now) {
    return read().time(now);
  }

  private JobOnDisk read() {
    return Objects.requireNonNull(read, "the job was not read");
  }

  /** Drops what was read of the log, which may be many times larger than the rest. */
  @Nullable JobOnDisk takeRead() {
    JobOnDisk taken = read;
    read = null;
    return taken;
  }

  /** As {@link #takeRead}, but the torn end of a log must be known until it is cut off. */
  void dropReadUnlessTorn() {
    if (read != null && read.log().torn() == null) {
      read = null;
    }
  }

  @Override
  public JobHeader header() {
    return files().header();
  }

  @Override
  public @Nullable String problem() {
    return problem;
  }

  /** A directory that was moved by hand, or finished by a daemon that writes no log. */
  @Override
  public @Nullable JobState endedElsewhere() {
    return directoryState.isFinal() && !fold().state().isFinal() ? directoryState : null;
  }

  /** Whether its files and the queue hold all its state. */
  @Override
  public boolean isUnstarted() {
    return directoryState == JobState.PENDING && super.isUnstarted();
  }

  @Override
  public long memory() {
    return super.memory() + files().size() + log().size();
  }

  /** Renders the templates of an opening stage into its directory. */
  @Override
  public Fact.Opening resolve(StageFold stage) {
    return files().templateResolver(at(), fold(), beforeEntries).resolve(stage);
  }

  @Override
  public void onTransition(Transition move) {
    super.onTransition(move);
    if (move.task() != 0 && move.from() == TaskState.IN_PROGRESS) {
      boolean journaled = journals.remove(key(move.stage(), move.task())) != null;
      if (move.to() == TaskState.COMPLETED && files != null) {
        StageFold stage = fold().stage(move.stage());
        if (journaled || stage.task(move.task()).freezeEntry() != null) {
          unneeded.add(files.journalFile(at(), stage, move.task()));
        }
      }
    }
  }

  /** Journals of tasks that were completed since the last call. */
  List<Path> takeUnneededJournals() {
    List<Path> taken = List.copyOf(unneeded);
    unneeded.clear();
    return taken;
  }

  /** What must be durable before the next entries are appended. */
  UnsyncedChanges beforeEntries() {
    return beforeEntries;
  }

  UnsyncedChanges takeBeforeEntries() {
    UnsyncedChanges taken = beforeEntries;
    if (!taken.isEmpty()) {
      beforeEntries = new UnsyncedChanges();
    }
    return taken;
  }

  /** What must be durable with the next entries. */
  UnsyncedChanges withEntries() {
    return withEntries;
  }

  UnsyncedChanges takeWithEntries() {
    UnsyncedChanges taken = withEntries;
    withEntries = new UnsyncedChanges();
    return taken;
  }

  /** The valid bytes of its log; bytes after them are from a failed write. */
  long logLength() {
    return log == null ? 0 : log.length();
  }

  /** Whether its log exists, apart from entries that are implied so far. */
  boolean hasLog() {
    return logLength() > 0;
  }

  /** Appends entries to the log, after those that were implied so far. */
  void appendLog(List<LogEntry> entries, UnsyncedChanges unsynced) throws IOException {
    if (!entries.isEmpty()) {
      List<LogEntry> all = new ArrayList<>(unwritten);
      all.addAll(entries);
      EventLog.append(at(), all, log(), unsynced);
      unwritten.clear();
    }
  }

  private EventLogIndex log() {
    return Objects.requireNonNull(log, "the job was not read");
  }

  /** Entries of its log after that number; empty if that is not in its file. */
  public Optional<List<LogEntry>> events(long after, int limit) throws IOException {
    if (!unwritten.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(log().pages(at()).entries(after, limit));
    } catch (EventLog.DamagedLogException e) {
      return Optional.empty(); // another process has changed it
    }
  }

  /** The terms that an entry of its log froze. */
  JsonObject frozenTerms(long entry) throws IOException {
    return log().pages(at()).frozenTerms(entry);
  }

  private static long key(int stage, int task) {
    return (long) stage << 32 | task;
  }

  /** Appends to the journal of a running task. */
  void appendJournal(ClaimKey claim, OutputChunk chunk) throws IOException {
    FencingToken entry =
        Objects.requireNonNull(fold().stage(claim.stage()).task(claim.task()).journalKey());
    long key = key(claim.stage(), claim.task());
    TokenJournalWriter writer = journals.get(key);
    if (writer == null || !writer.isOf(claim.token(), entry)) {
      writer = new TokenJournalWriter(claim.token(), entry);
      journals.put(key, writer);
    }
    StageFold stage = fold().stage(claim.stage());
    writer.append(disk, files().journalFile(at(), stage, claim.task()), chunk);
  }

  /** Call when a result was written. */
  void keptResult(Fact.Detail.Completed detail) {
    lastResult = detail;
  }

  /** Whether no other result was written since that one; they may be equal. */
  boolean isLastResult(Fact.Detail.Completed detail) {
    return lastResult == detail;
  }

  public JobFiles files() {
    return Objects.requireNonNull(files, "the job was not read");
  }

  /** The state whose directory it is in. */
  public JobState directoryState() {
    return directoryState;
  }

  /** Call after its directory was renamed. */
  void movedTo(JobState state) {
    directoryState = state;
  }

  JobOnDisk.Location location() {
    return new JobOnDisk.Location(id(), at(), directoryState);
  }

  public JobDirectory at() {
    return new JobDirectory(disk, layout.of(directoryState, id()));
  }
}
