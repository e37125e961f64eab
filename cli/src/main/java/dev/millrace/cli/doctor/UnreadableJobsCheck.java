package dev.millrace.cli.doctor;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads the newest jobs as a server would, and looks for ids that are in two places. */
public final class UnreadableJobsCheck {
  /** Jobs that are read: more would take minutes. */
  private static final int MOST = 10_000;

  /** Jobs that are named. */
  private static final int NAMED = 20;

  private static final List<String> PLACES =
      List.of("input/ready", "processing", "paused", "output", "failed", "cancelled");

  private static final String REMEDY =
      "servers leave it alone: restore its files, or move its directory to cancelled/ and prune it"
          + " there";

  private final Path workspace;

  public UnreadableJobsCheck(Path workspace) {
    this.workspace = workspace;
  }

  public void run(Findings findings) throws IOException {
    if (!PLACES.stream().allMatch(place -> Files.isDirectory(workspace.resolve(place)))) {
      return; // another check says so
    }
    Set<String> twice = copies(findings);
    Workspace existing = Workspace.existing(workspace).orElse(null);
    if (existing != null) {
      read(findings, existing.reader(), twice);
    }
  }

  private static void read(Findings findings, JobReader reader, Set<String> twice) {
    int unreadable = 0;
    List<JobId> ids = reader.list(Query.in(Set.of(JobState.values())).newest(MOST));
    for (JobId id : ids.reversed()) {
      if (twice.contains(id.value())) {
        continue; // named already
      }
      try {
        reader.find(id);
      } catch (StoreException e) {
        unreadable++;
        if (unreadable <= NAMED) {
          findings.fail("jobs", "job " + id + ": " + e.getMessage(), REMEDY);
        }
      }
    }
    if (unreadable > NAMED) {
      findings.fail("jobs", unreadable + " jobs in all cannot be read", REMEDY);
    } else if (unreadable == 0) {
      String which = ids.size() < MOST ? "all " : "the newest ";
      findings.ok("jobs", which + ids.size() + " jobs can be read");
    }
  }

  /** Names ids with two directories; a job that moves meanwhile is not one of them. */
  private Set<String> copies(Findings findings) throws IOException {
    Map<String, List<String>> twice = new TreeMap<>();
    for (int first = 0; first < PLACES.size(); first++) {
      String place = PLACES.get(first);
      List<String> later = PLACES.subList(first + 1, PLACES.size());
      try (var jobs = Files.newDirectoryStream(workspace.resolve(place))) {
        for (Path job : jobs) {
          String name = job.getFileName().toString();
          List<String> found = new ArrayList<>(List.of(place));
          later.stream().filter(other -> isIn(other, name)).forEach(found::add);
          if (found.size() > 1 && JobId.isValid(name) && isIn(place, name)) {
            twice.putIfAbsent(name, found);
          }
        }
      }
    }
    twice.entrySet().stream()
        .limit(NAMED)
        .forEach(
            copy ->
                findings.fail(
                    "copies",
                    "job " + copy.getKey() + " is in " + String.join(" and in ", copy.getValue()),
                    "a job is in one place: compare the directories, and move the one that is a"
                        + " copy out of "
                        + workspace));
    if (twice.size() > NAMED) {
      findings.fail("copies", twice.size() + " jobs in all are in two places", "as above");
    }
    return twice.keySet();
  }

  private boolean isIn(String place, String name) {
    return Files.isDirectory(workspace.resolve(place).resolve(name));
  }
}
