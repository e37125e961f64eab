package dev.millrace.store.fs.internal.inbox;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader.QueuePosition;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.stats.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The reply to an {@link InboxRequest}, as a file among the answers. */
public final class InboxReply {
  private static final String PLACE = "place";
  private static final String CENSUS = "census";

  /** The request was too old; a requester that still waits repeats it. */
  public static final Object EXPIRED = new Object();

  private InboxReply() {}

  static String write(Object answer) {
    JsonObject out = JsonObject.create();
    return Json.write(
        switch (answer) {
          case Object old when old == EXPIRED -> out.put("answer", "expired");
          case Outcome of -> answer(out, of);
          case Optional<?> position -> position(out.put("answer", PLACE), position.orElse(null));
          case QueueStats census -> census(out.put("answer", CENSUS), census);
          case Integer count -> out.put("answer", "count").put("count", count);
          case IllegalArgumentException e ->
              out.put("answer", "invalid").put("message", String.valueOf(e.getMessage()));
          case RuntimeException e ->
              out.put("answer", "error").put("message", String.valueOf(e.getMessage()));
          default -> throw new IllegalArgumentException(answer.toString());
        });
  }

  private static JsonObject answer(JsonObject out, Outcome answer) {
    return switch (answer) {
      case Outcome.Done(int first) ->
          out.put("answer", "done").putIfPresent("first", first == 0 ? null : first);
      case Outcome.Refused(Reason reason, String message) ->
          out.put("answer", "refused").put("reason", reason.name()).put("message", message);
      case Outcome.Fenced(String message) -> out.put("answer", "fenced").put("message", message);
      case Outcome.Cancelled(String message) ->
          out.put("answer", "cancelled").put("message", message);
      case Outcome.Missing(String message) -> out.put("answer", "missing").put("message", message);
    };
  }

  private static JsonObject position(JsonObject out, @Nullable Object position) {
    if (position instanceof QueuePosition(int ahead, int waiting, Duration eta)) {
      out.put("ahead", ahead).put("waiting", waiting);
      out.putIfPresent("eta", eta == null ? null : eta.toString());
    }
    return out;
  }

  private static JsonObject census(JsonObject out, QueueStats census) {
    JsonObject jobs = JsonObject.create();
    census.jobs().forEach((state, count) -> jobs.put(state.name(), count));
    List<JsonObject> lines = new ArrayList<>();
    for (QueueStats.TypeStats line : census.types()) {
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

  /** The outcome, as {@link InboxRequest#run} returned it. */
  public static Object read(String text) {
    JsonObject in = Json.object(text);
    String message = in.string("message", "");
    return switch (in.string("answer")) {
      case "done" -> new Outcome.Done((int) in.integer("first", 0));
      case "refused" ->
          new Outcome.Refused(
              Reason.valueOf(in.string("reason", Reason.TRANSITION.name())), message);
      case "fenced" -> new Outcome.Fenced(message);
      case "cancelled" -> new Outcome.Cancelled(message);
      case "missing" -> new Outcome.Missing(message);
      case PLACE -> readPlace(in);
      case CENSUS -> readCensus(in);
      case "expired" -> EXPIRED;
      case "count" -> (int) in.integer("count");
      case "invalid" -> throw new IllegalArgumentException(message);
      default -> throw new StoreException(message);
    };
  }

  private static Optional<QueuePosition> readPlace(JsonObject in) {
    String eta = in.string("eta", null);
    return in.has("waiting")
        ? Optional.of(
            new QueuePosition(
                (int) in.integer("ahead"),
                (int) in.integer("waiting"),
                eta == null ? null : Duration.parse(eta)))
        : Optional.empty();
  }

  private static QueueStats readCensus(JsonObject in) {
    Map<JobState, Integer> jobs = new EnumMap<>(JobState.class);
    JsonObject counts = in.object("jobs");
    counts
        .values()
        .keySet()
        .forEach(state -> jobs.put(JobState.valueOf(state), (int) counts.integer(state)));
    List<QueueStats.TypeStats> lines = new ArrayList<>();
    for (Object each : in.list("lines")) {
      JsonObject line = JsonObject.of(each, "line");
      String oldest = line.string("oldest", null);
      lines.add(
          new QueueStats.TypeStats(
              line.string("type"),
              Priority.valueOf(line.string("priority")),
              (int) line.integer("waiting"),
              line.integer("pending"),
              line.integer("retried"),
              line.integer("running"),
              oldest == null ? null : Instant.parse(oldest)));
    }
    return new QueueStats(jobs, lines);
  }
}
