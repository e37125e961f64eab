package dev.millrace.cli.place;

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
 * The files of a job that nrvna's contract names and that the job's state does not need: metadata,
 * the primary artifact, the partial output of a failed attempt. A file that is missing, or moves
 * away while it is read, counts as empty.
 */
public final class JobArtifacts {
  private static final int MOST = 16_000_000;
  private static final String PARTIAL = "response.txt";

  /** The names of artifacts, most preferred first. */
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

  /** The files of a job that cannot be reached. */
  static final JobArtifacts NONE = new JobArtifacts(null);

  private final @Nullable Path dir;

  private JobArtifacts(@Nullable Path dir) {
    this.dir = dir;
  }

  static JobArtifacts of(Workspace workspace, JobId id) {
    return new JobArtifacts(workspace.directory(id).orElse(null));
  }

  /** The fields of {@code meta.json}, of any type; none if it is missing or no JSON object. */
  public JsonObject meta() {
    String text = text("meta.json");
    try {
      return text == null ? JsonObject.create() : Json.object(text);
    } catch (JsonException e) {
      return JsonObject.create();
    }
  }

  /** The job's directory; null if it cannot be reached. */
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

  /** The partial output of a failed job; null if there is none. */
  public @Nullable String partial() {
    return text(PARTIAL);
  }

  /** The file with the partial output; null if there is none. */
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
