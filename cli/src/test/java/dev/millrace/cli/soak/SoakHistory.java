package dev.millrace.cli.soak;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was asked for, and what was answered; any number of threads add to it. */
final class SoakHistory {
  enum Answer {
    /** It happened, and stays. */
    ACKNOWLEDGED,
    /** It did not happen, and never will. */
    REFUSED,
    /** No answer came: it happened or it did not. */
    UNKNOWN
  }

  /**
   * @param verb what was asked for: {@code submit}, {@code pause}, {@code complete}, a fault, …
   * @param subject the job, or the task as {@code job/stage/task}
   * @param mark by which it is found in the job's log; empty if the verb alone is enough
   */
  record Operation(
      Instant at, String actor, String verb, String subject, String mark, Answer answer) {
    JsonObject toJson() {
      return JsonObject.create()
          .put("at", at.toString())
          .put("actor", actor)
          .put("verb", verb)
          .put("subject", subject)
          .put("mark", mark)
          .put("answer", answer.name());
    }
  }

  private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();

  void add(String actor, String verb, String subject, String mark, Answer answer) {
    operations.add(new Operation(Instant.now(), actor, verb, subject, mark, answer));
  }

  /** Something that must not happen was seen while the soak ran. */
  void problem(String text) {
    problems.add(Instant.now() + " " + text);
  }

  List<String> problems() {
    return List.copyOf(problems);
  }

  Stream<Operation> all(String verb) {
    return operations.stream().filter(operation -> operation.verb().equals(verb));
  }

  Stream<Operation> all() {
    return operations.stream();
  }

  /** How often each verb was answered how, such as {@code submit ACKNOWLEDGED}. */
  Map<String, Long> counts() {
    return operations.stream()
        .collect(
            Collectors.groupingBy(
                operation -> operation.verb() + " " + operation.answer(),
                TreeMap::new,
                Collectors.counting()));
  }

  void write(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.write(
        file,
        Stream.concat(
                operations.stream().map(operation -> Json.write(operation.toJson())),
                problems.stream().map(text -> Json.write(JsonObject.create().put("problem", text))))
            .toList());
  }
}
