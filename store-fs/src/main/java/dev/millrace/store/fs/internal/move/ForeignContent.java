package dev.millrace.store.fs.internal.move;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.UnmovableJobException;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.PlainJobFiles;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What other programs have put into the directory of a job, and Millrace does not know. */
final class ForeignContent {
  private static final int CHUNK = 1 << 20;
  private static final int MAX_META = 16_000_000;

  private static final Set<String> FIELDS =
      Set.of(
          "submitted_at",
          "mode",
          "type",
          "tasks",
          "inspect",
          "name",
          "priority",
          "hold",
          "open",
          "parent",
          "retryOf",
          "submittedBy",
          "tags",
          "data",
          "metadata",
          "traceparent",
          "tracestate",
          "webhooks",
          "limits",
          "parameters",
          "output_format",
          "completed_at",
          "duration_s",
          "artifacts",
          "status",
          "recovery_attempts",
          "receipt",
          "receipt_claim");

  private static final Set<String> FILES =
      Set.of(
          JobMetaFile.FILE,
          "meta.json.tmp",
          "meta.json.receipt",
          "events.jsonl",
          "error.txt",
          "op.json",
          MoveMark.FILE,
          MoveMark.FILE + ".tmp");

  private static final Set<String> PLAIN_FILES =
      Set.of(
          "prompt.txt",
          "type.txt",
          "result.txt",
          "embedding.json",
          "response.txt",
          "journal.jsonl",
          "journal.jsonl.tmp");

  private final JobDirectory at;
  private final JobOnDisk job;

  ForeignContent(JobDirectory at, JobOnDisk job) {
    this.at = at;
    this.job = job;
  }

  void write(Consumer<JobRecord> records) throws IOException {
    fields(records);
    Set<String> known = known();
    List<String> found = new ArrayList<>();
    list("", found);
    found.sort(null);
    for (String path : found) {
      if (!known.contains(path)) {
        file(path, records);
      }
    }
  }

  /** Unknown fields, and known ones that cannot be used. */
  private void fields(Consumer<JobRecord> records) throws IOException {
    JsonObject raw = raw(at);
    JsonObject used = JobMetaFile.read(at.disk(), at.dir());
    for (Map.Entry<String, @Nullable Object> field : raw.values().entrySet()) {
      String name = field.getKey();
      boolean lost =
          !FIELDS.contains(name) || !Json.write(field.getValue()).equals(text(used, name));
      boolean odd = name.equals("submitted_at") && !JobMetaFile.isTime(raw, name);
      if (lost || odd) {
        records.accept(new JobRecord.ForeignField(name, field.getValue()));
      }
    }
  }

  private static @Nullable String text(JsonObject meta, String name) {
    return meta.values().containsKey(name) ? Json.write(meta.values().get(name)) : null;
  }

  /** The metadata as they are written. */
  static JsonObject raw(JobDirectory at) throws IOException {
    try {
      byte[] bytes = at.disk().read(at.file(JobMetaFile.FILE), MAX_META);
      return Json.object(new String(bytes, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return JsonObject.create();
    } catch (JsonException e) {
      throw new UnmovableJobException(
          JobMetaFile.FILE + " is not valid JSON (" + e.getMessage() + "); repair or remove it");
    }
  }

  private Set<String> known() {
    Set<String> known = new HashSet<>(FILES);
    JobFold fold = job.fold();
    if (job.files() instanceof PlainJobFiles plain) {
      known.addAll(PLAIN_FILES);
      known.addAll(plain.attachments());
      return known;
    }
    known.add("job.json");
    for (StageFold stage : fold.stages()) {
      for (String name : List.of("tasks.jsonl", "templates.jsonl", "results.jsonl")) {
        known.add(StagedJobFiles.path(stage.number(), stage.plan().type(), name));
      }
      for (int task = 1; task <= stage.size(); task++) {
        String journal =
            StagedJobFiles.path(stage.number(), stage.plan().type(), "journal/" + task + ".jsonl");
        known.add(journal);
        known.add(journal + ".tmp");
      }
    }
    return known;
  }

  private void list(String path, List<String> found) throws IOException {
    Path here = path.isEmpty() ? at.dir() : at.dir().resolve(path);
    List<String> names = new ArrayList<>();
    at.disk().list(here, names::add);
    for (String name : names) {
      String child = path.isEmpty() ? name : path + "/" + name;
      Disk.Kind kind = at.disk().kind(at.dir().resolve(child));
      switch (kind) {
        case FILE -> found.add(child);
        case DIRECTORY -> list(child, found);
        case OTHER ->
            throw new UnmovableJobException(child + " is a link or no regular file; remove it");
        case NOTHING -> {}
      }
    }
  }

  private void file(String path, Consumer<JobRecord> records) throws IOException {
    Path file = at.dir().resolve(path);
    long offset = 0;
    byte[] part;
    do {
      part = at.disk().read(file, offset, CHUNK);
      records.accept(new JobRecord.ForeignFile(path, offset, part));
      offset += part.length;
    } while (part.length == CHUNK);
  }
}
