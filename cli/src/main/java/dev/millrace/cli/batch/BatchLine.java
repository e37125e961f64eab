package dev.millrace.cli.batch;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import org.jspecify.annotations.Nullable;

/**
 * A request of a batch file.
 *
 * @param number of its line in the file, from 1; empty lines count
 */
record BatchLine(int number, Identity identity, TaskSpec task) {
  private static final String CUSTOM_ID = "custom_id";
  private static final String HASH = "line_sha256";
  private static final String OCCURRENCE = "occurrence";

  /**
   * What makes a request the same one in a file that was edited. Its task keeps this as metadata,
   * so that the jobs themselves say which lines they answer.
   *
   * @param sha256 of the line, in hexadecimal digits
   * @param occurrence 1 for the first of equal lines, 2 for the second
   */
  record Identity(String customId, String sha256, int occurrence) {

    /** A short key for the ids of its answer: the same however often the request is run. */
    String key() {
      return Sha256.hexOf(sha256 + " " + customId).substring(0, 16) + "-" + occurrence;
    }

    JsonObject metadata() {
      return JsonObject.create()
          .put(CUSTOM_ID, customId)
          .put(HASH, sha256)
          .putIfPresent(OCCURRENCE, occurrence == 1 ? null : (long) occurrence);
    }

    /** From a task's metadata; null if that is not of a batch, or somebody has replaced it. */
    static @Nullable Identity of(JsonObject metadata) {
      return metadata.get(CUSTOM_ID) instanceof String id
              && metadata.get(HASH) instanceof String hash
              && metadata.values().getOrDefault(OCCURRENCE, 1L) instanceof Long occurrence
          ? new Identity(id, hash, occurrence.intValue())
          : null;
    }
  }

  String customId() {
    return identity.customId();
  }

  /** The most tokens that its answer can have; -1 if the request does not say. */
  long maxTokens() {
    return JsonObject.of(task.input(), "a request").get("max_tokens") instanceof Long most
        ? most
        : -1;
  }
}
