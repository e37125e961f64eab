package dev.millrace.http.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.Route;
import dev.millrace.http.webhook.WebhookStats;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.ModelStatsFixture;
import dev.millrace.server.infer.model.RemoteModelStatus;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ServerMetricsTest {
  private final ManualClock clock = new ManualClock();
  private final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  private final ServerMetrics metrics = new ServerMetrics(store, clock);

  @AfterEach
  void close() {
    metrics.close();
    store.close();
  }

  private String text() {
    return new String(metrics.render(null).body(), StandardCharsets.UTF_8);
  }

  private JobId submit(String type, int tasks) {
    List<TaskSpec> all = Collections.nCopies(tasks, TaskSpec.of("x"));
    return store.submit(JobSpec.of(List.of(StageSpec.of(type, all))));
  }

  private Claim claim(String type) {
    return store.claim(new ClaimRequest(Set.of(type), 1, "test", null)).getFirst();
  }

  @Test
  void queueIsCountedByStateTypeAndPriority() {
    submit("resize", 3);
    clock.advance(Duration.ofSeconds(90));
    claim("resize");
    awaitCounts();
    assertThat(text().lines())
        .contains(
            "jobnik_jobs_by_status{job_status=\"IN_PROGRESS\"} 1.0",
            "jobnik_jobs_by_status{job_status=\"FAILED\"} 0.0",
            "millrace_jobs_at_gate 0.0",
            "millrace_jobs_unreadable 0.0",
            "jobnik_tasks_by_status{stage_type=\"resize\",task_status=\"PENDING\"} 2.0",
            "jobnik_tasks_count{priority=\"MEDIUM\",stage_type=\"resize\",task_status=\"IN_PROGRESS\"}"
                + " 1.0",
            "millrace_queue_depth{priority=\"MEDIUM\",state=\"PENDING\",type=\"resize\"} 2.0",
            "millrace_queue_oldest_seconds{priority=\"MEDIUM\",type=\"resize\"} 90.0");
  }

  @Test
  void waitsRunsAndOutcomesOfTasksAreMeasured() {
    submit("resize", 2);
    clock.advance(Duration.ofSeconds(4));
    Claim first = claim("resize");
    Claim second = claim("resize");
    clock.advance(Duration.ofSeconds(20));
    store.complete(first, TaskResult.of("done"));
    store.complete(first, TaskResult.of("again"));
    store.fail(second, Failure.permanent("broken"));
    assertThat(text().lines())
        .contains(
            "millrace_task_wait_seconds_count{type=\"resize\"} 2",
            "millrace_task_wait_seconds_sum{type=\"resize\"} 8.0",
            "millrace_task_run_seconds_sum{outcome=\"completed\",type=\"resize\"} 20.0",
            "millrace_task_attempts_total{outcome=\"failed\",type=\"resize\"} 1.0",
            "millrace_task_attempts_total{outcome=\"late\",type=\"resize\"} 1.0",
            "millrace_lease_losses_total{type=\"resize\"} 1.0");
  }

  @Test
  void heartbeatAfterTheEndOfATaskIsALossOnlyOfALease() {
    submit("resize", 2);
    Claim local = claim("resize");
    ClaimRequest leased = new ClaimRequest(Set.of("resize"), 1, "test", Duration.ofMinutes(1));
    Claim remote = store.claim(leased).getFirst();
    store.complete(local, TaskResult.of("done"));
    store.heartbeat(local, false);
    assertThat(text()).doesNotContain("millrace_lease_losses_total{");
    store.complete(remote, TaskResult.of("done"));
    store.heartbeat(remote, false);
    assertThat(text()).contains("millrace_lease_losses_total{type=\"resize\"} 1.0");
  }

  @Test
  void jobIsMeasuredOnceAtItsEnd() {
    JobId id = submit("resize", 1);
    clock.advance(Duration.ofSeconds(7));
    store.complete(claim("resize"), TaskResult.of("done"));
    String counted = "millrace_job_seconds_count{outcome=\"completed\"} 1";
    await().atMost(Duration.ofSeconds(20)).until(() -> text().contains(counted));
    assertThat(text()).contains("millrace_job_seconds_sum{outcome=\"completed\"} 7.0");
    store.replaceMetadata(id, 0, 0, JsonObject.create().put("a", 1L), Cause.user("u", null));
    submit("resize", 1);
    store.fail(claim("resize"), Failure.permanent("broken"));
    await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> text().contains("millrace_job_seconds_count{outcome=\"failed\"} 1"));
    assertThat(text()).contains(counted);
  }

  @Test
  void stagesAndTasksAreCountedByOutcomeWhenTheirJobEnds() {
    store.submit(
        JobSpec.of(
            List.of(
                StageSpec.of("resize", Collections.nCopies(3, TaskSpec.of("x"))),
                StageSpec.of("never", List.of(TaskSpec.of("x"))))));
    store.complete(claim("resize"), TaskResult.of("done"));
    store.fail(claim("resize"), Failure.permanent("broken"));
    submit("paint", 2);
    store.complete(claim("paint"), TaskResult.of("done"));
    store.complete(claim("paint"), TaskResult.of("done"));
    await()
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                text()
                        .lines()
                        .filter(line -> line.startsWith("millrace_stages_ended_total{"))
                        .count()
                    == 2);
    assertThat(text().lines())
        .contains(
            "millrace_stages_ended_total{outcome=\"failed\",type=\"resize\"} 1.0",
            "millrace_tasks_ended_total{outcome=\"completed\",type=\"resize\"} 1.0",
            "millrace_tasks_ended_total{outcome=\"failed\",type=\"resize\"} 1.0",
            "millrace_tasks_ended_total{outcome=\"aborted\",type=\"resize\"} 1.0",
            "millrace_stages_ended_total{outcome=\"completed\",type=\"paint\"} 1.0",
            "millrace_tasks_ended_total{outcome=\"completed\",type=\"paint\"} 2.0")
        .noneMatch(line -> line.contains("ended_total") && line.contains("never"));
  }

  @Test
  void typesBeyondTheFirstHundredShareOneLabel() {
    for (int i = 0; i < 150; i++) {
      submit("type-" + i, 1);
    }
    awaitCounts();
    String text = text();
    assertThat(text.lines().filter(line -> line.startsWith("millrace_queue_oldest_seconds{")))
        .hasSize(101);
    assertThat(text)
        .contains(
            "millrace_queue_depth{priority=\"MEDIUM\",state=\"PENDING\",type=\"other\"} 50.0");
  }

  @Test
  void modelsWebhooksAndRequestsAreMeasured() {
    metrics
        .inference(
            () ->
                new InferenceStats(
                    new InferenceStats.TokenTotals(100, 40, 70, 5),
                    List.of("tiny"),
                    List.of("tiny"),
                    List.of(ModelStatsFixture.tiny()),
                    List.of()))
        .webhooks(() -> new WebhookStats(3, 2, 1, 4))
        .gauge("millrace_http_streams", "Streams that are open.", () -> 12);
    Route route =
        new Route("GET", "/v1/jobs/{id}", "getJob", KeyScope.READ, _ -> ApiResponse.ok("x"));
    metrics
        .observer()
        .finished(
            new CompletedRequest(
                new CompletedRequest.Request("id", "GET", route, Principal.LOCAL, null),
                new CompletedRequest.Response(200, 3_000_000, 120)));
    metrics
        .observer()
        .finished(
            new CompletedRequest(
                new CompletedRequest.Request("id", "_OTHER", null, null, null),
                new CompletedRequest.Response(404, 1, 7)));
    assertThat(text().lines())
        .contains(
            "millrace_tokens_total{kind=\"prompt\"} 100.0",
            "millrace_tokens_total{kind=\"cached\"} 40.0",
            "millrace_tokens_total{kind=\"generated\"} 70.0",
            "millrace_batch_fill_ratio{model=\"tiny\"} 0.75",
            "millrace_batch_rows_total{model=\"tiny\"} 55.0",
            "millrace_kv_cache_use_ratio{model=\"tiny\"} 0.3",
            "millrace_kv_cache_pages{model=\"tiny\",state=\"cached\"} 10.0",
            "millrace_models_loaded{model=\"tiny\"} 1.0",
            "millrace_webhooks_total{outcome=\"failed\"} 2.0",
            "millrace_webhooks_pending 4.0",
            "millrace_http_streams 12.0",
            "millrace_http_requests_total{method=\"GET\",route=\"/v1/jobs/{id}\",status=\"200\"}"
                + " 1.0",
            "millrace_http_requests_total{method=\"_OTHER\",route=\"none\",status=\"404\"} 1.0",
            "millrace_http_response_bytes_total{method=\"GET\",route=\"/v1/jobs/{id}\"} 120.0",
            "millrace_http_request_seconds_count{method=\"GET\",route=\"/v1/jobs/{id}\"} 1")
        .anyMatch(line -> line.startsWith("jvm_memory_used_bytes"))
        .anyMatch(line -> line.startsWith("process_start_time_seconds"));
  }

  @Test
  void metricsOfRemoteModelsHaveTheirOwnNames() {
    RemoteModelStatus far =
        new RemoteModelStatus("far", true, "", Map.of("nodes", 3.0, "replans_total", 2.0));
    RemoteModelStatus gone =
        new RemoteModelStatus("gone", false, "layers 0 to 3", Map.of("nodes", 1.0));
    metrics.inference(
        () ->
            new InferenceStats(
                new InferenceStats.TokenTotals(0, 0, 0, 0),
                List.of(),
                List.of(),
                List.of(),
                List.of(far, gone)));
    assertThat(text().lines())
        .contains(
            "# TYPE millrace_pipe_nodes gauge",
            "millrace_pipe_nodes{model=\"far\"} 3.0",
            "millrace_pipe_nodes{model=\"gone\"} 1.0",
            "millrace_pipe_ready{model=\"far\"} 1.0",
            "millrace_pipe_ready{model=\"gone\"} 0.0",
            "# TYPE millrace_pipe_replans_total counter",
            "millrace_pipe_replans_total{model=\"far\"} 2.0");
  }

  @Test
  void formatIsTheRequestedOne() {
    assertThat(metrics.render(null).mediaType()).startsWith("text/plain; version=0.0.4");
    ServerMetrics.Rendered open = metrics.render("application/openmetrics-text; version=1.0.0");
    assertThat(open.mediaType()).startsWith("application/openmetrics-text");
    assertThat(new String(open.body(), StandardCharsets.UTF_8)).endsWith("# EOF\n");
  }

  /** All jobs are counted, by whatever happened before. */
  private void awaitCounts() {
    await().until(() -> text().contains("millrace_counts_complete 1.0"));
  }

  @Test
  void endedStagesAndTasksStayCountedUntilTheirJobIsDeleted() {
    JobId failed =
        store.submit(
            JobSpec.of(
                List.of(
                    StageSpec.of("resize", List.of(TaskSpec.of("a"), TaskSpec.of("b"))),
                    StageSpec.of("paint", List.of(TaskSpec.of("c"))))));
    awaitCounts();
    assertThat(text().lines())
        .contains(
            "jobnik_stages_by_status{stage_status=\"PENDING\",stage_type=\"resize\"} 1.0",
            "jobnik_stages_by_status{stage_status=\"CREATED\",stage_type=\"paint\"} 1.0",
            "jobnik_tasks_by_status{stage_type=\"paint\",task_status=\"PENDING\"} 1.0")
        .noneMatch(line -> line.startsWith("millrace_queue_depth") && line.contains("paint"));
    store.complete(claim("resize"), TaskResult.of("done"));
    store.fail(claim("resize"), Failure.permanent("broken"));
    assertThat(text().lines())
        .as("nothing of an ended job waits")
        .contains(
            "jobnik_jobs_by_status{job_status=\"FAILED\"} 1.0",
            "jobnik_stages_by_status{stage_status=\"FAILED\",stage_type=\"resize\"} 1.0",
            "jobnik_stages_by_status{stage_status=\"CREATED\",stage_type=\"paint\"} 0.0",
            "jobnik_tasks_by_status{stage_type=\"resize\",task_status=\"COMPLETED\"} 1.0",
            "jobnik_tasks_by_status{stage_type=\"resize\",task_status=\"FAILED\"} 1.0",
            "jobnik_tasks_by_status{stage_type=\"paint\",task_status=\"PENDING\"} 0.0");
    store.delete(failed);
    assertThat(text().lines())
        .filteredOn(line -> line.startsWith("jobnik_"))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" 0.0"));
  }

  @Test
  void scrapeAsksTheStoreForNothingButItsCountsAndItsHealth() {
    submit("resize", 3);
    awaitCounts();
    Set<String> calls = ConcurrentHashMap.newKeySet();
    JobStore watched =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  calls.add(method.getName());
                  return method.invoke(store, arguments);
                });
    try (ServerMetrics scraped = new ServerMetrics(watched, clock)) {
      calls.clear();
      assertThat(new String(scraped.render(null).body(), StandardCharsets.UTF_8))
          .contains("jobnik_tasks_by_status{stage_type=\"resize\",task_status=\"PENDING\"} 3.0");
    }
    assertThat(calls).containsExactlyInAnyOrder("statusCounts", "health");
  }

  @Test
  void failureOfOneJobDoesNotAffectOthers() {
    CountDownLatch failures = new CountDownLatch(2);
    JobStore faulty =
        (JobStore)
            Proxy.newProxyInstance(
                JobStore.class.getClassLoader(),
                new Class<?>[] {JobStore.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("state") && failures.getCount() > 0) {
                    failures.countDown();
                    throw failures.getCount() == 1
                        ? new IllegalStateException("a fault")
                        : new StackOverflowError("a worse one");
                  }
                  return method.invoke(store, arguments);
                });
    try (ServerMetrics measured = new ServerMetrics(faulty, clock)) {
      submit("resize", 1);
      submit("resize", 1);
      await().atMost(Duration.ofSeconds(20)).until(() -> failures.getCount() == 0);
      store.complete(claim("resize"), TaskResult.of("done"));
      await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () ->
                  new String(measured.render(null).body(), StandardCharsets.UTF_8)
                      .contains("millrace_job_seconds_count{outcome=\"completed\"} 1"));
    }
  }
}
