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

/** Goes through jobs, oldest first, and what is in them, in order, for one page of a list. */
final class EntityScanner {
  private final JobStore store;
  private final PageBuilder listing;

  EntityScanner(JobStore store, PageBuilder listing) {
    this.store = store;
    this.listing = listing;
  }

  void scanJobs(ListFilters.OfJobs filter, Function<JobView, JsonObject> json) {
    EntityId after = listing.after();
    scanJobIds(
        after == null ? null : after.job(),
        id -> {
          if (filter.period().mayContain(id)) {
            find(id).filter(filter::accept).map(json).ifPresent(listing::add);
          }
          return true;
        });
  }

  void scanStages(ListFilters.OfStages filter, Function<EntityLookup.StageInJob, JsonObject> json) {
    scanJobViews(_ -> true, job -> scanStages(job, filter, json));
  }

  /** The stages of one job; answers whether the page has not ended. */
  boolean scanStages(
      JobView job,
      ListFilters.OfStages filter,
      Function<EntityLookup.StageInJob, JsonObject> json) {
    for (StageView stage : job.stages()) {
      EntityId id = EntityId.of(job.header().id(), stage.number());
      if (isBehind(id)) {
        continue;
      }
      if (!listing.visit(id)) {
        return false;
      }
      if (filter.accept(stage)) {
        listing.add(json.apply(new EntityLookup.StageInJob(job, stage)));
      }
    }
    return true;
  }

  void scanTasks(ListFilters.OfTasks filter) {
    // a job is not younger than its tasks, but may be much older
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

  /** The tasks of one stage; answers whether the page has not ended. */
  boolean scanTasks(EntityLookup.StageInJob stage, ListFilters.OfTasks filter) {
    JobId job = stage.job().header().id();
    int number = stage.stage().number();
    StageContext lineage = stage.context();
    EntityId after = listing.after();
    boolean begun = after != null && after.job().equals(job);
    if (begun && after.stage() > number) {
      return true;
    }
    int from = begun && after.stage() == number ? after.task() + 1 : 1;
    while (from <= stage.stage().total()) {
      int most = listing.batchSize(Math.min(listing.visitsLeft(), listing.entriesLeft()) + 1);
      List<TaskView> tasks = store.tasks(job, number, from, most);
      for (TaskView task : tasks) {
        if (!listing.visit(lineage.task(task.task()))) {
          return false;
        }
        JsonObject json = ApiTaskMapper.of(lineage, task).toJson();
        if (filter.accept(task)) {
          listing.add(json);
        } else {
          listing.skip(json);
        }
      }
      if (tasks.isEmpty()) {
        return true; // deleted meanwhile
      }
      from += tasks.size();
    }
    return true;
  }

  /** Visits jobs, the one first in which the page before ended, until one says that it is over. */
  private void scanJobViews(Predicate<JobId> filter, Predicate<JobView> visit) {
    EntityId after = listing.after();
    if (after == null || find(after.job()).map(visit::test).orElse(true)) {
      scanJobIds(
          after == null ? null : after.job(),
          id -> !filter.test(id) || find(id).map(visit::test).orElse(true));
    }
  }

  private void scanJobIds(@Nullable JobId beyond, Predicate<JobId> goOn) {
    JobId last = beyond;
    int most = listing.entriesLeft() + 1; // often enough, where nothing is left out
    while (true) {
      List<JobId> ids = store.list(Query.all().oldest(most).beyond(last));
      for (JobId id : ids) {
        if (!listing.visit(EntityId.of(id)) || !goOn.test(id)) {
          return;
        }
        last = id;
      }
      if (ids.size() < most) {
        return;
      }
      most = listing.visitsLeft() + 1;
    }
  }

  private boolean isBehind(EntityId id) {
    EntityId after = listing.after();
    return after != null && after.job().equals(id.job()) && id.stage() <= after.stage();
  }

  /** A job that cannot be read keeps nobody from reading the others. */
  private Optional<JobView> find(JobId id) {
    try {
      return store.find(id);
    } catch (JobException e) {
      return Optional.empty();
    }
  }
}
