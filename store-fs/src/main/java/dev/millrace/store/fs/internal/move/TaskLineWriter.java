package dev.millrace.store.fs.internal.move;

import dev.millrace.core.move.JobRecord;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes the tasks of one stage after the other as lines of files, some at a time. */
final class TaskLineWriter {
  private static final int CHUNK = 1 << 20;

  /** The lines of a file that are not written yet. */
  private static final class Lines {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final String name;
    private boolean begun;

    Lines(String name) {
      this.name = name;
    }
  }

  private final JobDirectory at;
  private final List<String> types;
  private final UnsyncedChanges unsynced;
  private Lines tasks = new Lines("tasks.jsonl");
  private Lines templates = new Lines("templates.jsonl");
  private int stage;
  private boolean opened;

  TaskLineWriter(JobDirectory at, List<String> types, UnsyncedChanges unsynced) {
    this.at = at;
    this.types = types;
    this.unsynced = unsynced;
  }

  /**
   * Adds the next task.
   *
   * @param template whether its stage has templates
   */
  void add(JobRecord.Task task, boolean template) throws IOException {
    if (task.stage() != stage) {
      finish();
      stage = task.stage();
      opened = !template;
    }
    TaskSpec given = task.given();
    TaskSpec rendered = task.rendered();
    opened |= rendered != null;
    if (template && given != null) {
      add(templates, given);
    }
    TaskSpec now = rendered == null ? given : rendered;
    if (now != null) {
      add(tasks, now);
    }
  }

  private void add(Lines lines, TaskSpec task) throws IOException {
    lines.bytes.writeBytes(StagedJobFiles.taskLines(List.of(task)));
    if (lines.bytes.size() >= CHUNK) {
      flush(lines);
    }
  }

  private void flush(Lines lines) throws IOException {
    if (lines.bytes.size() > 0) {
      Path file = file(lines);
      for (Path dir : List.of(file.getParent().getParent(), file.getParent())) {
        if (at.disk().kind(dir) == Disk.Kind.NOTHING) {
          at.disk().createDirectory(dir);
        }
        unsynced.addDirectory(dir);
      }
      at.disk().append(file, lines.bytes.toByteArray());
      unsynced.addFile(file);
      lines.bytes.reset();
      lines.begun = true;
    }
  }

  private Path file(Lines lines) {
    return at.file(StagedJobFiles.path(stage, types.get(stage - 1), lines.name));
  }

  /** Ends the stage: tasks of templates that are not rendered yet have no file. */
  void finish() throws IOException {
    if (stage > 0) {
      flush(templates);
      if (opened) {
        flush(tasks);
      } else if (tasks.begun) {
        at.disk().delete(file(tasks));
      }
    }
    tasks = new Lines("tasks.jsonl");
    templates = new Lines("templates.jsonl");
  }
}
