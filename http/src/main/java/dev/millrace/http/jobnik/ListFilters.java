package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.job.JobDisplayName;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.RequestParameters;
import dev.millrace.http.route.ApiRequest;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Reads the filters of a list from the query of a request. */
final class ListFilters {
  private ListFilters() {}

  /** A period of creation times, both ends included. */
  record Period(@Nullable Instant from, @Nullable Instant to) {
    /** The most that the creation of a job differs from the time in its id. */
    private static final Duration SLACK = Duration.ofDays(2);

    static Period of(ApiRequest call) {
      return new Period(
          RequestParameters.time(call, "from_date"), RequestParameters.time(call, "end_date"));
    }

    boolean contains(Instant time) {
      return (from == null || !time.isBefore(from)) && (to == null || !time.isAfter(to));
    }

    /** Whether a job with this id may be in the period; most others need not be read. */
    boolean mayContain(JobId id) {
      if (EntityId.isHashed(EntityId.of(id).uuid())) {
        return true; // a directory that a user has named: the id has no time
      }
      Instant time = Instant.ofEpochSecond(0, id.micros() * 1_000);
      return (from == null || !time.plus(SLACK).isBefore(from))
          && (to == null || !time.minus(SLACK).isAfter(to));
    }
  }

  /**
   * The filter of a list of jobs.
   *
   * @param query what the store selects by itself
   */
  record OfJobs(@Nullable String name, @Nullable Priority priority, Period period, Query query) {
    static OfJobs of(ApiRequest call) {
      boolean atGate = RequestParameters.flag(call, "waits_for_approval");
      return new OfJobs(
          call.query("job_name").orElse(null),
          call.query("priority").map(JobDocument::priority).orElse(null),
          Period.of(call),
          (atGate ? Query.waitingForApproval() : Query.all())
              .idContaining(call.query("id_part").orElse(null)));
    }

    boolean accept(JobView job) {
      return (name == null || name.equals(JobDisplayName.of(job)))
          && (priority == null || priority == job.header().priority())
          && period.contains(job.createdAt());
    }
  }

  /** The filter of a list of stages. */
  record OfStages(@Nullable String type, @Nullable StageState state) {
    static OfStages of(ApiRequest call) {
      return new OfStages(
          call.query("stage_type").orElse(null),
          call.query("stage_operation_status")
              .map(text -> enumConstant(StageState.class, text))
              .orElse(null));
    }

    boolean accept(StageView stage) {
      return (type == null || type.equals(stage.type()))
          && (state == null || state == stage.state());
    }
  }

  /** The filter of a list of tasks. */
  record OfTasks(@Nullable String type, @Nullable TaskState state, Period period) {
    static final OfTasks ALL = new OfTasks(null, null, new Period(null, null));

    static OfTasks of(ApiRequest call) {
      return new OfTasks(
          call.query("stage_type").orElse(null),
          call.query("status").map(text -> enumConstant(TaskState.class, text)).orElse(null),
          Period.of(call));
    }

    /** Whether a stage may have matching tasks. */
    boolean mayAccept(StageView stage) {
      return (type == null || type.equals(stage.type()))
          && (state == null ? stage.total() : stage.tasks().getOrDefault(state, 0)) > 0;
    }

    boolean accept(TaskView task) {
      return (state == null || state == task.state()) && period.contains(task.createdAt());
    }
  }

  private static <E extends Enum<E>> E enumConstant(Class<E> states, String text) {
    try {
      return Enum.valueOf(states, text);
    } catch (IllegalArgumentException e) {
      throw JobnikProblems.invalid("\"" + text + "\" is no status; GET /openapi.json lists them");
    }
  }
}
