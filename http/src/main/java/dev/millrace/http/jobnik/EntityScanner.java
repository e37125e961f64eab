package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.StageContext;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Scans jobs, oldest first, with their stages and tasks in order, for one page of a list. */
final class EntityScanner {
  private final JobStore store;
  private final PageBuilder page;

  EntityScanner(JobStore store, PageBuilder page) {
    this.store = store;
    this.page = page;
  }

  void scanJobs(ListFilters.OfJobs filter, Function<JobView, JsonObject> json) {
    EntityId after = page.after();
    scanJobIds(
        filter.query(),
        after == null ? null : after.job(),
        id -> {
          if (filter.period().mayContain(id)) {
            find(id).filter(filter::accept).map(json).ifPresent(page::add);
          }
          return true;
        });
  }

  void scanStages(ListFilters.OfStages filter, Function<EntityLookup.StageInJob, JsonObject> json) {
    scanJobViews(_ -> true, job -> scanStages(job, filter, json));
  }

  /** Scans the stages of one job; returns whether the page has room for more. */
  boolean scanStages(
      JobView job,
      ListFilters.OfStages filter,
      Function<EntityLookup.StageInJob, JsonObject> json) {
    for (StageView stage : job.stages()) {
      EntityId id = EntityId.of(job.header().id(), stage.number());
      if (isBehind(id)) {
        continue;
      }
      if (!page.visit(id)) {
        return false;
      }
      if (filter.accept(stage)) {
        page.add(json.apply(new EntityLookup.StageInJob(job, stage)));
      }
    }
    return true;
  }

  void scanTasks(ListFilters.OfTasks filter) {
    // a job is at least as old as its tasks, and may be much older
    scanJobViews(
        id -> new ListFilters.Period(null, filter.period().to()).mayContain(id),
        job -> scanTasks(job, filter));
  }

  private boolean scanTasks(JobView job, ListFilters.OfTasks filter) {
    for (StageView stage : job.stages()) {
      if (filter.mayAccept(stage) && !scanTasks(new EntityLookup.StageInJob(job, stage), filter)) {
        return false;
      }
    }
    return true;
  }

  /** Scans the tasks of one stage; returns whether the page has room for more. */
  boolean scanTasks(EntityLookup.StageInJob stage, ListFilters.OfTasks filter) {
    JobId job = stage.job().header().id();
    int number = stage.stage().number();
    StageContext context = stage.context();
    EntityId after = page.after();
    boolean resumed = after != null && after.job().equals(job);
    if (resumed && after.stage() > number) {
      return true;
    }
    int from = resumed && after.stage() == number ? after.task() + 1 : 1;
    while (from <= stage.stage().total()) {
      int most = page.batchSize(Math.min(page.visitsLeft(), page.entriesLeft()) + 1);
      List<TaskView> tasks = store.tasks(job, number, from, most);
      for (TaskView task : tasks) {
        if (!page.visit(context.task(task.task()))) {
          return false;
        }
        JsonObject json = ApiTaskMapper.of(context, task).toJson();
        if (filter.accept(task)) {
          page.add(json);
        } else {
          page.skip(json);
        }
      }
      if (tasks.isEmpty()) {
        return true; // the job was deleted
      }
      from += tasks.size();
    }
    return true;
  }

  /** Visits jobs, starting with that of the cursor, until {@code visit} returns false. */
  private void scanJobViews(Predicate<JobId> filter, Predicate<JobView> visit) {
    EntityId after = page.after();
    if (after == null || find(after.job()).map(visit::test).orElse(true)) {
      scanJobIds(
          Query.all(),
          after == null ? null : after.job(),
          id -> !filter.test(id) || find(id).map(visit::test).orElse(true));
    }
  }

  private void scanJobIds(Query query, @Nullable JobId beyond, Predicate<JobId> visit) {
    JobId last = beyond;
    int most = page.entriesLeft() + 1; // enough if no job is filtered out
    while (true) {
      List<JobId> ids = store.list(query.oldest(most).beyond(last));
      for (JobId id : ids) {
        if (!page.visit(EntityId.of(id)) || !visit.test(id)) {
          return;
        }
        last = id;
      }
      if (ids.size() < most) {
        return;
      }
      most = page.visitsLeft() + 1;
    }
  }

  private boolean isBehind(EntityId id) {
    EntityId after = page.after();
    return after != null && after.job().equals(id.job()) && id.stage() <= after.stage();
  }

  /** A job that cannot be read is left out. */
  private Optional<JobView> find(JobId id) {
    try {
      return store.find(id);
    } catch (JobException e) {
      return Optional.empty();
    }
  }
}
