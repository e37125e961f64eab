package dev.millrace.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out of answers the fields that Jobnik does not have. Its schema forbids additional ones,
 * and strict clients refuse them: they are sent only to clients that ask for them with a header, as
 * the SDK does. A worker that gives its name gets them too, because it needs its token.
 */
final class ExtensionFields {
  static final String HEADER = "Millrace-Extensions";

  /** The fields of an entity in Jobnik. */
  private enum Entity {
    SUMMARY("pending", "inProgress", "completed", "failed", "created", "retried", "total"),
    TASK(
        "id",
        "stageId",
        "data",
        "userMetadata",
        "status",
        "attempts",
        "maxAttempts",
        "creationTime",
        "updateTime",
        "startTime",
        "endTime",
        "traceparent",
        "tracestate"),
    STAGE(
        "id",
        "jobId",
        "type",
        "order",
        "data",
        "userMetadata",
        "status",
        "percentage",
        "summary",
        "traceparent",
        "tracestate",
        "tasks"),
    JOB(
        "id",
        "name",
        "data",
        "userMetadata",
        "priority",
        "status",
        "percentage",
        "creationTime",
        "updateTime",
        "traceparent",
        "tracestate",
        "stages");

    private final Set<String> fields;

    Entity(String... fields) {
      this.fields = Set.of(fields);
    }

    /** The entity that a field contains; null if it is a plain value. */
    private static @Nullable Entity in(String field) {
      return switch (field) {
        case "stages" -> STAGE;
        case "tasks" -> TASK;
        case "summary" -> SUMMARY;
        default -> null;
      };
    }
  }

  /** Jobnik's own operations by what they answer; other operations answer all fields. */
  private static final Map<String, Entity> ANSWERS =
      Map.ofEntries(
          Map.entry("findJobs", Entity.JOB),
          Map.entry("createJob", Entity.JOB),
          Map.entry("getJobById", Entity.JOB),
          Map.entry("getStagesByJobId", Entity.STAGE),
          Map.entry("addStage", Entity.STAGE),
          Map.entry("getStages", Entity.STAGE),
          Map.entry("getStageById", Entity.STAGE),
          Map.entry("getStageSummary", Entity.SUMMARY),
          Map.entry("getTasksByStageId", Entity.TASK),
          Map.entry("addTasks", Entity.TASK),
          Map.entry("getTasks", Entity.TASK),
          Map.entry("getTaskById", Entity.TASK),
          Map.entry("dequeueTask", Entity.TASK),
          Map.entry("updateTaskStatus", Entity.TASK));

  private ExtensionFields() {}

  /** The route with answers that have only the fields that the client wants. */
  static Route filter(Route route) {
    Entity entity = ANSWERS.get(route.operationId());
    if (entity == null) {
      return route;
    }
    return new Route(
        route.method(),
        route.path(),
        route.operationId(),
        route.scope(),
        call -> {
          boolean wanted = areWanted(call);
          ApiResponse answer = route.handler().handle(call);
          return answer instanceof ApiResponse.Json json && !wanted
              ? new ApiResponse.Json(
                  json.status(), json.headers(), strip(entity, json.body()), json.undelivered())
              : answer;
        });
  }

  private static boolean areWanted(ApiRequest call) {
    String asked = call.header(HEADER).orElse("false");
    if (!asked.equals("true") && !asked.equals("false")) {
      throw JobnikProblems.invalid("request/headers/" + HEADER + " must be true or false");
    }
    return asked.equals("true") || call.header(WorkerRoutes.WORKER).isPresent();
  }

  /** The same value, entity or list of entities with Jobnik's fields only. */
  private static @Nullable Object strip(Entity entity, @Nullable Object body) {
    return switch (body) {
      case List<?> list -> list.stream().map(one -> strip(entity, one)).toList();
      case JsonObject object -> {
        Map<String, @Nullable Object> kept = new LinkedHashMap<>();
        object
            .values()
            .forEach(
                (name, value) -> {
                  if (entity.fields.contains(name)) {
                    Entity inside = entity == Entity.SUMMARY ? null : Entity.in(name);
                    kept.put(name, inside == null ? value : strip(inside, value));
                  }
                });
        yield JsonObject.of(kept, "answer");
      }
      case null, default -> body;
    };
  }
}
