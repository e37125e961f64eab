package dev.millrace.cli.soak;

import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The jobs that clients submit. None of them fails by itself, however often it is interrupted. */
final class SoakDocuments {
  /** The tasks of this type are for workers over HTTP. */
  static final String REMOTE = "soak";

  /** The tasks of this type are for a program of the server. */
  static final String PROGRAM = "shout";

  private static final int PATIENCE = 1_000;

  enum Kind {
    /** Two stages: tasks for remote workers, then a program for each of their results. */
    STAGES,
    /** Its second stage waits for an approval. */
    GATED,
    /** Submitted PAUSED. */
    HELD,
    /** Submitted PAUSED, and takes more tasks until it is resumed and its stage begins. */
    OPEN,
    /** A few tokens of the house model. */
    GENERATED
  }

  private SoakDocuments() {}

  static Kind kind(SplittableRandom random) {
    int drawn = random.nextInt(20);
    return drawn < 10
        ? Kind.STAGES
        : drawn < 13
            ? Kind.GATED
            : drawn < 16 ? Kind.HELD : drawn < 19 ? Kind.OPEN : Kind.GENERATED;
  }

  static JsonObject document(Kind kind, String name) {
    JsonObject document = JsonObject.create().put("name", name);
    return switch (kind) {
      case STAGES ->
          document.put(
              "stages", List.of(remote(name, 3), stage(PROGRAM).put("each", "loud {{result}}")));
      case GATED ->
          document.put("stages", List.of(program(name), remote(name, 1).put("gate", true)));
      case HELD -> document.put("hold", true).put("stages", List.of(program(name)));
      case OPEN ->
          document.put("open", true).put("hold", true).put("stages", List.of(remote(name, 2)));
      case GENERATED ->
          document.put(
              "stages",
              List.of(
                  stage("generate")
                      .put("data", JsonObject.create().put("max_tokens", 6))
                      .put("tasks", List.of("Write a story about " + name))));
    };
  }

  private static JsonObject remote(String name, int tasks) {
    return stage(REMOTE)
        .put(
            "tasks",
            IntStream.rangeClosed(1, tasks).mapToObj(n -> "task " + n + " of " + name).toList());
  }

  private static JsonObject program(String name) {
    return stage(PROGRAM).put("tasks", List.of("task of " + name));
  }

  private static JsonObject stage(String type) {
    return JsonObject.create()
        .put("type", type)
        .put("maxAttempts", PATIENCE)
        .put("recoveryCeiling", PATIENCE)
        .put("backoff", JsonObject.create().put("base", "PT0.2S").put("max", "PT2S"));
  }
}
