package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.JsonSize;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A job with a single prompt, with the same files as in nrvna: {@code prompt.txt} in,
 * {@code result.txt} out.
 */
public record PlainJobFiles(JobHeader header, JobPlan plan, StageSpec stage, JsonObject meta)
    implements JobFiles {

  public static final String PROMPT = "prompt.txt";
  private static final String TYPE = "type.txt";
  private static final String SCHEMA = "schema.json";
  private static final String GRAMMAR = "grammar.gbnf";
  private static final String RESULT = "result.txt";
  private static final String EMBEDDING = "embedding.json";
  private static final String PARTIAL = "response.txt";
  static final String ERROR = "error.txt";

  /** Parameters that have their own files in a plain job. */
  static final String SCHEMA_PARAMETER = "json_schema";

  static final String GRAMMAR_PARAMETER = "grammar";
  private static final int MAX_ATTACHMENT = 1_000_000;
  private static final int MAX_RESULT = 1 << 30;

  /** Whether a job is a single prompt without options that need another form. */
  public static boolean fits(JobSpec spec) {
    if (spec.open() || spec.stages().size() != 1) {
      return false;
    }
    StageSpec only = spec.stages().getFirst();
    return !only.gate()
        && only.tolerance().equals(FailureTolerance.NONE)
        && only.tasks().size() == 1
        && only.tasks().getFirst().input() instanceof String prompt
        && !prompt.isEmpty()
        && only.tasks().getFirst().equals(TaskSpec.of(prompt)) // a plain job cannot hold more
        && only.equals(bare(only))
        && (only.type().equals("generate") || only.type().equals("embed"));
  }

  private static StageSpec bare(StageSpec stage) {
    return stage.toBuilder().metadata(JsonObject.create()).trace(null).build();
  }

  /**
   * The files of a submission, in the order in which they are written.
   *
   * @throws IllegalArgumentException if one of them could not be read back
   */
  public static Map<String, byte[]> files(JobSpec spec, Instant at) {
    StageSpec only = spec.stages().getFirst();
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put(PROMPT, StrictUtf8.bytes((String) only.tasks().getFirst().input()));
    JsonObject meta = JobMetaFile.of(spec, at, mode(only.type()));
    if (only.type().equals("embed")) {
      files.put(TYPE, StrictUtf8.bytes("embed\n"));
    }
    JobMetaFile.limits(meta, only.policy());
    JsonObject parameters = JsonObject.create();
    parameters.values().putAll(only.data().values());
    if (parameters.get(SCHEMA_PARAMETER) instanceof String schema) {
      parameters.values().remove(SCHEMA_PARAMETER);
      files.put(SCHEMA, attachment(schema, "schema"));
      meta.put("output_format", "json_schema");
    }
    if (parameters.get(GRAMMAR_PARAMETER) instanceof String grammar) {
      parameters.values().remove(GRAMMAR_PARAMETER);
      files.put(GRAMMAR, attachment(grammar, "grammar"));
      meta.values().putIfAbsent("output_format", "gbnf");
    }
    if (!parameters.values().isEmpty()) {
      meta.put("parameters", parameters);
    }
    files.put(JobMetaFile.FILE, JobMetaFile.submitted(meta));
    return files;
  }

  private static String mode(String type) {
    return type.equals("embed") ? "embed" : "text";
  }

  private static byte[] attachment(String text, String what) {
    byte[] bytes = StrictUtf8.bytes(text);
    if (text.isBlank()) {
      throw new IllegalArgumentException("the " + what + " is empty");
    }
    if (bytes.length > MAX_ATTACHMENT) {
      throw new IllegalArgumentException(
          "the " + what + " has " + bytes.length + " bytes, at most " + MAX_ATTACHMENT);
    }
    return bytes;
  }

  static PlainJobFiles read(
      JobDirectory at, JobId id, JsonObject meta, Instant created, @Nullable Integer ceiling)
      throws IOException {
    JsonObject data = meta.object("parameters");
    // Readable metadata names the files; without it, look.
    if (!meta.has("mode") || meta.has("output_format")) {
      attach(at, data, SCHEMA_PARAMETER, SCHEMA, "Schema");
      attach(at, data, GRAMMAR_PARAMETER, GRAMMAR, "Grammar");
      requireConstraint(meta.string("output_format", ""), data);
    }
    String type = "text".equals(meta.string("mode", null)) ? "generate" : type(at);
    StageSpec stage =
        StageSpec.builder(type)
            .policy(policy(meta.object("limits"), ceiling))
            .tasks(List.of(TaskSpec.of("")))
            .data(data)
            .build();
    JobSpec spec = JobSpec.of(List.of(stage));
    JobPlan shape = JobPlan.of(spec, created);
    return new PlainJobFiles(
        JobMetaFile.header(meta, id),
        new JobPlan(created, meta.flag("hold", false), true, shape.stages()),
        stage,
        meta);
  }

  private static TaskPolicy policy(JsonObject limits, @Nullable Integer ceiling) {
    TaskPolicy said = JobDocument.policy(limits);
    return ceiling == null || limits.has("recoveryCeiling")
        ? said
        : new TaskPolicy(
            said.maxAttempts(), said.backoff(), said.queueTimeout(), said.runTimeout(), ceiling);
  }

  /** A stand-in for a job whose files cannot be read, so that it can be shown and failed. */
  static PlainJobFiles unreadable(JobHeader header, JsonObject meta, Instant created) {
    String type = "embed".equals(meta.get("mode")) ? "embed" : "generate";
    StageSpec stage = StageSpec.of(type, List.of(TaskSpec.of("")));
    return new PlainJobFiles(header, JobPlan.of(JobSpec.of(List.of(stage)), created), stage, meta);
  }

  private static void attach(
      JobDirectory at, JsonObject data, String name, String file, String what) throws IOException {
    try {
      String text = StrictUtf8.of(at.file(file), at.disk().read(at.file(file), MAX_ATTACHMENT));
      if (text.isBlank()) {
        throw new MalformedJobException(what + " file is empty");
      }
      data.put(name, text);
    } catch (NoSuchFileException e) {
      // most jobs have none
    } catch (Disk.FileTooLargeException e) {
      throw new MalformedJobException(what + " file is too large: " + e.getMessage());
    } catch (Disk.NotRegularException e) {
      throw new MalformedJobException(e.getMessage());
    }
  }

  /** Refuses a structured job whose output format cannot be read. */
  private static void requireConstraint(String format, JsonObject data)
      throws MalformedJobException {
    boolean structured = format.equals("json_schema") || format.equals("gbnf");
    if (structured && !data.has(SCHEMA_PARAMETER) && !data.has(GRAMMAR_PARAMETER)) {
      throw new MalformedJobException("Structured job is missing " + GRAMMAR);
    }
  }

  private static String type(JobDirectory at) throws IOException {
    String text;
    try {
      text = StrictUtf8.of(at.file(TYPE), at.disk().read(at.file(TYPE), 1_000)).strip();
    } catch (NoSuchFileException e) {
      return "generate";
    } catch (Disk.FileTooLargeException | Disk.NotRegularException e) {
      throw new MalformedJobException("Invalid job type in type.txt");
    }
    return switch (text) {
      case "text" -> "generate";
      case "embed" -> "embed";
      case "vision", "tts", "stt" ->
          throw new MalformedJobException(
              "jobs of type "
                  + text
                  + " are not supported: Millrace works on text; "
                  + (text.equals("tts") ? "speak the result" : "turn images and sound into text")
                  + " with a program of your own, as a stage "
                  + (text.equals("tts") ? "after" : "before")
                  + " the model's (serve --exec TYPE=COMMAND), or keep nrvna for them");
      default -> throw new MalformedJobException("Invalid job type in type.txt");
    };
  }

  /** The end of the job is added to its metadata; a reader gets a copy. */
  @Override
  public JobFiles forReading() {
    JsonObject copy = JsonObject.create();
    copy.values().putAll(meta.values());
    return new PlainJobFiles(header, plan, stage, copy);
  }

  @Override
  public long size() {
    return JsonSize.of(meta).memory();
  }

  @Override
  public long lineBytes(JobDirectory at, StageFold stage, int task) {
    return 0;
  }

  @Override
  public JobSpec spec(JobDirectory at, JobFold fold) throws IOException {
    return JobSpec.builder()
        .labels(header.labels())
        .relations(header.relations())
        .priority(header.priority())
        .held(plan.held())
        .trace(header.trace())
        .webhooks(header.webhooks())
        .stages(List.of(stage.withTasks(List.of(prompt(at)))))
        .build();
  }

  @Override
  public TaskSpec task(JobDirectory at, TaskSnapshot task) throws IOException {
    return prompt(at);
  }

  @Override
  public boolean isGiven(JobDirectory at, TaskSnapshot task) {
    return true;
  }

  @Override
  public long taskBytes(JobDirectory at, JobFold fold) {
    throw new IllegalStateException("a plain job does not grow");
  }

  private static TaskSpec prompt(JobDirectory at) throws IOException {
    Path file = at.file(PROMPT);
    try {
      String prompt = StrictUtf8.of(file, at.disk().read(file, JobSpec.MAX_PROMPT_BYTES));
      if (prompt.isEmpty()) {
        throw new MalformedJobException("Empty prompt");
      }
      return TaskSpec.of(prompt);
    } catch (NoSuchFileException e) {
      if (at.disk().kind(at.dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the job has moved
      }
      throw new MalformedJobException("Prompt file not found");
    } catch (Disk.FileTooLargeException e) {
      throw new MalformedJobException("Prompt file too large: " + e.getMessage());
    } catch (Disk.NotRegularException e) {
      throw new MalformedJobException(e.getMessage());
    }
  }

  @Override
  public void addTasks(
      JobDirectory at, int number, String type, int known, byte[] lines, UnsyncedChanges unsynced) {
    throw new IllegalStateException("a plain job does not grow");
  }

  @Override
  public Detail.Completed writeResult(
      JobDirectory at, AnsweredTask of, TaskResult result, UnsyncedChanges unsynced)
      throws IOException {
    Path file = at.file(artifact(result.kind()));
    at.disk().write(file, StrictUtf8.bytes(result.text()));
    unsynced.addFile(file).addDirectory(at.dir());
    put(of, result.receipt());
    if (result.receipt() != null) {
      MetaFileReceipt.prepare(at, meta, unsynced);
    }
    return new Detail.Completed(0, 0);
  }

  /** Writes a result of an earlier job, while this one is assembled; no claim produced it. */
  public void adoptResult(JobDirectory at, TaskResult result, UnsyncedChanges unsynced)
      throws IOException {
    Path file = at.file(artifact(result.kind()));
    at.disk().write(file, StrictUtf8.bytes(result.text()));
    unsynced.addFile(file);
    if (result.receipt() != null) {
      MetaFileReceipt.putAdopted(meta, result.receipt());
      JobMetaFile.requireRoom(meta);
      at.disk().write(at.file(JobMetaFile.FILE), JobMetaFile.bytes(meta));
      unsynced.addFile(at.file(JobMetaFile.FILE));
    }
  }

  /** The receipt is visible no later than the completion. */
  @Override
  public void publishResult(JobDirectory at) throws IOException {
    if (MetaFileReceipt.of(meta) != null) {
      MetaFileReceipt.publish(at);
    }
  }

  /** The receipt of a task's last attempt, whether it has a result or not. */
  public @Nullable JsonObject keptReceipt(JobDirectory at, TaskFold fold) throws IOException {
    return MetaFileReceipt.read(at, meta, fold);
  }

  /** Puts a receipt into metadata that are being written, for a claim if there was one. */
  public static void putReceipt(JsonObject meta, @Nullable FencingToken claim, JsonObject receipt) {
    if (claim == null) {
      MetaFileReceipt.putAdopted(meta, receipt);
    } else {
      MetaFileReceipt.put(meta, claim, receipt);
    }
  }

  /** The files that it has for parameters. */
  public List<String> attachments() {
    List<String> files = new ArrayList<>();
    if (stage.data().has(SCHEMA_PARAMETER)) {
      files.add(SCHEMA);
    }
    if (stage.data().has(GRAMMAR_PARAMETER)) {
      files.add(GRAMMAR);
    }
    return files;
  }

  private static String artifact(TaskResult.Kind kind) {
    return switch (kind) {
      case RESULT -> RESULT;
      case EMBEDDING -> EMBEDDING;
    };
  }

  @Override
  public void writePartial(
      JobDirectory at, AnsweredTask of, PartialOutput partial, UnsyncedChanges unsynced)
      throws IOException {
    if (partial.output() != null) {
      at.disk().write(at.file(PARTIAL), StrictUtf8.bytes(partial.output()));
      unsynced.addFile(at.file(PARTIAL)).addDirectory(at.dir());
    }
    put(of, partial.receipt());
  }

  @Override
  public @Nullable String partial(JobDirectory at, TaskSnapshot task) throws IOException {
    Path file = at.file(PARTIAL);
    return at.disk().kind(file) == Disk.Kind.FILE
        ? new String(at.disk().read(file, MAX_RESULT), StandardCharsets.UTF_8)
        : null;
  }

  private void put(AnsweredTask of, @Nullable JsonObject receipt) {
    MetaFileReceipt.put(meta, of.claim(), Json.requireDepth(receipt, "a receipt"));
    if (receipt != null) {
      JobMetaFile.requireRoom(meta);
    }
  }

  @Override
  public void writeLatePartial(JobDirectory at, AnsweredTask of, PartialOutput partial)
      throws IOException {
    writePartial(at, of, partial, new UnsyncedChanges());
    if (partial.receipt() != null) {
      MetaFileReceipt.keepOnly(at, meta, of.claim(), new UnsyncedChanges());
      at.disk().writeSynced(at.file(JobMetaFile.FILE + ".tmp"), JobMetaFile.bytes(meta));
      JobFiles.publish(at, JobMetaFile.FILE);
    }
  }

  @Override
  public Path journalFile(JobDirectory at, StageFold of, int task) {
    return at.file(TokenJournal.FILE);
  }

  @Override
  public void deleteUnneeded(JobDirectory at, JobFold fold) throws IOException {
    MetaFileReceipt.tidy(at);
    Path journal = at.file(TokenJournal.FILE);
    if (fold.state() == JobState.COMPLETED && at.disk().kind(journal) == Disk.Kind.FILE) {
      DirectoryDeleter.delete(at.disk(), journal); // another thread may be faster
    }
  }

  @Override
  public @Nullable TaskResult result(JobDirectory at, TaskSnapshot task) throws IOException {
    TaskFold fold = task.fold();
    if (fold.state() != TaskState.COMPLETED) {
      return null;
    }
    for (TaskResult.Kind kind : TaskResult.Kind.values()) {
      Path file = at.file(artifact(kind));
      try {
        // Another daemon may have cut a character at its end.
        String text = new String(at.disk().read(file, MAX_RESULT), StandardCharsets.UTF_8);
        return new TaskResult(kind, text, MetaFileReceipt.read(at, meta, fold));
      } catch (NoSuchFileException e) {
        // then the other kind
      }
    }
    return null;
  }

  @Override
  public void writeFinalFiles(JobDirectory at, JobFold fold, UnsyncedChanges unsynced)
      throws IOException {
    TaskFold task = fold.stage(1).task(1);
    List<String> artifacts = new ArrayList<>();
    if (fold.state() == JobState.COMPLETED) {
      boolean vector =
          stage.type().equals("embed") && at.disk().kind(at.file(EMBEDDING)) == Disk.Kind.FILE;
      artifacts.add(vector ? EMBEDDING : RESULT);
    } else {
      at.disk().write(at.file(ERROR), StrictUtf8.bytes(String.valueOf(task.error()) + "\n"));
      unsynced.addFile(at.file(ERROR)).addDirectory(at.dir());
      keepJournaled(at, fold.stage(1), unsynced);
    }
    if (task.token() != null) {
      MetaFileReceipt.keepOnly(at, meta, task.token(), unsynced);
    }
    JobMetaFile.describe(meta, plan.createdAt(), mode(stage.type()));
    JobMetaFile.complete(meta, fold, artifacts, task.recoveries());
    JobFiles.prepare(at, JobMetaFile.FILE, JobMetaFile.bytes(meta), unsynced);
  }

  /** Keeps the journaled output of a task that ended without a worker. */
  private void keepJournaled(JobDirectory at, StageFold only, UnsyncedChanges unsynced)
      throws IOException {
    if (at.disk().kind(at.file(PARTIAL)) == Disk.Kind.NOTHING) {
      String text = readJournal(at, only, 1).text();
      if (!text.isEmpty()) {
        at.disk().write(at.file(PARTIAL), StrictUtf8.bytes(text));
        unsynced.addFile(at.file(PARTIAL)).addDirectory(at.dir());
      }
    }
  }

  @Override
  public JobUpdate.TemplateResolver templateResolver(
      JobDirectory at, JobFold fold, UnsyncedChanges unsynced) {
    return JobUpdate.TemplateResolver.NONE;
  }
}
