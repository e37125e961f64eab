package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.state.Actor;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Reading.QueuePlace;
import dev.millrace.core.store.StoreException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A lever that one process asks another to pull, as a file in the inbox. */
record Request(
    String lever,
    @Nullable JobId job,
    int stage,
    Cause cause,
    @Nullable Instant before,
    Set<JobState> states) {
  private static final String PLACE = "place";

  static Request on(String lever, JobId job, int stage, Cause cause) {
    return new Request(lever, job, stage, cause, null, Set.of());
  }

  /** Not a lever, but a question that only the owner can answer. */
  static Request place(JobId job) {
    return on(PLACE, job, 0, Cause.user(null, null));
  }

  static Request prune(Instant before, Set<JobState> states) {
    return new Request("prune", null, 0, Cause.user(null, null), before, states);
  }

  String write(String op) {
    return Json.write(
        JsonObject.create()
            .put("lever", lever)
            .putIfPresent("job", job == null ? null : job.value())
            .put("stage", stage)
            .putIfPresent("who", cause.who())
            .putIfPresent("comment", cause.comment())
            .put("op", op)
            .putIfPresent("before", before == null ? null : before.toString())
            .put("states", List.copyOf(states)));
  }

  static Request read(String text) {
    try {
      JsonObject in = Json.object(text);
      String job = in.string("job", null);
      String before = in.string("before", null);
      Set<JobState> states = EnumSet.noneOf(JobState.class);
      in.list("states").forEach(state -> states.add(JobState.valueOf(String.valueOf(state))));
      return new Request(
          in.string("lever"),
          job == null ? null : new JobId(job),
          (int) in.integer("stage", 0),
          new Cause(
              Actor.USER, in.string("who", null), in.string("comment", null), in.string("op")),
          before == null ? null : Instant.parse(before),
          states);
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new JsonException("not a request: " + e.getMessage());
    }
  }

  /** Pulls the lever; a number is how many jobs were pruned. */
  Object run(JobStore store) {
    return switch (lever) {
      case "pause" -> store.pause(named(), cause);
      case "resume" -> store.resume(named(), cause);
      case "abort" -> store.abort(named(), cause);
      case "approve" -> store.approve(named(), stage, cause);
      case "hold" -> store.hold(named(), stage, cause);
      case PLACE -> store.queuePlace(named());
      case "prune" -> store.prune(before == null ? Instant.MIN : before, states);
      default -> throw new JsonException("unknown lever \"" + lever + "\"");
    };
  }

  private JobId named() {
    if (job == null) {
      throw new JsonException("the request names no job");
    }
    return job;
  }

  static String answer(Object answer) {
    JsonObject out = JsonObject.create();
    return Json.write(
        switch (answer) {
          case Answer.Done _ -> out.put("answer", "done");
          case Answer.Refused(String message) ->
              out.put("answer", "refused").put("message", message);
          case Answer.Fenced(String message) -> out.put("answer", "fenced").put("message", message);
          case Answer.Cancelled(String message) ->
              out.put("answer", "cancelled").put("message", message);
          case Answer.Missing(String message) ->
              out.put("answer", "missing").put("message", message);
          case Optional<?> place -> place(out.put("answer", PLACE), place.orElse(null));
          case Integer count -> out.put("answer", "count").put("count", count);
          case RuntimeException e -> out.put("answer", "error").put("message", e.getMessage());
          default -> throw new IllegalArgumentException(answer.toString());
        });
  }

  private static JsonObject place(JsonObject out, @Nullable Object place) {
    if (place instanceof QueuePlace(int ahead, int waiting, Duration eta)) {
      out.put("ahead", ahead).put("waiting", waiting);
      out.putIfPresent("eta", eta == null ? null : eta.toString());
    }
    return out;
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

  static Object readAnswer(String text) {
    JsonObject in = Json.object(text);
    String message = in.string("message", "");
    return switch (in.string("answer")) {
      case "done" -> Answer.DONE;
      case "refused" -> new Answer.Refused(message);
      case "fenced" -> new Answer.Fenced(message);
      case "cancelled" -> new Answer.Cancelled(message);
      case "missing" -> new Answer.Missing(message);
      case PLACE -> readPlace(in);
      case "count" -> (int) in.integer("count");
      default -> throw new StoreException(message);
    };
  }
}
