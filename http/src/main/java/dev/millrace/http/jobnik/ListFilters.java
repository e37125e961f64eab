package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.job.JobDisplayName;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** What a list was asked to leave out. */
final class ListFilters {
  private ListFilters() {}

  /** When something was created, both ends included. */
  record Period(@Nullable Instant from, @Nullable Instant to) {
    /** A job is made within this time of the time in its id. */
    private static final Duration SLACK = Duration.ofDays(2);

    static Period of(ApiRequest call) {
      return new Period(time(call, "from_date"), time(call, "end_date"));
    }

    boolean contains(Instant time) {
      return (from == null || !time.isBefore(from)) && (to == null || !time.isAfter(to));
    }

    /** Whether a job of that id could be of this period: saves reading most that are not. */
    boolean mayContain(JobId id) {
      if (EntityId.isHashed(EntityId.of(id).uuid())) {
        return true; // somebody else named it: the time in it may mean nothing
      }
      Instant time = Instant.ofEpochSecond(0, id.micros() * 1_000);
      return (from == null || !time.plus(SLACK).isBefore(from))
          && (to == null || !time.minus(SLACK).isAfter(to));
    }

    private static @Nullable Instant time(ApiRequest call, String name) {
      String text = call.query(name).orElse(null);
      try {
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeParseException e) {
        throw JobnikProblems.invalid(
            "request/query/"
                + name
                + " must be a time such as 2026-01-31T09:00:00Z, got \""
                + text
                + "\"");
      }
    }
  }

  /** Of jobs. */
  record OfJobs(@Nullable String name, @Nullable Priority priority, Period period) {
    static OfJobs of(ApiRequest call) {
      return new OfJobs(
          call.query("job_name").orElse(null),
          call.query("priority").map(JobDocument::priority).orElse(null),
          Period.of(call));
    }

    boolean accept(JobView job) {
      return (name == null || name.equals(JobDisplayName.of(job)))
          && (priority == null || priority == job.header().priority())
          && period.contains(job.createdAt());
    }
  }

  /** Of stages. */
  record OfStages(@Nullable String type, @Nullable StageState state) {
    static OfStages of(ApiRequest call) {
      return new OfStages(
          call.query("stage_type").orElse(null),
          call.query("stage_operation_status")
              .map(text -> word(StageState.class, text))
              .orElse(null));
    }

    boolean accept(StageView stage) {
      return (type == null || type.equals(stage.type()))
          && (state == null || state == stage.state());
    }
  }

  /** Of tasks. */
  record OfTasks(@Nullable String type, @Nullable TaskState state, Period period) {
    static final OfTasks ALL = new OfTasks(null, null, new Period(null, null));

    static OfTasks of(ApiRequest call) {
      return new OfTasks(
          call.query("stage_type").orElse(null),
          call.query("status").map(text -> word(TaskState.class, text)).orElse(null),
          Period.of(call));
    }

    /** Whether a stage can have any. */
    boolean mayAccept(StageView stage) {
      return (type == null || type.equals(stage.type()))
          && (state == null ? stage.total() : stage.tasks().getOrDefault(state, 0)) > 0;
    }

    boolean accept(TaskView task) {
      return (state == null || state == task.state()) && period.contains(task.createdAt());
    }
  }

  private static <E extends Enum<E>> E word(Class<E> states, String text) {
    try {
      return Enum.valueOf(states, text);
    } catch (IllegalArgumentException e) {
      throw JobnikProblems.invalid("\"" + text + "\" is no status; GET /openapi.json lists them");
    }
  }
}
