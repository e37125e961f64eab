package dev.millrace.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.task.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Holds two stores side by side. They may differ in where results stand, in the ids that they give
 * to requests and, by a constant, in how they count epochs; in nothing else.
 */
final class StoreComparison {
  private @Nullable Long epochsApart;

  /** What a claim says to its worker; the token's number is part of it, its epoch is not. */
  static List<@Nullable Object> facts(Claim claim) {
    List<@Nullable Object> facts = new ArrayList<>();
    facts.add(claim.toString());
    facts.add(claim.hold().token().number());
    facts.add(claim.type());
    facts.add(claim.attempt());
    facts.add(claim.input());
    facts.add(claim.data());
    facts.add(claim.runTimeout());
    facts.add(claim.createdAt());
    facts.add(claim.frozen());
    facts.add(claim.prior());
    facts.add(claim.lease());
    facts.add(claim.bare());
    facts.add(comparable(claim.view()));
    return facts;
  }

  /** The epoch of a task's token is the store's own affair. */
  static TaskView comparable(TaskView view) {
    return new TaskView(
        view.stage(),
        view.task(),
        view.state(),
        view.attempts(),
        view.maxAttempts(),
        view.worker(),
        view.token() == null ? null : new Token(0, view.token().number()),
        view.bare(),
        view.createdAt(),
        view.updatedAt(),
        view.startedAt(),
        view.completedAt(),
        view.notBefore(),
        view.input(),
        view.metadata(),
        view.trace(),
        view.result(),
        view.error());
  }

  private static List<TaskView> comparable(List<TaskView> views) {
    return views.stream().map(StoreComparison::comparable).toList();
  }

  void requireSameJob(JobId id, JobStore a, JobStore b) {
    assertThat(b.state(id)).as("state of %s", id).isEqualTo(a.state(id));
    assertThat(b.find(id)).as("view of %s", id).isEqualTo(a.find(id));
    assertThat(b.spec(id)).as("spec of %s", id).isEqualTo(a.spec(id));
    int stages = a.find(id).map(view -> view.stages().size()).orElse(1);
    for (int stage = 1; stage <= stages; stage++) {
      assertThat(comparable(b.tasks(id, stage, 1, 1_000)))
          .as("tasks of stage %s of %s", stage, id)
          .isEqualTo(comparable(a.tasks(id, stage, 1, 1_000)));
      for (int task = 1; task <= a.tasks(id, stage, 1, 1_000).size(); task++) {
        assertThat(b.draft(id, stage, task, 0).pieces())
            .as("draft of task %s/%s of %s", stage, task, id)
            .isEqualTo(a.draft(id, stage, task, 0).pieces());
      }
    }
    assertThat(b.queuePlace(id).map(StoreComparison::counts))
        .as("place of %s", id)
        .isEqualTo(a.queuePlace(id).map(StoreComparison::counts));
    requireSameEvents(id, a.events(id, 0, 10_000), b.events(id, 0, 10_000));
  }

  private static List<Integer> counts(Reading.QueuePlace place) {
    return List.of(place.ahead(), place.waiting());
  }

  private void requireSameEvents(JobId id, List<Entry> a, List<Entry> b) {
    for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
      Long apart = epochsApart(a.get(i).fact(), b.get(i).fact());
      if (apart != null) {
        epochsApart = epochsApart == null ? apart : epochsApart;
        assertThat(apart).as("epochs of %s apart", id).isEqualTo(epochsApart);
      }
    }
    assertThat(b.stream().map(StoreComparison::comparable).toList())
        .as("events of %s", id)
        .isEqualTo(a.stream().map(StoreComparison::comparable).toList());
  }

  private static @Nullable Long epochsApart(Fact a, Fact b) {
    return a
                instanceof
                Fact.OfTask(int _, int _, var _, Detail.Claimed(long first, var _, var _, var _))
            && b
                instanceof
                Fact.OfTask(int _, int _, var _, Detail.Claimed(long second, var _, var _, var _))
        ? second - first
        : null;
  }

  private static Entry comparable(Entry entry) {
    Fact lever = withoutOp(entry.fact());
    if (lever != null) {
      return new Entry(entry.number(), entry.at(), lever);
    }
    if (!(entry.fact() instanceof Fact.OfTask(int stage, int task, var event, Detail detail))) {
      return entry;
    }
    Detail bare =
        switch (detail) {
          case Detail.Claimed(long _, var worker, var lease, boolean noToken) ->
              new Detail.Claimed(0, worker, lease, noToken);
          case Detail.Completed _ -> new Detail.Completed(0, 0);
          default -> detail;
        };
    return new Entry(entry.number(), entry.at(), new Fact.OfTask(stage, task, event, bare));
  }

  /** A lever without the id of its request, which a store may make up; null for any other fact. */
  static @Nullable Fact withoutOp(Fact fact) {
    return switch (fact) {
      case Fact.OfJob(var event, Cause cause) -> new Fact.OfJob(event, cause.withOp(null));
      case Fact.OfStage(int stage, var event, Cause cause, var opening) ->
          new Fact.OfStage(stage, event, cause.withOp(null), opening);
      case Fact.StageAdded(int stage, var spec, Cause cause) ->
          new Fact.StageAdded(stage, spec, cause.withOp(null));
      case Fact.TasksAdded(int stage, int tasks, int attempts, Cause cause) ->
          new Fact.TasksAdded(stage, tasks, attempts, cause.withOp(null));
      case Fact.Described(int stage, int task, var metadata, Cause cause) ->
          new Fact.Described(stage, task, metadata, cause.withOp(null));
      case Fact.Prioritized(var priority, Cause cause) ->
          new Fact.Prioritized(priority, cause.withOp(null));
      default -> null;
    };
  }

  /** For stores that were just opened: a census may be some seconds old. */
  void requireSameCensus(JobStore a, JobStore b) {
    assertThat(Set.copyOf(b.census().lines()))
        .as("lines of the census")
        .isEqualTo(Set.copyOf(a.census().lines()));
  }

  void requireSameStore(JobStore a, JobStore b) {
    List<JobId> ids = a.list(Reading.Query.all());
    assertThat(b.list(Reading.Query.all())).as("all ids").isEqualTo(ids);
    for (JobState state : JobState.values()) {
      assertThat(b.counts().getOrDefault(state, 0))
          .as("count of %s", state)
          .isEqualTo(a.counts().getOrDefault(state, 0));
    }
    for (String shelf : List.of(Notebook.WEBHOOKS, RandomChanges.SHELF)) {
      assertThat(notes(b, shelf)).as("notes on %s", shelf).isEqualTo(notes(a, shelf));
    }
    for (String type : RandomSpecs.TYPES) {
      assertThat(b.idle(Set.of(type))).as("idle for %s", type).isEqualTo(a.idle(Set.of(type)));
    }
    ids.forEach(id -> requireSameJob(id, a, b));
  }

  private static Map<String, String> notes(JobStore store, String shelf) {
    return store.names(shelf).stream()
        .collect(Collectors.toMap(name -> name, name -> store.note(shelf, name).orElseThrow()));
  }
}
