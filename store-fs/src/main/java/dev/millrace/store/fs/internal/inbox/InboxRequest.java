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
import java.time.Instant;
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

  public String write(String op) {
    JsonObject out =
        JsonObject.create()
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
