package dev.millrace.cli.workspace;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files of a job that nrvna's contract names and that its state does not need: metadata, the
 * primary artifact, what a failed attempt had produced. A file that is not there, or moves away
 * while it is read, says nothing.
 */
public final class JobDirectory {
  private static final int MOST = 16_000_000;
  private static final String PARTIAL = "response.txt";

  /** In the order in which one is preferred where there are several. */
  public enum Kind {
    RESULT("result.txt"),
    TRANSCRIPT("transcript.txt"),
    AUDIO("audio.wav"),
    EMBEDDING("embedding.json");

    private final String file;

    Kind(String file) {
      this.file = file;
    }
  }

  /** A job's output as a file. */
  public record Artifact(Kind kind, Path path) {}

  /** Of a job whose files are out of reach. */
  static final JobDirectory NONE = new JobDirectory(null);

  private final @Nullable Path dir;

  private JobDirectory(@Nullable Path dir) {
    this.dir = dir;
  }

  static JobDirectory of(Workspace workspace, JobId id) {
    return new JobDirectory(workspace.directory(id).orElse(null));
  }

  /** The fields of {@code meta.json}; none where it lacks what every such file must have. */
  public JsonObject meta() {
    String text = text("meta.json");
    try {
      JsonObject meta = text == null ? JsonObject.create() : Json.object(text);
      if (meta.get("submitted_at") instanceof String && meta.get("mode") instanceof String) {
        return meta;
      }
    } catch (JsonException e) {
      // as if there were none
    }
    return JsonObject.create();
  }

  /** Where the job is; null if that is out of reach. */
  public @Nullable Path path() {
    return dir;
  }

  public Optional<Artifact> artifact() {
    if (dir != null) {
      for (Kind kind : Kind.values()) {
        Path path = dir.resolve(kind.file);
        if (Files.isRegularFile(path, NOFOLLOW_LINKS)) {
          return Optional.of(new Artifact(kind, path));
        }
      }
    }
    return Optional.empty();
  }

  /** What the job had produced when it failed; null if nothing was kept. */
  public @Nullable String partial() {
    return text(PARTIAL);
  }

  /** Where that is; null if it is nowhere. */
  public @Nullable Path partialFile() {
    return dir != null && Files.isRegularFile(dir.resolve(PARTIAL), NOFOLLOW_LINKS)
        ? dir.resolve(PARTIAL)
        : null;
  }

  public @Nullable String transcript() {
    return text(Kind.TRANSCRIPT.file);
  }

  private @Nullable String text(String name) {
    if (dir == null || !Files.isRegularFile(dir.resolve(name), NOFOLLOW_LINKS)) {
      return null;
    }
    try (InputStream in = Files.newInputStream(dir.resolve(name), NOFOLLOW_LINKS)) {
      return new String(in.readNBytes(MOST), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return null;
    }
  }
}
