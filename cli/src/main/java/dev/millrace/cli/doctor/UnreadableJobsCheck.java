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
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads all jobs that have not ended, as a server would, and the newest that have; looks for ids that
 * are in two places.
 */
public final class UnreadableJobsCheck {
  /** Ended jobs that are read: more would take minutes. */
  private static final int MOST = 10_000;

  /** Jobs that are named to people. */
  private static final int NAMED = 20;

  private static final Set<JobState> UNFINISHED =
      Set.of(JobState.PENDING, JobState.IN_PROGRESS, JobState.PAUSED);

  private static final List<String> PLACES =
      List.of("input/ready", "processing", "paused", "output", "failed", "cancelled");

  private static final String REMEDY =
      "servers leave it alone: restore its files, or move its directory to cancelled/ and prune it"
          + " there";

  private final Path workspace;
  private final int named;

  /**
   * @param all whether to name all such jobs, however many there are
   */
  public UnreadableJobsCheck(Path workspace, boolean all) {
    this.workspace = workspace;
    this.named = all ? Integer.MAX_VALUE : NAMED;
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

  private void read(Findings findings, JobReader reader, Set<String> twice) {
    int unreadable = 0;
    List<JobId> ids = new ArrayList<>(reader.list(Query.in(UNFINISHED)));
    List<JobId> ended = reader.list(Query.in(ended()).newest(MOST));
    ids.addAll(ended.reversed());
    for (JobId id : ids) {
      if (twice.contains(id.value())) {
        continue; // named already
      }
      try {
        reader.find(id);
      } catch (StoreException e) {
        unreadable++;
        if (unreadable <= named) {
          findings.fail("jobs", "job " + id + ": " + e.getMessage(), REMEDY);
        }
      }
    }
    if (unreadable > named) {
      findings.fail("jobs", unreadable + " jobs in all cannot be read", REMEDY);
    } else if (unreadable == 0) {
      String which = ended.size() < MOST ? "" : ", of those that have ended the newest " + MOST;
      findings.ok("jobs", "all " + ids.size() + " jobs can be read" + which);
    }
  }

  private static Set<JobState> ended() {
    Set<JobState> states = EnumSet.allOf(JobState.class);
    states.removeAll(UNFINISHED);
    return states;
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
        .limit(named)
        .forEach(
            copy ->
                findings.fail(
                    "copies",
                    "job " + copy.getKey() + " is in " + String.join(" and in ", copy.getValue()),
                    "a job is in one place: compare the directories, and move the one that is a"
                        + " copy out of "
                        + workspace));
    if (twice.size() > named) {
      findings.fail("copies", twice.size() + " jobs in all are in two places", "as above");
    }
    return twice.keySet();
  }

  private boolean isIn(String place, String name) {
    return Files.isDirectory(workspace.resolve(place).resolve(name));
  }
}
