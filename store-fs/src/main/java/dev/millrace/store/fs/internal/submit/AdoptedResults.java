package dev.millrace.store.fs.internal.submit;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.PlainJobFiles;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The results that a new job gets from an ended one, written many at a time. */
final class AdoptedResults {
  private static final int CHUNK = 1 << 20;

  private final JobDirectory at;
  private final JobFiles files;
  private final UnsyncedChanges unsynced;
  private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
  private @Nullable StageFold stage;
  private long offset;

  AdoptedResults(JobDirectory at, JobFiles files, UnsyncedChanges unsynced) {
    this.at = at;
    this.files = files;
    this.unsynced = unsynced;
  }

  /** Adds a result, stage by stage; it is in its file after {@link #flush}. */
  Detail.Completed add(StageFold of, int task, int attempt, TaskResult result) throws IOException {
    return switch (files) {
      case PlainJobFiles plain -> {
        plain.adoptResult(at, result, unsynced);
        yield new Detail.Completed(0, 0);
      }
      case StagedJobFiles _ -> {
        if (stage == null || stage.number() != of.number()) {
          flush();
          stage = of;
          offset = 0;
        }
        byte[] line = StagedJobFiles.resultLine(task, attempt, result);
        lines.writeBytes(line);
        long start = offset;
        offset += line.length;
        if (lines.size() >= CHUNK) {
          flush();
        }
        yield new Detail.Completed(start, line.length);
      }
    };
  }

  void flush() throws IOException {
    if (stage != null && lines.size() > 0) {
      StagedJobFiles.appendResults(
          at, stage.number(), stage.plan().type(), lines.toByteArray(), unsynced);
      lines.reset();
    }
  }
}
