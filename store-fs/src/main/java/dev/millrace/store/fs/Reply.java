package dev.millrace.store.fs;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Answer.Reason;
import dev.millrace.core.store.Census;
import dev.millrace.core.store.Controls.Added;
import dev.millrace.core.store.Reading.QueuePlace;
import dev.millrace.core.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What came of a {@link Request}, as a file among the answers. */
final class Reply {
  private static final String PLACE = "place";
  private static final String CENSUS = "census";

  private Reply() {}

  static String write(Object answer) {
    JsonObject out = JsonObject.create();
    return Json.write(
        switch (answer) {
          case Answer of -> answer(out, of);
          case Added(Answer of, int first) -> answer(out, of).put("first", first);
          case Optional<?> place -> place(out.put("answer", PLACE), place.orElse(null));
          case Census census -> census(out.put("answer", CENSUS), census);
          case Integer count -> out.put("answer", "count").put("count", count);
          case IllegalArgumentException e ->
              out.put("answer", "invalid").put("message", String.valueOf(e.getMessage()));
          case RuntimeException e ->
              out.put("answer", "error").put("message", String.valueOf(e.getMessage()));
          default -> throw new IllegalArgumentException(answer.toString());
        });
  }

  private static JsonObject answer(JsonObject out, Answer answer) {
    return switch (answer) {
      case Answer.Done _ -> out.put("answer", "done");
      case Answer.Refused(Reason reason, String message) ->
          out.put("answer", "refused").put("reason", reason.name()).put("message", message);
      case Answer.Fenced(String message) -> out.put("answer", "fenced").put("message", message);
      case Answer.Cancelled(String message) ->
          out.put("answer", "cancelled").put("message", message);
      case Answer.Missing(String message) -> out.put("answer", "missing").put("message", message);
    };
  }

  private static JsonObject place(JsonObject out, @Nullable Object place) {
    if (place instanceof QueuePlace(int ahead, int waiting, Duration eta)) {
      out.put("ahead", ahead).put("waiting", waiting);
      out.putIfPresent("eta", eta == null ? null : eta.toString());
    }
    return out;
  }

  private static JsonObject census(JsonObject out, Census census) {
    JsonObject jobs = JsonObject.create();
    census.jobs().forEach((state, count) -> jobs.put(state.name(), count));
    List<JsonObject> lines = new ArrayList<>();
    for (Census.Line line : census.lines()) {
      lines.add(
          JsonObject.create()
              .put("type", line.type())
              .put("priority", line.priority().name())
              .put("waiting", line.waiting())
              .put("pending", line.pending())
              .put("retried", line.retried())
              .put("running", line.running())
              .putIfPresent("oldest", line.oldest() == null ? null : line.oldest().toString()));
    }
    return out.put("jobs", jobs).put("lines", lines);
  }

  /** The answer, as {@link Request#run} gave it. */
  static Object read(String text) {
    JsonObject in = Json.object(text);
    String message = in.string("message", "");
    return switch (in.string("answer")) {
      case "done" -> added(in, Answer.DONE);
      case "refused" ->
          added(
              in,
              new Answer.Refused(
                  Reason.valueOf(in.string("reason", Reason.TRANSITION.name())), message));
      case "fenced" -> new Answer.Fenced(message);
      case "cancelled" -> new Answer.Cancelled(message);
      case "missing" -> added(in, new Answer.Missing(message));
      case PLACE -> readPlace(in);
      case CENSUS -> readCensus(in);
      case "count" -> (int) in.integer("count");
      case "invalid" -> throw new IllegalArgumentException(message);
      default -> throw new StoreException(message);
    };
  }

  private static Object added(JsonObject in, Answer answer) {
    return in.has("first") ? new Added(answer, (int) in.integer("first")) : answer;
  }

  private static Optional<QueuePlace> readPlace(JsonObject in) {
    String eta = in.string("eta", null);
    return in.has("waiting")
        ? Optional.of(
            new QueuePlace(
                (int) in.integer("ahead"),
                (int) in.integer("waiting"),
                eta == null ? null : Duration.parse(eta)))
        : Optional.empty();
  }

  private static Census readCensus(JsonObject in) {
    Map<JobState, Integer> jobs = new EnumMap<>(JobState.class);
    JsonObject counts = in.object("jobs");
    counts
        .values()
        .keySet()
        .forEach(state -> jobs.put(JobState.valueOf(state), (int) counts.integer(state)));
    List<Census.Line> lines = new ArrayList<>();
    for (Object each : in.list("lines")) {
      JsonObject line = JsonObject.of(each, "line");
      String oldest = line.string("oldest", null);
      lines.add(
          new Census.Line(
              line.string("type"),
              Priority.valueOf(line.string("priority")),
              (int) line.integer("waiting"),
              line.integer("pending"),
              line.integer("retried"),
              line.integer("running"),
              oldest == null ? null : Instant.parse(oldest)));
    }
    return new Census(jobs, lines);
  }
}
