package dev.millrace.http.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.api.PrunableJob;
import dev.millrace.client.Remote;
import dev.millrace.client.worker.Worker;
import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.TaskView;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code Work} and {@code Flow} on a server. */
@Tag("slow")
class RemoteTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final SdkTestServer server = new SdkTestServer();
  private final Remote remote = new Remote(server.client);
  private final Work work = remote.work();
  private final Flow flow = remote.flow();

  @AfterEach
  void close() {
    server.close();
  }

  private JobId submit(String... inputs) {
    List<TaskSpec> tasks = Arrays.stream(inputs).map(TaskSpec::of).toList();
    JobId id = work.submit(JobSpec.of(List.of(StageSpec.of("resize", tasks)))).id();
    assertThat(id).isNotNull();
    return id;
  }

  private Worker worker() {
    return Worker.builder(server.client, "resize", task -> task.text().toUpperCase(Locale.ROOT))
        .longPoll(Duration.ofSeconds(1))
        .concurrency(4)
        .build()
        .start();
  }

  @Test
  void resultOfASubmittedPromptIsRead() throws InterruptedException {
    JobId id = submit("water");
    assertThat(server.store.state(id)).contains(JobState.PENDING);
    assertThat(flow.status(id)).isEqualTo(Flow.Status.QUEUED);
    try (Worker worker = worker()) {
      assertThat(flow.await(id, LONG)).isEqualTo(Flow.Status.DONE);
      assertThat(worker.uptime()).isPositive();
    }
    assertThat(flow.get(id).orElseThrow().result()).isEqualTo("WATER");
  }

  @Test
  void jobsAreFoundByAPartOfTheirIdAndAtAGate() {
    JobId first = submit("a");
    StageSpec gate =
        StageSpec.builder("resize").gate(true).tasks(List.of(TaskSpec.of("b"))).build();
    JobId waiting = work.submit(JobSpec.of(List.of(gate))).id();
    JobId foreign = new JobId("1736700000_12345_0");
    server.store.submit(
        JobSpec.of(List.of(StageSpec.of("resize", List.of(TaskSpec.of("c"))))), foreign);

    JobReader.Query all = JobReader.Query.all();
    assertThat(remote.list(all.idContaining("6700000_123"))).containsExactly(foreign);
    assertThat(remote.list(all.idContaining(first.value()))).containsExactly(first);
    assertThat(remote.list(all.idContaining("no such part"))).isEmpty();
    assertThat(remote.list(JobReader.Query.waitingForApproval())).containsExactly(waiting);
    assertThat(remote.find(waiting).orElseThrow().stageAtGate().orElseThrow().number())
        .isEqualTo(1);
    assertThat(server.client.jobs().get(EntityId.of(waiting).uuid()).waitsForApproval())
        .isEqualTo(1);
  }

  @Test
  void logIsFollowedToItsEnd() throws InterruptedException {
    JobId id = submit("a", "b");
    List<LogEntry> entries = new ArrayList<>();
    try (Worker worker = worker()) {
      flow.follow(id, 0, entries::add);
      assertThat(worker.type()).isEqualTo("resize");
    }
    assertThat(entries).extracting(LogEntry::number).isSorted().doesNotHaveDuplicates();
    assertThat((long) entries.size()).isEqualTo(server.store.find(id).orElseThrow().lastEvent());
  }

  @Test
  void remoteJobEqualsTheJobInTheStore() {
    JobSpec spec =
        JobSpec.builder()
            .name("named")
            .priority(Priority.HIGH)
            .held(true)
            .tags(List.of("red"))
            .metadata(JsonObject.create().put("k", 1L))
            .stages(
                List.of(
                    StageSpec.of(
                        "resize", List.of(TaskSpec.of("x"), TaskSpec.of(Map.of("n", 1L))))))
            .build();
    JobId id = work.submit(spec).id();
    assertThat(id).isNotNull();
    JobView there = server.store.find(id).orElseThrow();
    JobView here = remote.find(id).orElseThrow();

    assertThat(here.header()).isEqualTo(there.header());
    assertThat(here.state()).isEqualTo(JobState.PAUSED);
    assertThat(here.createdAt()).isEqualTo(there.createdAt());
    assertThat(here.stages()).isEqualTo(there.stages());
    assertThat(remote.tasks(id, 1, 1, 10)).isEqualTo(server.store.tasks(id, 1, 1, 10));
    assertThat(remote.task(id, 1, 2)).map(TaskView::input).contains(Map.of("n", 1L));
    assertThat(remote.task(id, 1, 3)).isEmpty();
  }

  @Test
  void tasksCanBeReadFromAnyPosition() {
    JobId id =
        submit(IntStream.rangeClosed(1, 2_500).mapToObj(Integer::toString).toArray(String[]::new));
    for (int from : new int[] {1, 1_001, 2_001, 700, 2_500, 2_501}) {
      assertThat(remote.tasks(id, 1, from, 1_000))
          .as("from %d", from)
          .extracting(TaskView::input)
          .containsExactlyElementsOf(
              IntStream.rangeClosed(from, Math.min(2_500, from + 999))
                  .<Object>mapToObj(Integer::toString)
                  .toList());
    }
    assertThat(remote.tasks(id, 0, 1, 10)).isEmpty();
  }

  @Test
  void listsAndCountsEqualThoseOfTheStore() {
    for (int i = 0; i < 5; i++) {
      submit("x");
      server.clock.advance(Duration.ofSeconds(1));
    }
    work.submit(JobSpec.of(List.of(StageSpec.of("other", List.of(TaskSpec.of("y"))))));
    for (JobReader.Query query :
        List.of(
            JobReader.Query.all(),
            JobReader.Query.all().newest(2),
            JobReader.Query.all().oldest(3),
            JobReader.Query.in(Set.of(JobState.PENDING)).newest(2),
            JobReader.Query.in(Set.of(JobState.FAILED)))) {
      assertThat(remote.list(query)).as("%s", query).isEqualTo(server.store.list(query));
    }
    JobId third = remote.list(JobReader.Query.all()).get(2);
    assertThat(remote.list(JobReader.Query.all().beyond(third)))
        .isEqualTo(server.store.list(JobReader.Query.all().beyond(third)));
    assertThat(remote.list(JobReader.Query.all().newest(9).beyond(third))).hasSize(2);
    assertThat(flow.counts()).containsExactlyEntriesOf(Map.of(JobState.PENDING, 6));
  }

  @Test
  void errorsAreTheSameValuesAsInAWorkspace() {
    JobId unknown = Work.generateId();
    assertThat(flow.status(unknown)).isEqualTo(Flow.Status.MISSING);
    assertThat(flow.get(unknown)).isEmpty();
    assertThat(remote.events(unknown, 0, 10)).isEmpty();
    Work.SubmitResult refused = work.submit(withWebhook("https://forbidden.example/"));
    assertThat(refused.problem()).isEqualTo(Work.Problem.INVALID_CONTENT);
    assertThat(refused.message()).isEqualTo("forbidden.example is not allowed");
    try (Remote unreachable = Remote.at(URI.create("http://127.0.0.1:1"))) {
      assertThat(unreachable.work().submit("x").problem()).isEqualTo(Work.Problem.IO);
    }
    assertThat(remote.spec(unknown)).isEmpty();
  }

  @Test
  void specificationIsThatOfTheStore() {
    JobSpec spec =
        JobSpec.builder()
            .name("named")
            .priority(Priority.LOW)
            .stages(
                List.of(
                    StageSpec.of("resize", List.of(TaskSpec.of("x"), TaskSpec.of(Map.of("n", 1L)))),
                    StageSpec.builder("resize").gate(true).each("{{result}}").build()))
            .webhooks(List.of(new Webhook("https://example.org/", Set.of(Webhook.Event.FAILED))))
            .build();
    JobId id = work.submit(spec).id();
    assertThat(id).isNotNull();
    assertThat(remote.spec(id)).isPresent().isEqualTo(server.store.spec(id));
  }

  @Test
  void lastTermsOfATaskCount() {
    JobId id = submit("a", "b");
    List<Claim> claims = server.store.claim(new ClaimRequest(Set.of("resize"), 2, "w", null));
    claims.forEach(claim -> server.store.freeze(claim, JsonObject.create().put("seed", 1L)));
    JsonObject second = JsonObject.create().put("seed", 2L);
    server.store.freeze(claims.getFirst(), second);
    assertThat(remote.frozenTerms(id))
        .containsOnlyKeys(new EntityId(id, 1, 1), new EntityId(id, 1, 2))
        .containsEntry(new EntityId(id, 1, 1), second);
  }

  @Test
  void leversHaveTheOutcomesOfTheStore() {
    Cause cause = Cause.user("ada", null);
    JobControls controls = remote.controls();
    JobId id = server.store.submit(JobSpec.builder().open(true).build());
    assertThat(controls.addStage(id, StageSpec.builder("resize").build(), cause).first()).isOne();
    assertThat(controls.addTasks(id, 1, List.of(TaskSpec.of(Map.of("n", 1L))), cause).first())
        .isOne();
    assertThat(controls.addTasks(id, 1, List.of(TaskSpec.of(Map.of("n", 2L))), cause).first())
        .isEqualTo(2);
    assertThat(controls.pause(id, cause)).isEqualTo(Outcome.DONE);
    assertThat(server.store.state(id)).contains(JobState.PAUSED);
    assertThat(controls.resume(id, cause)).isEqualTo(Outcome.DONE);
    assertThat(controls.prioritize(id, Priority.HIGH, cause)).isEqualTo(Outcome.DONE);
    assertThat(controls.prioritize(id, Priority.HIGH, cause))
        .isInstanceOfSatisfying(
            Outcome.Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(Outcome.Reason.SAME));
    assertThat(controls.approve(id, 1, cause)).isEqualTo(Outcome.DONE);
    assertThat(controls.delete(id)).isInstanceOf(Outcome.Refused.class);
    assertThat(controls.abort(id, cause)).isEqualTo(Outcome.DONE);
    assertThat(controls.abort(Work.generateId(), cause)).isInstanceOf(Outcome.Missing.class);
    server.clock.advance(Duration.ofSeconds(1));
    assertThat(remote.prunable(server.clock.instant(), Set.of(JobState.ABORTED)).jobs())
        .extracting(PrunableJob::ownId)
        .containsExactly(id);
    assertThat(controls.prune(server.clock.instant(), Set.of(JobState.ABORTED))).isOne();
    assertThat(server.store.find(id)).isEmpty();
    assertThatThrownBy(() -> controls.hold(id, 1, cause))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("\"hold\"");
    Cause because = Cause.user("ada", "because");
    assertThatThrownBy(() -> controls.apply(id, new Lever.Delete(), because))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("no comment for \"delete\"");
    JobId other = server.store.submit(JobSpec.builder().open(true).build());
    assertThat(controls.pause(other, because)).isEqualTo(Outcome.DONE);
    assertThat(server.store.events(other, 1, 1).getFirst().fact())
        .isInstanceOfSatisfying(
            Fact.JobChanged.class,
            paused -> assertThat(paused.cause().comment()).isEqualTo("because"));
  }

  @Test
  void jobsAreRetriedAsInAWorkspace() {
    JobId id =
        remote.submit(JobSpec.of(List.of(StageSpec.of("resize", List.of(TaskSpec.of("x"))))));
    RetryResult early = remote.retry(RetryRequest.of(id));
    assertThat(early).isEqualTo(server.store.retry(RetryRequest.of(id)));
    assertThat(early.outcome()).isInstanceOf(Outcome.Refused.class);
    JobId none = Work.generateId();
    assertThat(remote.retry(RetryRequest.of(none)))
        .isEqualTo(server.store.retry(RetryRequest.of(none)));
    server.store.abort(id, Cause.user("ada", null));
    RetryResult again = remote.retry(RetryRequest.of(id));
    assertThat(again).isEqualTo(new RetryResult(Outcome.DONE, again.id(), true, 0, 1));
    assertThat(server.store.find(again.id()).orElseThrow().header().retryOf()).isEqualTo(id);
    assertThatThrownBy(() -> remote.retry(RetryRequest.of(id).as(none)))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  private static JobSpec withWebhook(String url) {
    return JobSpec.builder()
        .stages(List.of(StageSpec.of("resize", List.of(TaskSpec.of("x")))))
        .webhooks(List.of(new Webhook(url, Set.of())))
        .build();
  }
}
