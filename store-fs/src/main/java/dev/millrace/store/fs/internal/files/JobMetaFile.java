package dev.millrace.store.fs.internal.files;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobLabels;
import dev.millrace.core.job.JobRelations;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.store.fs.internal.disk.Disk;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A job's metadata, {@code meta.json}: what its submitter said, and its result. */
public final class JobMetaFile {
  public static final String FILE = "meta.json";
  private static final int MAX_BYTES = 16_000_000;

  /** Leaves room for a receipt. */
  private static final int MAX_SUBMITTED = 8_000_000;

  /** Leaves room for the final state of the job. */
  private static final int MAX_ANSWERED = MAX_BYTES - 1_000_000;

  /** Fields that may hold any JSON value. */
  private static final Set<String> ONE_LINE = Set.of("data", "metadata", "parameters", "receipt");

  /** Sums of times up to this and any limit do not overflow. */
  private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /**
   * Fields that select and describe a job. What its run depends on (limits, parameters, hold) is
   * not among them: a job with such an error fails and says why.
   */
  private static final Map<String, Consumer<JsonObject>> REQUIRED_FORM =
      Map.ofEntries(
          Map.entry("submitted_at", meta -> meta.string("submitted_at")), // any text
          Map.entry("mode", meta -> meta.string("mode")),
          Map.entry("output_format", meta -> meta.string("output_format", null)),
          Map.entry("name", meta -> meta.string("name", null)),
          Map.entry("tags", JobMetaFile::keepTexts),
          Map.entry("parent", meta -> JobDocument.id(meta, "parent")),
          Map.entry("retryOf", meta -> JobDocument.id(meta, "retryOf")),
          Map.entry("submittedBy", meta -> meta.string("submittedBy", null)),
          Map.entry("priority", JobDocument::priority),
          Map.entry("metadata", meta -> meta.object("metadata")),
          Map.entry("data", meta -> meta.object("data")),
          Map.entry("open", meta -> meta.flag("open", false)),
          Map.entry("traceparent", JobDocument::trace),
          Map.entry("webhooks", JobDocument::webhooks));

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

  private JobMetaFile() {}

  /** The metadata of a submission; {@code mode} is {@code text}, {@code embed} or {@code job}. */
  static JsonObject of(JobSpec spec, Instant at, String mode) {
    JsonObject meta =
        JsonObject.create()
            .put("submitted_at", TIME.format(at))
            .put("mode", mode)
            .putIfPresent("name", spec.name());
    JobDocument.writeHeader(meta, spec);
    return meta.putIfPresent("submittedBy", spec.submittedBy());
  }

  /** The first stage's limits that differ from the defaults: the queue needs the queue timeout. */
  static JsonObject limits(JsonObject meta, TaskPolicy policy) {
    JsonObject limits = JsonObject.create();
    JobDocument.writePolicy(limits, policy);
    return limits.values().isEmpty() ? meta : meta.put("limits", limits);
  }

  /** How many tasks its first stage has, so that a waiting job is counted without reading it. */
  public static int tasks(JsonObject meta) {
    try {
      return (int) Math.clamp(meta.integer("tasks", 1), 0L, (long) StageSpec.MAX_TASKS);
    } catch (JsonException e) {
      return 1;
    }
  }

  /**
   * The text as it is written when the job is submitted.
   *
   * @throws IllegalArgumentException if it is too large
   */
  static byte[] submitted(JsonObject meta) {
    return requireSize(meta, MAX_SUBMITTED);
  }

  /** Refuses metadata that would get too large when the job ends. */
  static void requireRoom(JsonObject meta) {
    requireSize(meta, MAX_ANSWERED);
  }

  public static byte[] bytes(JsonObject meta) {
    return requireSize(meta, MAX_BYTES);
  }

  private static byte[] requireSize(JsonObject meta, int most) {
    byte[] bytes = StrictUtf8.bytes(Json.pretty(meta, ONE_LINE) + "\n");
    if (bytes.length > most) {
      throw new IllegalArgumentException(
          "a job's data, metadata, parameters and receipt are too large: "
              + FILE
              + " would have "
              + bytes.length
              + " bytes, at most "
              + most);
    }
    return bytes;
  }

