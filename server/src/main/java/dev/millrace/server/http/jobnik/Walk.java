package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobTrouble;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.Reading.Query;
import dev.millrace.core.store.TaskView;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Goes through jobs, oldest first, and what is in them, in order, for one page of a list. */
final class Walk {
  private final JobStore store;
  private final Listing listing;

  Walk(JobStore store, Listing listing) {
    this.store = store;
    this.listing = listing;
  }

  void jobs(Filters.OfJobs filter, Function<JobView, JsonObject> json) {
    EntityId after = listing.after();
    each(
        after == null ? null : after.job(),
        id -> {
          if (filter.period().mayContain(id)) {
            find(id).filter(filter::accept).map(json).ifPresent(listing::add);
          }
          return true;
        });
  }

  void stages(Filters.OfStages filter, Function<Lookup.InJob, JsonObject> json) {
    visit(_ -> true, job -> stages(job, filter, json));
  }

  /** The stages of one job; answers whether the page has not ended. */
  boolean stages(JobView job, Filters.OfStages filter, Function<Lookup.InJob, JsonObject> json) {
    for (StageView stage : job.stages()) {
      EntityId id = EntityId.of(job.header().id(), stage.number());
      if (isBehind(id)) {
        continue;
      }
      if (!listing.look(id)) {
        return false;
      }
      if (filter.accept(stage)) {
        listing.add(json.apply(new Lookup.InJob(job, stage)));
      }
    }
    return true;
  }

  void tasks(Filters.OfTasks filter) {
    // a job is not younger than its tasks, but may be much older
    visit(
        id -> new Filters.Period(null, filter.period().to()).mayContain(id),
        job -> tasks(job, filter));
  }

  private boolean tasks(JobView job, Filters.OfTasks filter) {
    for (StageView stage : job.stages()) {
      if (filter.mayAccept(stage) && !tasks(new Lookup.InJob(job, stage), filter)) {
        return false;
      }
    }
    return true;
  }

  /** The tasks of one stage; answers whether the page has not ended. */
  boolean tasks(Lookup.InJob stage, Filters.OfTasks filter) {
    JobId job = stage.job().header().id();
    int number = stage.stage().number();
    Lineage lineage = stage.lineage();
    EntityId after = listing.after();
    boolean begun = after != null && after.job().equals(job);
    if (begun && after.stage() > number) {
      return true;
    }
    int from = begun && after.stage() == number ? after.task() + 1 : 1;
    while (from <= stage.stage().total()) {
      int most = listing.step(Math.min(listing.looks(), listing.room()) + 1);
      List<TaskView> tasks = store.tasks(job, number, from, most);
      for (TaskView task : tasks) {
        if (!listing.look(lineage.task(task.task()))) {
          return false;
        }
        JsonObject json = TaskJson.of(lineage, task);
        if (filter.accept(task)) {
          listing.add(json);
        } else {
          listing.leaveOut(json);
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
  private void visit(Predicate<JobId> filter, Predicate<JobView> visit) {
    EntityId after = listing.after();
    if (after == null || find(after.job()).map(visit::test).orElse(true)) {
      each(
          after == null ? null : after.job(),
          id -> !filter.test(id) || find(id).map(visit::test).orElse(true));
    }
  }

  private void each(@Nullable JobId beyond, Predicate<JobId> goOn) {
    JobId last = beyond;
    int most = listing.room() + 1; // often enough, where nothing is left out
    while (true) {
      List<JobId> ids = store.list(Query.all().oldest(most).beyond(last));
      for (JobId id : ids) {
        if (!listing.look(EntityId.of(id)) || !goOn.test(id)) {
          return;
        }
        last = id;
      }
      if (ids.size() < most) {
        return;
      }
      most = listing.looks() + 1;
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
    } catch (JobTrouble e) {
      return Optional.empty();
    }
  }
}
