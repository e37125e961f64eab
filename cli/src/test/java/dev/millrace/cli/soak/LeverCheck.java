package dev.millrace.cli.soak;

import dev.millrace.cli.soak.SoakHistory.Answer;
import dev.millrace.cli.soak.SoakHistory.Operation;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Compares the levers that users pulled at one job with its log: each kind is there at least as
 * often as it was acknowledged, and at most as often as it may have happened. One that has a mark of
 * its own is looked for by that, too.
 */
final class LeverCheck {
  private static final Set<String> COUNTED = Set.of("pause", "resume", "abort", "approve");

  private final JobRecord job;
  private final List<Operation> operations;
  private final List<String> problems = new ArrayList<>();

  private LeverCheck(JobRecord job, List<Operation> operations) {
    this.job = job;
    this.operations = operations;
  }

  /** What is wrong; empty if nothing is. */
  static List<String> of(SoakHistory history, JobRecord job) throws IOException {
    LeverCheck check =
        new LeverCheck(job, history.all().filter(each -> each.subject().equals(job.id())).toList());
    for (String verb : COUNTED) {
      check.counts(verb);
    }
    check.priorities();
    for (Operation operation : check.operations) {
      check.marked(operation);
    }
    return check.problems;
  }

  /** An approval of a stage that waits for nobody is acknowledged, and changes nothing. */
  private void counts(String verb) {
    Predicate<Operation> same = each -> each.verb().equals(verb);
    long least = verb.equals("approve") ? 0 : count(same, Answer.ACKNOWLEDGED);
    compare(verb, ofUsers(verb).size(), least, same);
  }

  /** The priority that a job has already is acknowledged, and changes nothing. */
  private void priorities() {
    Set<String> priorities = new HashSet<>();
    for (JsonObject event : ofUsers("prioritize")) {
      priorities.add(event.string("priority"));
    }
    for (Operation operation : operations) {
      if (operation.verb().equals("prioritize")) {
        priorities.add(operation.mark());
      }
    }
    for (String priority : priorities) {
      Predicate<Operation> same =
          each -> each.verb().equals("prioritize") && each.mark().equals(priority);
      long found =
          ofUsers("prioritize").stream()
              .filter(event -> event.string("priority").equals(priority))
              .count();
      boolean expected = !priority.equals("MEDIUM") && count(same, Answer.ACKNOWLEDGED) > 0;
      compare("prioritize " + priority, found, expected ? 1 : 0, same);
    }
  }

  private void compare(String what, long found, long least, Predicate<Operation> same) {
    long most = count(same, Answer.ACKNOWLEDGED) + count(same, Answer.UNKNOWN);
    if (found < least || found > most) {
      problems.add(
          "%s is in its log %d times, and should be %d to %d times"
              .formatted(what, found, least, most));
    }
  }

  private long count(Predicate<Operation> which, Answer answer) {
    return operations.stream().filter(which).filter(each -> each.answer() == answer).count();
  }

  private List<JsonObject> ofUsers(String kind) {
    return job.events(kind).stream()
        .filter(event -> event.string("by", "").equals("user"))
        .toList();
  }

  private void marked(Operation operation) throws IOException {
    String mark = operation.mark();
    long found;
    if (operation.verb().equals("tasks")) {
      found = job.tasksWith(1, mark);
    } else if (operation.verb().equals("describe")) {
      found =
          job.events("describe").stream()
              .filter(event -> event.object("metadata").string("mark", "").equals(mark))
              .count();
    } else if (COUNTED.contains(operation.verb()) && !mark.isEmpty()) {
      found =
          job.events(operation.verb()).stream()
              .filter(event -> event.string("comment", "").equals(mark))
              .count();
    } else {
      return;
    }
    if (operation.answer() == Answer.ACKNOWLEDGED && found == 0) {
      problems.add("acknowledged, but not there: " + operation);
    } else if (operation.answer() == Answer.REFUSED && found > 0) {
      problems.add("refused, and done: " + operation);
    } else if (found > 1) {
      problems.add("done " + found + " times: " + operation);
    }
  }
}
