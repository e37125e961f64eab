package dev.millrace.store.fs.internal.inbox;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.state.Actor;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A lever that one process asks the owner to carry out, as a file in the inbox.
 *
 * @param more the parameters of this lever
 */
public record InboxRequest(String lever, @Nullable JobId job, Cause cause, JsonObject more) {
  /** How long its sender waits. A process that was killed meanwhile must not be obeyed later. */
  public static final Duration LIFETIME = Duration.ofSeconds(30);

  private static final String PLACE = "place";
  private static final String CENSUS = "census";

  /** Asks for a lever. */
  public static InboxRequest of(JobId job, Lever lever, Cause cause) {
    return new InboxRequest(LeverJson.name(lever), job, cause, LeverJson.parameters(lever));
  }

  private InboxRequest with(String name, Object value) {
    more.put(name, value);
    return this;
  }

  /** Not a lever, but a question that only the owner can answer. */
  public static InboxRequest queuePosition(JobId job) {
    return new InboxRequest(PLACE, job, Cause.user(null, null), JsonObject.create());
  }

  /** Makes a new request. */
  public static InboxRequest queueStats() {
    return new InboxRequest(CENSUS, null, Cause.user(null, null), JsonObject.create());
  }

  public static InboxRequest prune(Instant before, Set<JobState> states) {
    return new InboxRequest("prune", null, Cause.user(null, null), JsonObject.create())
        .with("before", before.toString())
        .with("states", List.copyOf(states));
  }

  /**
   * @param now by the sender's clock
   */
  public String write(String op, Instant now) {
    JsonObject out =
        JsonObject.create()
            .put("at", now.toString())
            .put("expires", now.plus(LIFETIME).toString())
            .put("lever", lever)
            .putIfPresent("job", job == null ? null : job.value())
            .putIfPresent("who", cause.who())
            .putIfPresent("comment", cause.comment())
            .put("op", op);
    more.values().forEach(out::put);
    return Json.write(out);
  }

  public static InboxRequest read(String text) {
    try {
      JsonObject in = Json.object(text);
      String job = in.string("job", null);
      return new InboxRequest(
          in.string("lever"),
          job == null ? null : new JobId(job),
          new Cause(
              Actor.USER, in.string("who", null), in.string("comment", null), in.string("op")),
          in);
    } catch (IllegalArgumentException e) {
      throw new JsonException("not a request: " + e.getMessage());
    }
  }

  /**
   * Whether its sender has given up by now. A time long before the request was written, as after a
   * clock was set back, says nothing about its age: such a request has expired, too, and a sender
   * that still waits repeats it.
   *
   * @param otherwise when it was written, if it does not say so itself
   */
  boolean isExpired(Instant now, Instant otherwise) {
    try {
      String written = more.string("at", null);
      String expires = more.string("expires", null);
      Instant at = written == null ? named(otherwise) : Instant.parse(written);
      Instant end = expires == null ? at.plus(LIFETIME) : Instant.parse(expires);
      return now.isAfter(end) || now.isBefore(at.minus(LIFETIME));
    } catch (DateTimeException | IllegalArgumentException e) {
      return true;
    }
  }

  /** When its id was made. */
  private Instant named(Instant otherwise) {
    String op = cause.op();
    return op == null
        ? otherwise
        : JobId.parse(op)
            .map(id -> Instant.EPOCH.plus(id.micros(), ChronoUnit.MICROS))
            .orElse(otherwise);
  }

  /** Carries out the lever; a number is how many jobs were pruned. */
  public Object run(JobStore store) {
    try {
      return switch (lever) {
        case PLACE -> store.queuePosition(named());
        case CENSUS -> store.queueStats();
        case "prune" -> store.prune(before(), states());
        default -> store.apply(named(), LeverJson.read(lever, more), cause);
      };
    } catch (DateTimeException e) {
      throw new JsonException("not a request: " + e.getMessage());
    }
  }

  private Instant before() {
    String before = more.string("before", null);
    return before == null ? Instant.MIN : Instant.parse(before);
  }

  private Set<JobState> states() {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    more.list("states").forEach(state -> states.add(JobState.valueOf(String.valueOf(state))));
    return states;
  }

  private JobId named() {
    if (job == null) {
      throw new JsonException("the request names no job");
    }
    return job;
  }
}
