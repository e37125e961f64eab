package dev.millrace.cli.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Jobs of every state and shape, by name. */
final class JobShapes {
  static final String RUNNING = "running under a lease";
  private static final Cause USER = Cause.user("anna", "because");
  private static final TaskPolicy TWICE =
      new TaskPolicy(2, new Backoff(Duration.ofHours(1), 1, Duration.ofHours(1), 0), null, null, 3);

  private final JobStore store;
  private final Map<String, JobId> jobs = new LinkedHashMap<>();

  private JobShapes(JobStore store) {
    this.store = store;
  }

  /** Submits them and works on them. */
  static Map<String, JobId> submitAll(JobStore store) {
    JobShapes shapes = new JobShapes(store);
    shapes.plainJobs();
    shapes.generations();
    shapes.stagedJobs();
    shapes.openJobs();
    shapes.adoptedJobs();
    return shapes.jobs;
  }

  private JobId submit(String name, JobSpec spec) {
    JobId id = store.submit(spec);
    jobs.put(name, id);
    return id;
  }

  private Claim claim(JobId job, String type) {
    List<Claim> claims = store.claim(new ClaimRequest(Set.of(type), 1, "worker", null).ofJob(job));
    assertThat(claims).as(type + " of " + job).hasSize(1);
    return claims.getFirst();
  }

  private void complete(JobId job, String type, String text) {
    TaskResult result =
        new TaskResult(
            TaskResult.Kind.RESULT, text, JsonObject.create().put("model", "house").put("n", 1));
    done(store.complete(claim(job, type), result));
  }

  private static void done(Outcome outcome) {
    assertThat(outcome).isEqualTo(Outcome.DONE);
  }

  private static StageSpec stage(String type, String... inputs) {
    return StageSpec.of(type, List.of(inputs).stream().map(TaskSpec::of).toList());
  }

  private static JobSpec prompt(String text) {
    return JobSpec.prompt("generate", text);
  }

  private void plainJobs() {
    StageSpec rich =
        stage("generate", "Grüße, 世界 🌍\u0000\n").toBuilder()
            .data(
                JsonObject.create()
                    .put("json_schema", "{\"type\": \"object\"}")
                    .put("temperature", 0.5)
                    .put("seed", 7))
            .policy(TWICE)
            .build();
    submit(
        "waiting, with every field",
        JobSpec.builder()
            .name("näme")
            .priority(Priority.HIGH)
            .tags(List.of("a", "b_c"))
            .metadata(JsonObject.create().put("z", 1).put("a", List.of(1, "x")))
            .data(JsonObject.create().put("k", JsonObject.create().put("deep", true)))
            .parent(new JobId("1_1_1"))
            .trace(new TraceContext("00-" + "1".repeat(32) + "-" + "2".repeat(16) + "-01", "a=b"))
            .webhooks(List.of(new Webhook("http://localhost:9/", Set.of(Webhook.Event.COMPLETED))))
            .stages(List.of(rich))
            .build());
    submit("held", prompt("held").toBuilder().held(true).build());
    complete(submit("completed", prompt("hello")), "generate", "wörld\r\n");
    JobId embedded = submit("embedding", JobSpec.prompt("embed", "vector"));
    done(
        store.complete(
            claim(embedded, "embed"), new TaskResult(TaskResult.Kind.EMBEDDING, "[0.5, 1]", null)));
    JobId failed = submit("failed with partial output", prompt("fail"));
    Failure failure =
        Failure.permanent("it broke")
            .withPartial("half of", JsonObject.create().put("finish", "error"));
    done(store.fail(claim(failed, "generate"), failure));
    store.abort(submit("aborted", prompt("abort")), USER);
    JobId retried = submit("in backoff", JobSpec.of(List.of(rich)));
    done(store.fail(claim(retried, "generate"), Failure.of("again").withPartial("part", null)));
    JobId described = submit("described and prioritized", prompt("x"));
    store.prioritize(described, Priority.VERY_LOW, USER);
    store.replaceMetadata(described, 0, 0, JsonObject.create().put("new", "meta"), USER);
  }

  private Claim generation(String name) {
    JobId id = submit(name, prompt(name));
    Claim claim = claim(id, "generate");
    done(
        store.freeze(
            claim,
            JsonObject.create().put("model", "house").put("stop", List.of("x".repeat(300)))));
    store.appendJournal(claim, OutputChunk.WAITING);
    store.appendJournal(claim, new OutputChunk(List.of(1, 2, 3), List.of("One", " dä", "y 🌍")));
    store.appendJournal(claim, new OutputChunk(List.of(4), ", a"));
    store.log(claim, "INFO", "a line of the worker");
    return claim;
  }

