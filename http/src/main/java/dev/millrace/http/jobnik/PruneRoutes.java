package dev.millrace.http.jobnik;

import static java.util.stream.Collectors.partitioningBy;
import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.millrace.api.PrunableJob;
import dev.millrace.api.UnreadableJob;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The route that deletes old finished jobs. It deletes many at once and cannot be undone, so it
 * needs a key for everything, unlike the deletion of one job.
 */
final class PruneRoutes {
  private static final Set<JobState> FINAL =
      Stream.of(JobState.values()).filter(JobState::isFinal).collect(toUnmodifiableSet());

  private final JobStore store;

  PruneRoutes(JobStore store) {
    this.store = store;
  }

  List<Route> routes() {
    return List.of(new Route("POST", "/v1/jobs/prune", "pruneJobs", KeyScope.ADMIN, this::prune));
  }

  private ApiResponse prune(ApiRequest call) {
    JsonObject body = call.bodyObject();
    Instant before = Instant.parse(body.string("before"));
    Set<JobState> states = states(body);
    if (body.flag("dryRun", false)) {
      return list(call, before, states);
    }
    refusePaging(call);
    return ApiResponse.ok(JsonObject.create().put("pruned", store.prune(before, states)));
  }

  /** Who sends a limit expects that no more jobs than that are deleted. */
  private static void refusePaging(ApiRequest call) {
    for (String name : List.of("limit", "cursor")) {
      if (call.query(name).isPresent()) {
        throw JobnikProblems.invalid(
            "request/query/" + name + " goes with dryRun only: a deletion has no pages");
      }
    }
  }

  private static Set<JobState> states(JsonObject body) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    for (Object state : body.list("states")) {
      states.add(JobState.valueOf(String.valueOf(state)));
    }
    return states.isEmpty() ? FINAL : states;
  }

  /** One page of the jobs that would be deleted, oldest first. */
  private ApiResponse list(ApiRequest call, Instant before, Set<JobState> states) {
    PageBuilder page = new PageBuilder(call);
    EntityId after = page.after();
    JobId last = after == null ? null : after.job();
    int most = page.entriesLeft() + 1; // enough if all of them are old
    while (true) {
      List<JobId> ids = store.list(Query.in(states).oldest(most).beyond(last));
      for (JobId id : ids) {
        if (!page.visit(EntityId.of(id))) {
          return page.reply(PruneRoutes::dryRun);
        }
        find(id, before).ifPresent(page::add);
        last = id;
      }
      if (ids.size() < most) {
        return page.reply(PruneRoutes::dryRun);
      }
      most = page.visitsLeft() + 1;
    }
  }

  private static JsonObject dryRun(List<JsonObject> entries) {
    Map<Boolean, List<JsonObject>> byReadable =
        entries.stream().collect(partitioningBy(entry -> entry.has("endTime")));
    return JsonObject.create()
        .put("pruned", 0)
        .put("jobs", byReadable.get(true))
        .put("unreadable", byReadable.get(false));
  }

  /** The job, if it ended before that time or cannot be read. */
  private Optional<JsonObject> find(JobId id, Instant before) {
    try {
      JobView job = store.find(id).orElse(null);
      Instant end = job == null ? null : job.completedAt();
      return end == null || !end.isBefore(before)
          ? Optional.empty()
          : Optional.of(new PrunableJob(EntityId.of(id).uuid(), id, job.state(), end).toJson());
    } catch (JobException e) {
      String why = String.valueOf(e.getMessage());
      return Optional.of(new UnreadableJob(EntityId.of(id).uuid(), id, why).toJson());
    }
  }
}