  /**
   * Reads the metadata without the fields that cannot be used: others write such files too, and a
   * job that they describe badly must still be found. Empty if there is none, or no JSON object.
   */
  public static JsonObject read(Disk disk, Path dir) throws IOException {
    return read(disk, dir, FILE);
  }

  static JsonObject read(Disk disk, Path dir, String name) throws IOException {
    Path file = dir.resolve(name);
    try {
      JsonObject meta = parse(disk.read(file, MAX_BYTES));
      REQUIRED_FORM.forEach((field, form) -> dropUnusable(meta, field, form));
      return meta;
    } catch (NoSuchFileException | Disk.NotRegularException | Disk.FileTooLargeException e) {
      return JsonObject.create();
    }
  }

  private static JsonObject parse(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    try {
      return JsonObject.of(Json.parse(text), FILE);
    } catch (JsonException e) {
      return TolerantJson.object(text);
    }
  }

  private static void dropUnusable(JsonObject meta, String name, Consumer<JsonObject> form) {
    try {
      form.accept(meta);
    } catch (IllegalArgumentException | JsonException e) {
      meta.values().remove(name);
    }
  }

  /** Keeps the tags that are texts. */
  private static void keepTexts(JsonObject meta) {
    if (meta.has("tags")) {
      meta.put("tags", meta.list("tags").stream().filter(String.class::isInstance).toList());
    }
  }

  private static Instant time(JsonObject meta, String name) {
    Instant time = Instant.parse(meta.string(name));
    if (time.isBefore(Instant.EPOCH) || time.isAfter(LATEST)) {
      throw new DateTimeException(name + " is out of range");
    }
    return time;
  }

  /** When it was submitted: from its metadata if they have a time, else from its id. */
  public static Instant submittedAt(JsonObject meta, JobId id) {
    Instant written = timeOrNull(meta, "submitted_at");
    return written != null
        ? written
        : Instant.EPOCH
            .plusSeconds(id.micros() / 1_000_000)
            .plusNanos(id.micros() % 1_000_000 * 1_000);
  }

  public static @Nullable Instant completedAt(JsonObject meta) {
    return timeOrNull(meta, "completed_at");
  }

  /** Whether the text of a field is a time. */
  public static boolean isTime(JsonObject meta, String name) {
    return timeOrNull(meta, name) != null;
  }

  /** How long the job ran, as its metadata say; 0 if they do not. */
  public static double seconds(JsonObject meta) {
    try {
      return Math.clamp(meta.number("duration_s", 0), 0, 1e9);
    } catch (JsonException e) {
      return 0;
    }
  }

  private static @Nullable Instant timeOrNull(JsonObject meta, String name) {
    try {
      return meta.has(name) ? time(meta, name) : null;
    } catch (JsonException | DateTimeException e) {
      return null;
    }
  }

  public static JobHeader header(JsonObject meta, JobId id) {
    return new JobHeader(
        id,
        new JobLabels(
            meta.string("name", null),
            JobDocument.tags(meta),
            meta.object("metadata"),
            meta.object("data")),
        new JobRelations(
            JobDocument.id(meta, "parent"),
            JobDocument.id(meta, "retryOf"),
            meta.string("submittedBy", null)),
        JobDocument.priority(meta),
        meta.flag("open", false),
        JobDocument.trace(meta),
        JobDocument.webhooks(meta));
  }

  /** Adds what others left out: nrvna ignores metadata without these two fields. */
  static void describe(JsonObject meta, Instant created, String mode) {
    meta.values().putIfAbsent("submitted_at", TIME.format(created));
    meta.values().putIfAbsent("mode", mode);
  }

  /** Adds how the job ended. */
  static void complete(JsonObject meta, JobFold fold, List<String> artifacts, int recoveries) {
    Instant end = fold.completedAt() == null ? fold.lastAt() : fold.completedAt();
    Instant start = fold.startedAt() == null ? end : fold.startedAt();
    meta.put("completed_at", TIME.format(end))
        .put(
            "duration_s",
            BigDecimal.valueOf(Duration.between(start, end).toMillis())
                .divide(BigDecimal.valueOf(1_000), 2, RoundingMode.HALF_UP))
        .put("artifacts", artifacts)
        .put("status", fold.state() == JobState.COMPLETED ? "done" : "failed");
    if (recoveries > 0) {
      meta.put("recovery_attempts", recoveries);
    }
  }
}
