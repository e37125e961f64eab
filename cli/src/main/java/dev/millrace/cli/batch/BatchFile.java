package dev.millrace.cli.batch;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Utf8Decoder;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.server.infer.parameters.ModelNameMatcher;
import dev.millrace.server.infer.parameters.TaskCheck;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A valid file of OpenAI batch requests, one JSON object per line.
 *
 * @param sha256 of its bytes, in hexadecimal digits
 */
record BatchFile(BatchEndpoint endpoint, List<BatchLine> lines, String sha256) {
  private static final int LONGEST_LINE = 16_000_000;
  private static final Set<String> FIELDS = Set.of("custom_id", "method", "url", "body");

  /**
   * The models that its lines may name.
   *
   * @param override whether one model answers all lines, whatever they name
   * @param served the names that can be used; null if not known yet
   */
  record Models(boolean override, @Nullable Set<String> served) {}

  /** The most tokens of an answer, as the mean of its lines; -1 if a line does not say. */
  long meanLimit() {
    boolean known = lines.stream().allMatch(line -> line.maxTokens() >= 0);
    return known ? lines.stream().mapToLong(BatchLine::maxTokens).sum() / lines.size() : -1;
  }

  /** Identifies the file, short enough for a tag. */
  String key() {
    return sha256.substring(0, 16);
  }

  /**
   * Reads it.
   *
   * @throws CommandException that lists the first problems with line, field and rule
   */
  static BatchFile read(Path file, String name, Models models) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new CommandException(
          name + (Files.exists(file) ? " is not a file" : " does not exist"));
    }
    Reader reader = new Reader(name, models);
    MessageDigest digest = Sha256.digest();
    try (InputStream in =
        new BufferedInputStream(
            new DigestInputStream(Files.newInputStream(file), digest), 1 << 16)) {
      reader.lines(in);
      reader.problems.throwIfAny();
      BatchEndpoint endpoint = reader.endpoint;
      if (endpoint == null) {
        throw new CommandException(name + " has no request in it");
      }
      String sum = Sha256.hex(digest.digest());
      return new BatchFile(endpoint, reader.lines, sum);
    }
  }

  /** The first line with a custom_id, and how many equal lines there are so far. */
  private record FirstUse(int line, String sha256, int count) {}

  /** Reads line by line, and continues after a bad one to find more problems. */
  private static final class Reader {
    private final String name;
    private final Models models;
    private final BatchProblems problems;
    private final TaskCheck check = new TaskCheck();
    private final List<BatchLine> lines = new ArrayList<>();
    private final Map<String, FirstUse> firstUses = new HashMap<>();
    private @Nullable BatchEndpoint endpoint;
    private int number;

    Reader(String name, Models models) {
      this.name = name;
      this.models = models;
      this.problems = new BatchProblems(name);
    }

    void lines(InputStream in) throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int value = in.read(); value >= 0; value = in.read()) {
        if (value == '\n') {
          line(line);
        } else if (line.size() < LONGEST_LINE) {
          line.write(value);
        } else {
          throw new CommandException(name + ", line " + (number + 1) + " is longer than 16 MB");
        }
      }
      if (line.size() > 0) {
        line(line);
      }
    }

    private void line(ByteArrayOutputStream bytes) {
      number++;
      String where = name + ", line " + number;
      String text = Utf8Decoder.decode(bytes.toByteArray(), 0, bytes.size(), where);
      bytes.reset();
      if (number == 1 && text.startsWith("\uFEFF")) {
        text = text.substring(1);
      }
      if (text.isBlank()) {
        return;
      }
      if (lines.size() == StageSpec.MAX_TASKS) {
        throw new CommandException(
            name
                + " has more than "
                + StageSpec.MAX_TASKS
                + " requests; cut it, for example with: split -l "
                + StageSpec.MAX_TASKS);
      }
      try {
        request(Json.object(text), Sha256.hexOf(text.stripTrailing()));
      } catch (JsonException e) {
        problems.add(number, "", "is not a JSON object: " + e.getMessage());
      }
    }

    private void request(JsonObject line, String sha256) {
      for (String field : line.values().keySet()) {
        if (!FIELDS.contains(field)) {
          problems.add(number, field, "is not a field of a batch request");
        }
      }
      BatchLine.Identity identity = identity(line.get("custom_id"), sha256);
      if (!"POST".equals(line.get("method"))) {
        problems.add(number, "method", "must be \"POST\"");
      }
      BatchEndpoint here = endpoint(line.get("url"));
      if (!(line.get("body") instanceof Map<?, ?>)) {
        problems.add(number, "body", "must be an object");
      } else if (here != null) {
        Map<String, @Nullable Object> task =
            BatchRequestReader.read(
                here,
                line.object("body"),
                (field, rule) -> problems.add(number, "body." + field, rule));
        model(task);
        values(here, task);
        if (identity != null) {
          lines.add(
              new BatchLine(
                  number, identity, new TaskSpec(task, false, null, identity.metadata(), null)));
        }
      }
    }

    /** Checks the parameters by the worker's own rules, unless the line has a problem already. */
    private void values(BatchEndpoint here, Map<String, @Nullable Object> task) {
      String problem = check.problem(here.type(), JsonObject.create(), task);
      if (problem != null && !problems.has(number)) {
        problems.add(number, "body:", problem);
      }
    }

    /**
     * Equal lines are answered one by one. Different ones need different ids: their answers could
     * not be told apart.
     */
    private BatchLine.@Nullable Identity identity(@Nullable Object id, String sha256) {
      if (!(id instanceof String text) || text.isEmpty()) {
        problems.add(number, "custom_id", "must be a text that is not empty");
        return null;
      }
      FirstUse use = firstUses.getOrDefault(text, new FirstUse(number, sha256, 0));
      if (!use.sha256().equals(sha256)) {
        problems.add(
            number,
            "custom_id",
            "\""
                + SanitizedText.line(text, 80)
                + "\" is also in line "
                + use.line()
                + ", with another request");
        return null;
      }
      firstUses.put(text, new FirstUse(use.line(), sha256, use.count() + 1));
      return new BatchLine.Identity(text, sha256, use.count() + 1);
    }

    private @Nullable BatchEndpoint endpoint(@Nullable Object url) {
      BatchEndpoint here = BatchEndpoint.of(url);
      if (here == null) {
        problems.add(number, "url", "must be one of " + BatchEndpoint.known());
      } else if (endpoint == null) {
        endpoint = here;
      } else if (here != endpoint) {
        problems.add(
            number, "url", "differs from the first line's, " + endpoint.url() + ": use two files");
      }
      return here;
    }

    private void model(Map<String, @Nullable Object> task) {
      Object model = models.override() ? task.remove("model") : task.get("model");
      Set<String> served = models.served();
      if (!models.override()
          && model != null
          && served != null
          && ModelNameMatcher.matches(served, model.toString()).size() != 1) {
        problems.add(
            number,
            "body.model",
            "\""
                + SanitizedText.line(model.toString(), 80)
                + "\" is not served; served are "
                + String.join(", ", served)
                + "; --model NAME uses one of them for all lines");
      }
    }
  }
}
