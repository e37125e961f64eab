package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.JobLocator;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.inbox.InboxReply;
import dev.millrace.store.fs.internal.inbox.InboxRequest;
import dev.millrace.store.fs.internal.read.FsReader;
import dev.millrace.store.fs.internal.submit.FsSubmitter;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/**
 * A process that does not own the workspace: it submits with syncs of its own, and asks the owner
 * through the inbox. Unlike the real one it never takes the owner's lock, which is no simulated
 * file.
 */
final class OtherProcess implements JobControls {
  /** The owner was too slow, or has ended. */
  static final class NoAnswerException extends StoreException {
    private static final long serialVersionUID = 1L;

    NoAnswerException() {
      super("the owner did not answer");
    }
  }

  private static final int ROUNDS = 200;

  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;

  OtherProcess(FsSettings settings) {
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
  }

  JobSubmitter submitter() {
    Threading threading = settings.threading();
    GroupCommit commits = new GroupCommit(disk, threading);
    FsReader reader = new FsReader(disk, layout, threading);
    return new FsSubmitter(
        settings,
        commits,
        settings.ids(),
        new NoteFiles(disk, layout, commits, threading),
        JobLocator.ofOthers(disk, layout, threading)::find,
        reader::completed);
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    String op = cause.op() == null ? settings.ids().get().value() : cause.op();
    return (Outcome) ask(InboxRequest.of(id, lever, cause), op);
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return (Integer) ask(InboxRequest.prune(before, states), settings.ids().get().value());
  }

  private Object ask(InboxRequest request, String op) {
    Path file = layout.internalPath("inbox").resolve(op + ".json");
    Path temporary = layout.internalPath("inbox").resolve(op + ".tmp");
    try {
      disk.write(temporary, StrictUtf8.bytes(request.write(op, settings.clock().instant())));
      disk.rename(temporary, file);
      Object answer = await(layout.internalPath("answers").resolve(op + ".json"));
      if (answer == InboxReply.EXPIRED) {
        throw new NoAnswerException(); // a clock was set meanwhile
      }
      return answer;
    } catch (IOException e) {
      throw StoreErrors.of("cannot reach the owner of " + layout.root(), e);
    }
  }

  private Object await(Path answer) throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      try {
        String text = StrictUtf8.of(answer, disk.read(answer, 1_000_000));
        disk.delete(answer);
        return InboxReply.read(text);
      } catch (NoSuchFileException e) {
        pause();
      }
    }
    throw new NoAnswerException();
  }

  private void pause() {
    try {
      settings.threading().sleep(Duration.ofMillis(5));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
