package dev.millrace.core.store.contract;

import static dev.millrace.core.store.contract.ContractJobs.openJob;
import static dev.millrace.core.store.contract.ContractJobs.stage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.random.StoreComparison;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Changes of an existing job: its priority, its metadata, its deletion. */
abstract class JobChangeContract extends ContractCase {
  private static final JsonObject NOTE = Json.object("{\"owner\":\"anna\",\"n\":[1,0.5,null]}");
  private static final TraceContext TRACE =
      new TraceContext("00-" + "0a".repeat(16) + "-" + "1b".repeat(8) + "-01", "vendor=x");

  private static Reason reason(Outcome outcome) {
    assertThat(outcome).isInstanceOf(Outcome.Refused.class);
    return ((Outcome.Refused) outcome).reason();
  }

  @Test
  void anotherPriorityCountsForTheNextClaim() {
    JobId first = submit(stage("a", "1"));
    clock.advance(SECOND);
    JobId second = submit(stage("a", "2"));
    assertThat(store.queuePosition(second).orElseThrow().ahead()).isEqualTo(1);
    assertThat(store.prioritize(second, Priority.VERY_HIGH, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(view(second).header().priority()).isEqualTo(Priority.VERY_HIGH);
    assertThat(store.queuePosition(second).orElseThrow().ahead()).isZero();
    assertThat(claimOne("a").job()).isEqualTo(second);
    assertThat(claimOne("a").job()).isEqualTo(first);
  }

  @Test
  void anotherPrioritySurvivesARestart() {
    JobId first = submit(stage("a", "1"));
    clock.advance(SECOND);
    JobId second = submit(stage("a", "2"));
    store.prioritize(first, Priority.VERY_LOW, ANNA);
    crash();
    assertThat(view(first).header().priority()).isEqualTo(Priority.VERY_LOW);
    assertThat(store.spec(first).orElseThrow().priority())
        .as("what was asked")
        .isEqualTo(Priority.MEDIUM);
    assertThat(claimOne("a").job()).isEqualTo(second);
    store.prioritize(first, Priority.VERY_HIGH, ANNA);
    reopen();
    assertThat(claimOne("a").job()).isEqualTo(first);
  }

  @Test
  void aPriorityThatChangesNothingOrComesTooLateIsRefused() {
    JobId id = submit(stage("a", "1"));
    assertThat(reason(store.prioritize(id, Priority.MEDIUM, ANNA))).isEqualTo(Reason.SAME);
    store.prioritize(id, Priority.HIGH, ANNA);
    assertThat(reason(store.prioritize(id, Priority.HIGH, ANNA))).isEqualTo(Reason.SAME);
    assertThat(store.prioritize(id, Priority.MEDIUM, ANNA)).isEqualTo(Outcome.DONE);
    store.pause(id, ANNA);
    assertThat(store.prioritize(id, Priority.LOW, ANNA)).isEqualTo(Outcome.DONE);
    store.abort(id, ANNA);
    assertThat(reason(store.prioritize(id, Priority.HIGH, ANNA))).isEqualTo(Reason.JOB_ENDED);
    assertThat(reason(store.prioritize(id, Priority.LOW, ANNA)))
        .as("it is so, ended or not")
        .isEqualTo(Reason.SAME);
    assertThat(store.prioritize(new JobId("1_2_3"), Priority.HIGH, ANNA))
        .isInstanceOf(Outcome.Missing.class);
  }

  @Test
  void metadataIsReplacedInAnyState() {
    JobId id = submit(stage("a", "x"), stage("b", "y"));
    clock.advance(SECOND);
    assertThat(store.replaceMetadata(id, 0, 0, NOTE, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(view(id).updatedAt()).isEqualTo(clock.instant());
    assertThat(store.replaceMetadata(id, 2, 0, NOTE, ANNA)).isEqualTo(Outcome.DONE);
    workOff("a");
    assertThat(store.replaceMetadata(id, 1, 1, NOTE, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(task(id, 1, 1).result().text()).as("the result stays").isEqualTo("X");
    workOff("b");
    Instant ended = view(id).completedAt();
    clock.advance(SECOND);
    assertThat(store.replaceMetadata(id, 2, 1, NOTE, ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.replaceMetadata(id, 0, 0, Json.object("{\"last\":1}"), ANNA))
        .isEqualTo(Outcome.DONE);
    crash();
    JobView view = view(id);
    assertThat(view.state()).isEqualTo(JobState.COMPLETED);
    assertThat(view.completedAt()).isEqualTo(ended);
    assertThat(view.header().metadata()).isEqualTo(Json.object("{\"last\":1}"));
    assertThat(view.stages().get(0).metadata()).isEqualTo(JsonObject.create());
    assertThat(view.stages().get(1).metadata()).isEqualTo(NOTE);
    assertThat(task(id, 1, 1).metadata()).isEqualTo(NOTE);
    assertThat(task(id, 2, 1).metadata()).isEqualTo(NOTE);
    assertThat(store.spec(id).orElseThrow().metadata())
        .as("what was asked")
        .isEqualTo(JsonObject.create());
  }

  @Test
  void theMetadataOfARunningTaskIsReplaced() {
    JobId id = submit(stage("a", "x"));
    Claim claim = claimOne("a");
    store.freeze(claim, JsonObject.create().put("seed", 7));
    assertThat(store.replaceMetadata(id, 1, 1, JsonObject.create().put("n", 1), ANNA))
        .isEqualTo(Outcome.DONE);
    assertThat(task(id, 1, 1).metadata()).isEqualTo(Json.object("{\"n\":1}"));
    assertThat(store.findClaim(id, 1, 1).orElseThrow().frozenTerms())
        .isEqualTo(Json.object("{\"seed\":7}"));
    complete(claim, "done");
  }

  @Test
  void newMetadataUpdatesATaskButDoesNotRestartItsTimeouts() {
    JobId id = submit(ContractJobs.with(ContractJobs.runTimeout(1, MINUTE), stage("a", "x")));
    Instant submitted = clock.instant();
    clock.advance(SECOND);
    store.replaceMetadata(id, 1, 1, NOTE, ANNA);
    assertThat(task(id, 1, 1).updatedAt()).isEqualTo(clock.instant());
    assertThat(task(id, 1, 1).createdAt()).isEqualTo(submitted);
    clock.advance(SECOND);
    claimOne("a");
    assertThat(task(id, 1, 1).updatedAt()).isEqualTo(clock.instant());
    clock.advance(SECOND);
    store.replaceMetadata(id, 1, 1, JsonObject.create(), ANNA);
    assertThat(task(id, 1, 1).updatedAt()).isEqualTo(clock.instant());
    clock.advance(MINUTE.plusSeconds(4));
    assertThat(store.sweep()).as("counted from the claim").isEqualTo(1);
    crash();
    assertThat(task(id, 1, 1).updatedAt()).isEqualTo(clock.instant());
  }

  @Test
  void metadataOfAnUnknownEntityIsMissing() {
    JobId id = submit(stage("a", "x"));
    List<Object> before = everything(id);
    assertThat(store.replaceMetadata(new JobId("1_2_3"), 0, 0, NOTE, ANNA))
        .isInstanceOf(Outcome.Missing.class);
    assertThat(store.replaceMetadata(id, 2, 0, NOTE, ANNA)).isInstanceOf(Outcome.Missing.class);
    assertThat(store.replaceMetadata(id, 1, 2, NOTE, ANNA)).isInstanceOf(Outcome.Missing.class);
    assertThat(store.replaceMetadata(id, 0, 1, NOTE, ANNA)).isInstanceOf(Outcome.Missing.class);
    assertThat(everything(id)).isEqualTo(before);
  }

  @Test
  void onlyAJobThatHasEndedIsDeleted() {
    JobId id = submit(stage("a", "x"));
    JobId other = submit(stage("a", "y"));
    assertThat(reason(store.delete(id))).isEqualTo(Reason.JOB_NOT_ENDED);
    store.pause(id, ANNA);
    assertThat(reason(store.delete(id))).isEqualTo(Reason.JOB_NOT_ENDED);
    store.abort(id, ANNA);
    assertThat(store.delete(id)).isEqualTo(Outcome.DONE);
    assertThat(store.delete(id)).isInstanceOf(Outcome.Missing.class);
    for (int time = 0; time < 2; time++) {
      assertThat(store.find(id)).isEmpty();
      assertThat(store.state(id)).isEmpty();
      assertThat(store.spec(id)).isEmpty();
      assertThat(store.task(id, 1, 1)).isEmpty();
      assertThat(store.events(id, 0, 10)).isEmpty();
      assertThat(store.list(JobReader.Query.all())).containsExactly(other);
      crash();
    }
  }

  @Test
  void aSubmissionMayBeRepeatedUnderItsId() {
    JobId id = JobId.of(1_700_000_000_000_000L, 9, 1);
    JobSpec spec = ContractJobs.job(stage("a", "x"));
    assertThat(store.submit(spec, id)).isTrue();
    List<Object> before = everything(id);
    assertThat(store.submit(spec, id)).isFalse();
    assertThat(store.submit(ContractJobs.job(stage("b", "other")), id)).isFalse();
    assertThat(everything(id)).isEqualTo(before);
    crash();
    assertThat(store.submit(spec, id)).isFalse();
    workOff("a");
    assertThat(store.submit(spec, id)).as("also when it has ended").isFalse();
    assertThat(store.list(JobReader.Query.all())).containsExactly(id);
    assertThat(events(id).stream().filter(e -> e.fact() instanceof Fact.Submitted)).hasSize(1);
  }

  @Test
  void ofManySubmissionsUnderOneIdOneIsNew() throws Exception {
    for (int round = 1; round <= 5; round++) {
      JobId id = JobId.of(1_800_000_000_000_000L, 5, round);
      JobSpec spec = ContractJobs.job(stage("a", "x"));
      Callable<Boolean> submit = () -> store.submit(spec, id);
      try (ExecutorService pool = Executors.newFixedThreadPool(6)) {
        long fresh = 0;
        for (var each : pool.invokeAll(List.of(submit, submit, submit, submit, submit, submit))) {
          fresh += each.get() ? 1 : 0;
        }
        assertThat(fresh).isEqualTo(1);
      }
    }
    assertThat(claim(100, "a")).hasSize(5);
  }

  @Test
  void allFieldsOfAJobAreKept() {
    Webhook hook =
        new Webhook(
            "https://example.org/hook?x=1", Set.of(Webhook.Event.FAILED, Webhook.Event.WAITING));
    StageSpec plain = stage("a", "x");
    StageSpec told =
        StageSpec.builder("a")
            .tolerance(plain.tolerance())
            .policy(plain.policy())
            .tasks(List.of(new dev.millrace.core.stage.TaskSpec("x", false, 5, NOTE, TRACE)))
            .data(NOTE)
            .metadata(NOTE)
            .trace(TRACE)
            .build();
    JobSpec spec =
        JobSpec.builder()
            .name("name")
            .priority(Priority.HIGH)
            .tags(List.of("red"))
            .metadata(NOTE)
            .stages(List.of(told))
            .open(true)
            .data(NOTE)
            .trace(TRACE)
            .webhooks(List.of(hook, new Webhook("http://example.org/all", Set.of())))
            .build();
    JobId id = store.submit(spec);
    for (int time = 0; time < 2; time++) {
      assertThat(store.spec(id)).contains(spec);
      JobView view = view(id);
      assertThat(view.header()).isEqualTo(JobHeader.of(id, spec));
      assertThat(view.header().webhooks()).hasSize(2).first().isEqualTo(hook);
      assertThat(view.stages().getFirst().spec()).isEqualTo(told.withTasks(List.of()));
      assertThat(view.stages().getFirst().metadata()).isEqualTo(NOTE);
      TaskView task = task(id, 1, 1);
      assertThat(task.metadata()).isEqualTo(NOTE);
      assertThat(task.trace()).isEqualTo(TRACE);
      assertThat(task.maxAttempts()).isEqualTo(5);
      crash();
    }
  }

  @Test
  void aJobWithWebhooksHasANoteFromTheStart() {
    JobId plain = submit(stage("a", "x"));
    Webhook hook = new Webhook("https://example.org/", Set.of());
    JobId told = store.submit(ContractJobs.webhooks(openJob(), hook));
    assertThat(store.noteNames(NoteStore.WEBHOOKS)).containsExactly(told.value());
    assertThat(store.readNote(NoteStore.WEBHOOKS, told.value()))
        .hasValueSatisfying(
            text -> assertThat(Json.object(text)).isEqualTo(Json.object("{\"after\":0}")));
    assertThat(store.readNote(NoteStore.WEBHOOKS, plain.value())).isEmpty();
    store.writeNote(NoteStore.WEBHOOKS, told.value(), "{\"after\":7}");
    assertThat(store.submit(ContractJobs.webhooks(openJob(), hook), told)).isFalse();
    crash();
    assertThat(store.readNote(NoteStore.WEBHOOKS, told.value()))
        .as("a repeated submission leaves it alone")
        .contains("{\"after\":7}");
  }

  @Test
  void eachChangeIsInTheLogWithItsCause() {
    JobId id = store.submit(openJob());
    store.addStage(id, stage("a", "x"), ANNA);
    store.prioritize(id, Priority.LOW, ANNA);
    store.replaceMetadata(id, 1, 1, NOTE, ANNA);
    crash();
    assertThat(events(id).stream().map(LogEntry::fact).map(StoreComparison::withoutOp))
        .contains(
            new Fact.StageAdded(1, stage("a"), ANNA),
            new Fact.Prioritized(Priority.LOW, ANNA),
            new Fact.MetadataReplaced(1, 1, NOTE, ANNA));
  }

  @Test
  void anInputThatIsTooLargeIsRefusedUnderAnyId() {
    JobSpec large = ContractJobs.job(stage("a", "x".repeat(JobSpec.MAX_PROMPT_BYTES + 1)));
    JobId id = JobId.of(1_700_000_000_000_000L, 9, 2);
    assertThatThrownBy(() -> store.submit(large, id)).isInstanceOf(IllegalArgumentException.class);
    assertThat(store.state(id)).isEmpty();
  }
}
