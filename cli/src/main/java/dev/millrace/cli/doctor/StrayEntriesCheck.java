package dev.millrace.cli.doctor;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds entries in the writing and ready directories that are not jobs. */
public final class StrayEntriesCheck {
  private static final Duration OLD = Duration.ofHours(1);
  private static final int SHOWN = 5;

  private final Path workspace;

  public StrayEntriesCheck(Path workspace) {
    this.workspace = workspace;
  }

  public void run(Findings findings) throws IOException {
    unfinished(findings);
    queue(findings);
  }

  private void unfinished(Findings findings) throws IOException {
    Path writing = workspace.resolve("input/writing");
    Instant limit = Instant.now().minus(OLD);
    List<String> old = new ArrayList<>();
    for (Path entry : entries(writing)) {
      try {
        if (Files.getLastModifiedTime(entry, NOFOLLOW_LINKS).toInstant().isBefore(limit)) {
          old.add(entry.getFileName().toString());
        }
      } catch (NoSuchFileException e) {
        // published meanwhile
      }
    }
    if (old.isEmpty()) {
      findings.ok("writing", "no submission was left unfinished");
    } else {
      findings.warn(
          "writing",
          old.size() + " submissions older than an hour were never finished: " + some(old),
          "their submitters got no id, so they can be removed: rm -r them in " + writing);
    }
  }

  private void queue(Findings findings) throws IOException {
    Path ready = workspace.resolve("input/ready");
    List<String> wrong = new ArrayList<>();
    int good = 0;
    for (Path entry : entries(ready)) {
      String problem = problem(entry);
      if (problem == null) {
        good++;
      } else {
        wrong.add(entry.getFileName() + " (" + problem + ")");
      }
    }
    if (wrong.isEmpty()) {
      findings.ok("queue", good + " jobs wait, no foreign entries");
    } else {
      findings.warn(
          "queue",
          wrong.size() + " entries are not jobs: " + some(wrong),
          "servers ignore them: move them out of " + ready);
    }
  }

  /** Why an entry is not a job; null if it is one. */
  private static @Nullable String problem(Path entry) throws IOException {
    try {
      BasicFileAttributes found =
          Files.readAttributes(entry, BasicFileAttributes.class, NOFOLLOW_LINKS);
      if (!found.isDirectory()) {
        return found.isSymbolicLink() ? "a link" : "not a directory";
      }
      if (!JobId.isValid(entry.getFileName().toString())) {
        return "not a job id";
      }
      if (Files.isRegularFile(entry.resolve("job.json"), NOFOLLOW_LINKS)) {
        return null;
      }
      Path prompt = entry.resolve("prompt.txt");
      if (!Files.exists(prompt, NOFOLLOW_LINKS)) {
        return Files.exists(entry, NOFOLLOW_LINKS) ? "neither prompt.txt nor job.json" : null;
      }
      return Files.isRegularFile(prompt, NOFOLLOW_LINKS) ? null : "prompt.txt is not a file";
    } catch (NoSuchFileException e) {
      return null; // claimed meanwhile
    }
  }

  private static List<Path> entries(Path directory) throws IOException {
    List<Path> all = new ArrayList<>();
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
        entries.forEach(all::add);
      }
    }
    return all;
  }

  private static String some(List<String> names) {
    String shown = String.join(", ", names.subList(0, Math.min(SHOWN, names.size())));
    return names.size() > SHOWN ? shown + ", …" : shown;
  }
}