  private void generations() {
    Claim paused = generation("paused in the middle");
    store.pause(paused.job(), USER);
    store.release(paused, "paused");
    store.release(generation("released"), "shutdown");
    store.abort(generation("aborted in the middle").job(), USER);
    Claim failed = generation("failed in the middle");
    done(store.fail(failed, Failure.permanent("no memory")));
    JobId leased = submit(RUNNING, prompt("remote"));
    Claim remote =
        store
            .claim(
                new ClaimRequest(Set.of("generate"), 1, "remote", Duration.ofHours(1))
                    .ofJob(leased))
            .getFirst();
    done(store.freeze(remote, JsonObject.create().put("model", "m")));
    store.appendJournal(remote, new OutputChunk(List.of(9, 8), List.of("a", "b")));
  }

  private void stagedJobs() {
    JobId chain =
        submit(
            "templates rendered",
            JobSpec.of(
                List.of(
                    stage("first", "one", "two"),
                    StageSpec.of(
                        "second",
                        List.of(TaskSpec.of("plain"), new TaskSpec("all: {{results}}", true))),
                    StageSpec.builder("third").each("each: {{result}}").build())));
    complete(chain, "first", "eins");
    complete(chain, "first", "zwei");
    complete(chain, "second", "zusammen");
    submit(
        "templates not rendered",
        JobSpec.of(
            List.of(
                stage("a", "one"),
                StageSpec.of("b", List.of(new TaskSpec("{{results}}", true), TaskSpec.of("p"))),
                StageSpec.builder("c").each("{{result}}").build())));
    submit(
        "at its gate",
        JobSpec.of(
            List.of(stage("gated", "x").toBuilder().gate(true).build(), stage("after", "y"))));
    JobId collecting =
        submit(
            "collecting",
            JobSpec.of(
                List.of(
                    stage("collect", "1", "2", "3").toBuilder()
                        .tolerance(new FailureTolerance(true, 0.5))
                        .build())));
    complete(collecting, "collect", "fine");
    done(
        store.fail(
            claim(collecting, "collect"),
            Failure.permanent("bad").withPartial("so far", JsonObject.create().put("r", 1))));
    submit(
        "tasks with options",
        JobSpec.of(
            List.of(
                StageSpec.of(
                    "options/../x".replace("/", "%"),
                    List.of(
                        new TaskSpec(
                            JsonObject.create().put("b", 1).put("a", List.of(1.5, true)),
                            false,
                            4,
                            JsonObject.create().put("of", "task"),
                            new TraceContext(
                                "00-" + "3".repeat(32) + "-" + "4".repeat(16) + "-01", null)),
                        TaskSpec.of("second"))))));
    List<String> many = IntStream.range(0, 250).mapToObj(i -> "task " + i).toList();
    JobId large =
        submit("many tasks", JobSpec.of(List.of(stage("many", many.toArray(String[]::new)))));
    List<Claim> claims =
        store.claim(new ClaimRequest(Set.of("many"), 110, "worker", null).ofJob(large));
    claims.forEach(claim -> store.complete(claim, TaskResult.of("result of " + claim)));
    submit("a large prompt", JobSpec.of(List.of(stage("big", "x".repeat(1_000_000), "y"))));
  }

  private void openJobs() {
    submit("open and empty", JobSpec.builder().open(true).stages(List.of()).build());
    JobId grown =
        submit(
            "open and grown",
            JobSpec.builder().open(true).stages(List.of(stage("o", "1"))).build());
    List<TaskSpec> more = new ArrayList<>(List.of(TaskSpec.of("2"), TaskSpec.of("3")));
    done(store.addTasks(grown, 1, more, USER).outcome());
    done(store.addStage(grown, stage("added", "4"), USER).outcome());
    done(
        store
            .addStage(grown, StageSpec.builder("made").each("{{result}}!").build(), USER)
            .outcome());
    for (int i = 0; i < 3; i++) {
      complete(grown, "o", "result " + i);
    }
    complete(grown, "added", "five");
  }

  private void adoptedJobs() {
    JobId partly =
        submit("partly failed", JobSpec.of(List.of(stage("p", "1", "2"), stage("q", "3"))));
    complete(partly, "p", "first");
    done(store.fail(claim(partly, "p"), Failure.permanent("no")));
    JobId again = store.retry(RetryRequest.of(partly).by("nightly", USER)).id();
    jobs.put("adopted", again);
    submit("with a key", prompt("whose?").withSubmittedBy("nightly"));
    JobId plain = submit("completed twice", prompt("again"));
    complete(plain, "generate", "once");
    jobs.put("retried from its start", store.retry(RetryRequest.fromStart(plain)).id());
  }
}
