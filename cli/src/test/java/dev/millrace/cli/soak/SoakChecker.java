package dev.millrace.cli.soak;

import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the history of a soak with the workspace that it left: what was acknowledged is there,
 * as often as it was acknowledged; what was refused is not; every log is whole, and neither a job nor
 * a task has two ends.
 */
final class SoakChecker {
  private static final Set<String> JOB_ENDS = Set.of("complete", "fail", "abort");

  private final SoakHistory history;
  private final Map<String, JobRecord> jobs = new HashMap<>();
  private final Map<String, String> results = new HashMap<>();
  private final List<String> problems = new ArrayList<>();

  private SoakChecker(SoakHistory history) {
    this.history = history;
  }

  /** What is wrong; empty if nothing is. */
  static List<String> check(SoakHistory history, List<JobRecord> found) throws IOException {
    SoakChecker checker = new SoakChecker(history);
    for (JobRecord job : found) {
      JobRecord other = checker.jobs.put(job.id(), job);
      if (other != null) {
        checker.report(job.id(), "is in " + other.place() + " and in " + job.place());
      }
      checker.log(job);
      checker.end(job);
      checker.ends(job);
    }
    checker.submissions(found);
    checker.answers();
    for (JobRecord job : checker.jobs.values()) {
      LeverCheck.of(history, job).forEach(problem -> checker.report(job.id(), problem));
    }
    return checker.problems;
  }

  private void report(String job, String what) {
    problems.add("job " + job + ": " + what);
  }

  /** Numbered without gaps, in the order of time; and the job has come to its end. */
  private void log(JobRecord job) {
    Instant before = Instant.MIN;
    long number = 0;
    for (JsonObject event : job.events()) {
      if (event.integer("n") != ++number) {
        report(job.id(), "entry " + event.integer("n") + " is the " + number + "th");
        return;
      }
      Instant at = Instant.parse(event.string("at"));
      if (at.isBefore(before)) {
        report(job.id(), "entry " + number + " is of " + at + ", after one of " + before);
      }
      before = at;
    }
    if (!job.hasEnded()) {
      report(job.id(), "is still in " + job.place());
    } else if (job.place().equals("failed")) {
      report(job.id(), "failed, which none of these jobs does by itself");
    }
  }

  /** Nothing follows the end of a job but what users note about it. */
  private void end(JobRecord job) {
    boolean ended = false;
    for (JsonObject event : job.events()) {
      String kind = event.string("event");
      if (ended && !kind.equals("describe")) {
        report(job.id(), "after its end: " + Json.write(event));
      }
      ended |= event.string("on").equals("job") && JOB_ENDS.contains(kind);
    }
  }

  /** Each task completes at most once, and nothing happens to it after that. */
  private void ends(JobRecord job) throws IOException {
    Set<String> completed = new HashSet<>();
    for (JsonObject event : job.events()) {
      if (!event.string("on").equals("task") || event.string("event").equals("describe")) {
        continue;
      }
      String task = job.subject(event);
      if (completed.contains(task)) {
        report(job.id(), "after its completion: " + Json.write(event));
      }
      if (event.string("event").equals("complete")) {
        completed.add(task);
        results.put(task, job.result(event));
      }
    }
    if (job.place().equals("output") && completed.isEmpty() && job.events("adopt").isEmpty()) {
      report(job.id(), "is done without a completed task");
    }
  }

  /** An acknowledged job is there; one key or one command never makes two. */
  private void submissions(List<JobRecord> found) {
    Map<String, Integer> names = new HashMap<>();
    for (JobRecord job : found) {
      if (!job.meta().has("retryOf")) { // a retry keeps the name
        names.merge(job.meta().string("name", ""), 1, Integer::sum);
      }
    }
    history
        .all("submit")
        .forEach(
            operation -> {
              boolean acknowledged = operation.answer() == Answer.ACKNOWLEDGED;
              if (acknowledged && !jobs.containsKey(operation.subject())) {
                report(operation.subject(), "acknowledged and lost: " + operation);
              }
              int copies = operation.mark().isEmpty() ? 1 : names.getOrDefault(operation.mark(), 0);
              if (copies > 1 || acknowledged && copies == 0) {
                report(operation.subject(), "is there " + copies + " times: " + operation);
              }
            });
  }

  /** An accepted answer is the task's result; one that was refused changed nothing. */
  private void answers() {
    history
        .all("complete")
        .forEach(
            operation -> {
              String result = results.get(operation.subject());
              boolean counts = ("done by " + operation.mark()).equals(result);
              if (operation.answer() == Answer.ACKNOWLEDGED && !counts) {
                problems.add("accepted, but the result is " + result + ": " + operation);
              } else if (operation.answer() == Answer.REFUSED && counts) {
                problems.add("refused, but it is the result: " + operation);
              }
            });
  }
}
