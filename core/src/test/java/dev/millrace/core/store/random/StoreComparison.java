package dev.millrace.core.store.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.FencingToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares two stores. They may differ in the offsets of results, in the ids that they give to
 * requests and, by a constant, in their epochs; in nothing else.
 */
public final class StoreComparison {
  private @Nullable Long epochsApart;

  /** The content of a claim, with the token's number and without its epoch. */
  static List<@Nullable Object> facts(Claim claim) {
    List<@Nullable Object> facts = new ArrayList<>();
    facts.add(claim.toString());
    facts.add(claim.key().token().number());
    facts.add(claim.type());
    facts.add(claim.attempt());
    facts.add(claim.input());
    facts.add(claim.data());
    facts.add(claim.runTimeout());
    facts.add(claim.createdAt());
    facts.add(claim.frozenTerms());
    facts.add(claim.journaledTokens());
    facts.add(claim.lease());
    facts.add(claim.tokenless());
    facts.add(comparable(claim.view()));
    return facts;
  }

  /** A view without the epoch of its token, in which stores may differ. */
  static TaskView comparable(TaskView view) {
    TaskView.LastClaim claim = view.lastClaim();
    return new TaskView(
        view.stage(),
        view.task(),
        view.state(),
        view.attemptCounts(),
        claim == null
            ? null
            : new TaskView.LastClaim(
                claim.worker(), new FencingToken(0, claim.token().number()), claim.tokenless()),
        view.times(),
        view.content(),
        view.answer());
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
        assertThat(b.outputSoFar(id, stage, task, 0).pieces())
            .as("draft of task %s/%s of %s", stage, task, id)
            .isEqualTo(a.outputSoFar(id, stage, task, 0).pieces());
      }
    }
    assertThat(b.queuePosition(id).map(StoreComparison::counts))
        .as("place of %s", id)
        .isEqualTo(a.queuePosition(id).map(StoreComparison::counts));
    requireSameEvents(id, a.events(id, 0, 10_000), b.events(id, 0, 10_000));
  }

  private static List<Integer> counts(JobReader.QueuePosition place) {
    return List.of(place.ahead(), place.waiting());
  }

  private void requireSameEvents(JobId id, List<LogEntry> a, List<LogEntry> b) {
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
                Fact.TaskChanged(
                    int _,
                    int _,
                    var _,
                    Detail.Claimed(long first, var _, var _, var _))
            && b
                instanceof
                Fact.TaskChanged(
                    int _,
                    int _,
                    var _,
                    Detail.Claimed(long second, var _, var _, var _))
        ? second - first
        : null;
  }

  private static LogEntry comparable(LogEntry entry) {
    Fact lever = withoutOp(entry.fact());
    if (lever != null) {
      return new LogEntry(entry.number(), entry.at(), lever);
    }
    if (!(entry.fact()
        instanceof Fact.TaskChanged(int stage, int task, var event, Detail detail))) {
      return entry;
    }
    Detail normalized =
        switch (detail) {
          case Detail.Claimed(long _, var worker, var lease, boolean noToken) ->
              new Detail.Claimed(0, worker, lease, noToken);
          case Detail.Completed _ -> new Detail.Completed(0, 0);
          case Detail.Adopted adopted -> new Detail.Adopted(adopted.from(), 0, 0);
          default -> detail;
        };
    return new LogEntry(
        entry.number(), entry.at(), new Fact.TaskChanged(stage, task, event, normalized));
  }

  /** A lever without the id of its request, which a store may choose; null for any other fact. */
  public static @Nullable Fact withoutOp(Fact fact) {
    return switch (fact) {
      case Fact.JobChanged(var event, Cause cause) ->
          new Fact.JobChanged(event, cause.withOp(null));
      case Fact.StageChanged(int stage, var event, Cause cause, var opening) ->
          new Fact.StageChanged(stage, event, cause.withOp(null), opening);
      case Fact.StageAdded(int stage, var spec, Cause cause) ->
          new Fact.StageAdded(stage, spec, cause.withOp(null));
      case Fact.TasksAdded(int stage, int tasks, int attempts, Cause cause) ->
          new Fact.TasksAdded(stage, tasks, attempts, cause.withOp(null));
      case Fact.MetadataReplaced(int stage, int task, var metadata, Cause cause) ->
          new Fact.MetadataReplaced(stage, task, metadata, cause.withOp(null));
      case Fact.Prioritized(var priority, Cause cause) ->
          new Fact.Prioritized(priority, cause.withOp(null));
      default -> null;
    };
  }

  /** For stores that were just opened: queue statistics may be some seconds old. */
  void requireSameQueueStats(JobStore a, JobStore b) {
    assertThat(Set.copyOf(b.queueStats().types()))
        .as("lines of the census")
        .isEqualTo(Set.copyOf(a.queueStats().types()));
  }

  void requireSameStore(JobStore a, JobStore b) {
    List<JobId> ids = a.list(JobReader.Query.all());
    assertThat(b.list(JobReader.Query.all())).as("all ids").isEqualTo(ids);
    for (JobState state : JobState.values()) {
      assertThat(b.counts().getOrDefault(state, 0))
          .as("count of %s", state)
          .isEqualTo(a.counts().getOrDefault(state, 0));
    }
    for (String collection : List.of(NoteStore.WEBHOOKS, RandomChanges.SHELF)) {
      assertThat(notes(b, collection))
          .as("notes on %s", collection)
          .isEqualTo(notes(a, collection));
    }
    for (String type : RandomJobSpecs.TYPES) {
      assertThat(b.isIdle(Set.of(type))).as("idle for %s", type).isEqualTo(a.isIdle(Set.of(type)));
    }
    ids.forEach(id -> requireSameJob(id, a, b));
  }

  private static Map<String, String> notes(JobStore store, String collection) {
    return store.noteNames(collection).stream()
        .collect(
            Collectors.toMap(name -> name, name -> store.readNote(collection, name).orElseThrow()));
  }
}
