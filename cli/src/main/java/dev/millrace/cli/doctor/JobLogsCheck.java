package dev.millrace.cli.doctor;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Checks the logs of running jobs. A crash may leave a torn last line; anything else is damage. */
public final class JobLogsCheck {
  private final Path processing;

  public JobLogsCheck(Path workspace) {
    this.processing = workspace.resolve("processing");
  }

  public void run(Findings findings) throws IOException {
    if (!Files.isDirectory(processing)) {
      return;
    }
    int good = 0;
    try (DirectoryStream<Path> jobs = Files.newDirectoryStream(processing)) {
      for (Path job : jobs) {
        good += check(findings, job.resolve("events.jsonl")) ? 1 : 0;
      }
    }
    findings.ok("logs", good + " logs of running jobs are intact");
  }

  private static boolean check(Findings findings, Path log) throws IOException {
    if (!Files.isRegularFile(log, NOFOLLOW_LINKS)) {
      return false; // not started yet, or the job has moved
    }
    int number = 0;
    int wrong = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(Files.newInputStream(log), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        number++;
        boolean next = number(line) == number;
        wrong = wrong == 0 && !next ? number : wrong;
        if (wrong > 0 && isWhole(line)) {
          findings.fail(
              "logs",
              log
                  + ", line "
                  + wrong
                  + (wrong == number
                      ? " is not a known entry"
                      : " is not an entry, but later lines are"),
              "the file was damaged, edited, or written by a later version: restore it, or move the"
                  + " job's directory to cancelled/ and prune it there");
          return false;
        }
      }
    } catch (NoSuchFileException e) {
      return false;
    }
    if (wrong > 0) {
      findings.warn(
          "logs",
          log + " ends with a torn line",
          "the next server truncates it and resumes the job");
    }
    return wrong == 0;
  }

  /** Whether a line was completely written: a crash does not leave such a line invalid. */
  private static boolean isWhole(String line) {
    try {
      return Json.object(line).has("n");
    } catch (JsonException e) {
      return false;
    }
  }

  /** The number of the entry in a line; 0 if it is not an entry. */
  private static long number(String line) {
    try {
      return LogEntryJson.number(line);
    } catch (JsonException e) {
      return 0;
    }
  }
}
