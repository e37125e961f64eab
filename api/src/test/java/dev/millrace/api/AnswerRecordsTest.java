package dev.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Answers are written byte by byte as the API promises, and read back as what was written. */
class AnswerRecordsTest {
  private static final UUID JOB = UUID.fromString("00000000-0000-8001-8000-000000000001");
  private static final UUID STAGE = UUID.fromString("00000000-0000-8002-8000-000000000002");
  private static final UUID TASK = UUID.fromString("00000000-0000-8003-8000-000000000003");
  private static final Instant CREATED = Instant.parse("2026-01-02T03:04:05.000006Z");
  private static final Instant UPDATED = Instant.parse("2026-01-02T03:04:06Z");
  private static final Instant STARTED = Instant.parse("2026-01-02T03:04:07Z");
  private static final Instant ENDED = Instant.parse("2026-01-02T03:04:08Z");
  private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  private static final TraceContext TRACE = new TraceContext(PARENT, "vendor=1");
  private static final JsonObject EMPTY = JsonObject.create();
  private static final JsonObject DATA = JsonObject.create().put("width", 640L);
  private static final JsonObject MARK = JsonObject.create().put("mark", "x");
  private static final ApiTimestamps NEW = new ApiTimestamps(CREATED, UPDATED, null, null);
  private static final ApiTimestamps ALL_TIMES =
      new ApiTimestamps(CREATED, UPDATED, STARTED, ENDED);
  private static final String TRACE_FIELDS =
      "\"traceparent\":\"" + PARENT + "\",\"tracestate\":\"vendor=1\"";
  private static final String NEW_FIELDS =
      "\"creationTime\":\"2026-01-02T03:04:05.000006Z\",\"updateTime\":\"2026-01-02T03:04:06Z\"";
  private static final String RUN_FIELDS =
      "\"startTime\":\"2026-01-02T03:04:07Z\",\"endTime\":\"2026-01-02T03:04:08Z\"";

  private static <T> void assertWritten(
      T record, JsonObject json, Function<JsonObject, T> reader, String... text) {
    assertThat(Json.write(json)).isEqualTo(String.join("", text));
    assertThat(reader.apply(Json.object(Json.write(json)))).isEqualTo(record);
  }

  private static ApiJob job(List<ApiStage> stages) {
    return new ApiJob(
        JOB,
        "test",
        DATA,
        MARK,
        Priority.HIGH,
        JobState.FAILED,
        50,
        ALL_TIMES,
        "it broke",
        true,
        TRACE,
        List.of("a", "b"),
        new UUID(1, 1),
        new UUID(2, 2),
        new JobId("1_2_3"),
        2,
        "nightly",
        List.of("retry", "delete"),
        stages);
  }

  private static final String JOB_TEXT =
      "{\"id\":\"00000000-0000-8001-8000-000000000001\",\"name\":\"test\","
          + "\"data\":{\"width\":640},\"userMetadata\":{\"mark\":\"x\"},"
          + "\"priority\":\"HIGH\",\"status\":\"FAILED\",\"percentage\":50,"
          + NEW_FIELDS
          + ","
          + RUN_FIELDS
          + ",\"error\":\"it broke\",\"sealed\":true,"
          + TRACE_FIELDS
          + ",\"tags\":[\"a\",\"b\"],"
          + "\"parent\":\"00000000-0000-0001-0000-000000000001\","
          + "\"retryOf\":\"00000000-0000-0002-0000-000000000002\","
          + "\"ownId\":\"1_2_3\",\"waitsForApproval\":2,\"submittedBy\":\"nightly\","
          + "\"levers\":[\"retry\",\"delete\"]";

  @Test
  void jobWithAllFields() {
    assertWritten(job(List.of()), job(List.of()).toJson(), ApiJob::fromJson, JOB_TEXT, "}");
  }

  @Test
  void newJobHasNoOptionalFields() {
    ApiJob job =
        new ApiJob(
            JOB,
            "test",
            EMPTY,
            EMPTY,
            Priority.MEDIUM,
            JobState.PENDING,
            0,
            NEW,
            null,
            false,
            null,
            List.of(),
            null,
            null,
            null,
            null,
            null,
            List.of(),
            List.of());
    assertWritten(
        job,
        job.toJson(),
        ApiJob::fromJson,
        "{\"id\":\"00000000-0000-8001-8000-000000000001\",\"name\":\"test\",",
        "\"data\":{},\"userMetadata\":{},",
        "\"priority\":\"MEDIUM\",\"status\":\"PENDING\",\"percentage\":0,",
        NEW_FIELDS,
        ",\"sealed\":false,\"levers\":[]}");
  }

  @Test
  void stagesOfAJobAreWrittenOnlyOnRequest() {
    ApiJob job = job(List.of(newStage()));
    assertThat(Json.write(job.toJson())).isEqualTo(JOB_TEXT + "}");
    assertWritten(
        job,
        job.toJsonWithStages(),
        ApiJob::fromJson,
        JOB_TEXT,
        ",\"stages\":[",
        NEW_STAGE_TEXT,
        "]}");
    assertThat(Json.write(job(List.of()).toJsonWithStages()))
        .isEqualTo(JOB_TEXT + ",\"stages\":[]}");
  }

  private static ApiStage newStage() {
    return new ApiStage(
        STAGE,
        JOB,
        "resize",
        1,
        EMPTY,
        EMPTY,
        StageState.CREATED,
        0,
        new StageSummary(0, 0, 0, 0, 0, 0, 0, 0, 0),
        false,
        null,
        null,
        null,
        null,
        List.of(),
        List.of());
  }

  private static final String NEW_STAGE_TEXT =
      "{\"id\":\"00000000-0000-8002-8000-000000000002\","
          + "\"jobId\":\"00000000-0000-8001-8000-000000000001\","
          + "\"type\":\"resize\",\"order\":1,\"data\":{},\"userMetadata\":{},"
          + "\"status\":\"CREATED\",\"percentage\":0,"
          + "\"summary\":{\"pending\":0,\"inProgress\":0,\"completed\":0,\"failed\":0,"
          + "\"created\":0,\"retried\":0,\"aborted\":0,\"total\":0},\"gate\":false,\"levers\":[]}";

  @Test
  void newStageHasNoOptionalFields() {
    assertWritten(newStage(), newStage().toJson(), ApiStage::fromJson, NEW_STAGE_TEXT);
  }

  @Test
  void stageWithAllFields() {
    ApiTask task = newTask();
    ApiStage stage =
        new ApiStage(
            STAGE,
            JOB,
            "resize",
            2,
            DATA,
            MARK,
            StageState.FAILED,
            33,
            new StageSummary(1, 2, 3, 4, 5, 6, 7, 2, 28),
            true,
            STARTED,
            ENDED,
            "too many tasks failed",
            TRACE,
            List.of("approve"),
            List.of(task));
    assertWritten(
        stage,
        stage.toJson().put("tasks", List.of(task.toJson())),
        ApiStage::fromJson,
        "{\"id\":\"00000000-0000-8002-8000-000000000002\",",
        "\"jobId\":\"00000000-0000-8001-8000-000000000001\",",
        "\"type\":\"resize\",\"order\":2,",
        "\"data\":{\"width\":640},\"userMetadata\":{\"mark\":\"x\"},",
        "\"status\":\"FAILED\",\"percentage\":33,",
        "\"summary\":{\"pending\":1,\"inProgress\":2,\"completed\":3,\"failed\":4,",
        "\"created\":5,\"retried\":6,\"aborted\":7,\"adopted\":2,\"total\":28},\"gate\":true,",
        RUN_FIELDS,
        ",\"error\":\"too many tasks failed\",",
        TRACE_FIELDS,
        ",\"levers\":[\"approve\"],\"tasks\":[",
        NEW_TASK_TEXT,
        "}]}");
  }

  @Test
  void retriedJob() {
    ApiJob.Retried retried = new ApiJob.Retried(job(List.of()), 3, 5);
    assertWritten(
        retried,
        retried.toJson(),
        ApiJob.Retried::fromJson,
        "{\"job\":" + Json.write(job(List.of()).toJson()) + ",\"adopted\":3,\"tasks\":5}");
  }

  @Test
  void summaryCountsByState() {
    Map<TaskState, Integer> counts = Map.of(TaskState.COMPLETED, 3, TaskState.RETRIED, 1);
    StageSummary summary = StageSummary.of(counts, 2, 4);
    assertThat(summary).isEqualTo(new StageSummary(0, 0, 3, 0, 0, 1, 0, 2, 4));
    assertThat(summary.byState()).isEqualTo(counts);
  }

  private static ApiTask newTask() {
    return new ApiTask(
        TASK, STAGE, DATA, EMPTY, TaskState.PENDING, 0, 3, NEW, null, null, null, null, null, null);
  }

  private static final String NEW_TASK_TEXT =
      "{\"id\":\"00000000-0000-8003-8000-000000000003\","
          + "\"stageId\":\"00000000-0000-8002-8000-000000000002\","
          + "\"data\":{\"width\":640},\"userMetadata\":{},"
          + "\"status\":\"PENDING\",\"attempts\":0,\"maxAttempts\":3,"
          + NEW_FIELDS;

  @Test
  void newTaskHasNoOptionalFields() {
    assertWritten(newTask(), newTask().toJson(), ApiTask::fromJson, NEW_TASK_TEXT, "}");
  }

  private static ApiTask endedTask(TaskResult result) {
    return new ApiTask(
        TASK,
        STAGE,
        DATA,
        MARK,
        TaskState.COMPLETED,
        1,
        3,
        ALL_TIMES,
        UPDATED,
        "worker-7",
        result,
        "the first attempt failed",
        new Adoption(new JobId("1_2_3"), 4, CREATED),
        TRACE);
  }

  private static String endedTaskText(String resultFields) {
    return "{\"id\":\"00000000-0000-8003-8000-000000000003\","
        + "\"stageId\":\"00000000-0000-8002-8000-000000000002\","
        + "\"data\":{\"width\":640},\"userMetadata\":{\"mark\":\"x\"},"
        + "\"status\":\"COMPLETED\",\"attempts\":1,\"maxAttempts\":3,"
        + NEW_FIELDS
        + ","
        + RUN_FIELDS
        + ",\"notBefore\":\"2026-01-02T03:04:06Z\",\"worker\":\"worker-7\","
        + resultFields
        + ",\"error\":\"the first attempt failed\",\"adoptedFrom\":{\"job\":\"1_2_3\",\"task\":4,"
        + "\"submitted\":\"2026-01-02T03:04:05.000006Z\"},"
        + TRACE_FIELDS
        + "}";
  }

  @Test
  void taskWithAllFields() {
    ApiTask task = endedTask(new TaskResult(TaskResult.Kind.EMBEDDING, "[1]", MARK));
    assertWritten(
        task,
        task.toJson(),
        ApiTask::fromJson,
        endedTaskText(
            "\"result\":\"[1]\",\"resultKind\":\"EMBEDDING\",\"receipt\":{\"mark\":\"x\"}"));
    assertThat(task.result()).isEqualTo("[1]");
    assertThat(task.receipt()).isEqualTo(MARK);
  }

  @Test
  void kindOfATextResultIsNotWritten() {
    ApiTask task = endedTask(TaskResult.of("done"));
    assertWritten(task, task.toJson(), ApiTask::fromJson, endedTaskText("\"result\":\"done\""));
  }

  @Test
  void inputThatIsNotAnObjectIsWrapped() {
    assertThat(ApiTask.wrapInput(DATA)).isEqualTo(DATA);
    assertThat(ApiTask.wrapInput(DATA.values())).isEqualTo(DATA);
    assertThat(ApiTask.wrapInput("a text")).hasToString("{\"input\":\"a text\"}");
    assertThat(ApiTask.wrapInput(null)).hasToString("{\"input\":null}");
  }

  @Test
  void claimWithAllFields() {
    ClaimedTask claim =
        new ClaimedTask(
            newTask(),
            JOB,
            "resize",
            DATA,
            MARK,
            2,
            "1.7",
            Duration.ofSeconds(60),
            Duration.ofMillis(1_500));
    assertWritten(
        claim,
        claim.toJson(),
        ClaimedTask::fromJson,
        NEW_TASK_TEXT,
        ",\"jobId\":\"00000000-0000-8001-8000-000000000001\",\"stageType\":\"resize\",",
        "\"jobData\":{\"width\":640},\"stageData\":{\"mark\":\"x\"},\"attempt\":2,",
        "\"token\":\"1.7\",\"leaseSeconds\":60,\"runTimeoutSeconds\":1.5}");
    assertThat(claim.leaseOrDefault()).isEqualTo(Duration.ofSeconds(60));
  }

  @Test
  void claimWithoutATokenHasNoOptionalFields() {
    ClaimedTask claim =
        new ClaimedTask(newTask(), JOB, "resize", EMPTY, EMPTY, 1, null, null, null);
    assertWritten(
        claim,
        claim.toJson(),
        ClaimedTask::fromJson,
        NEW_TASK_TEXT,
        ",\"jobId\":\"00000000-0000-8001-8000-000000000001\",\"stageType\":\"resize\",",
        "\"stageData\":{},\"attempt\":1}");
    assertThat(claim.leaseOrDefault()).as("that of a Jobnik server").hasMinutes(30);
  }

  @Test
  void heartbeat() {
    HeartbeatResponse all =
        new HeartbeatResponse(true, false, Duration.ofSeconds(60), "the job has ended");
    assertWritten(
        all,
        all.toJson(),
        HeartbeatResponse::fromJson,
        "{\"cancel\":true,\"pause\":false,\"leaseSeconds\":60,\"reason\":\"the job has ended\"}");
    HeartbeatResponse few = new HeartbeatResponse(false, true, null, null);
    assertWritten(
        few, few.toJson(), HeartbeatResponse::fromJson, "{\"cancel\":false,\"pause\":true}");
  }

  private static final String METADATA_TEXT =
      "\"metadata\":{\"requestId\":\"r-1\",\"userId\":\"ann\",\"orgId\":\"default\","
          + "\"action\":\"generate\",\"inputs\":{\"width\":640}}}";

  private static final So1Job.Metadata METADATA =
      new So1Job.Metadata("r-1", "ann", "default", "generate", DATA);

  @Test
  void so1JobWithAllFields() {
    So1Job job =
        new So1Job(
            JOB,
            So1State.FAILED,
            true,
            CREATED,
            STARTED,
            ENDED,
            Map.of("text", "hello"),
            new So1Job.ErrorDetail("JOB_FAILED", "it broke"),
            "no longer needed",
            List.of("one", "two"),
            METADATA);
    assertWritten(
        job,
        job.toJson(),
        So1Job::fromJson,
        "{\"id\":\"00000000-0000-8001-8000-000000000001\",\"state\":\"failed\",",
        "\"paused\":true,",
        "\"createdAt\":\"2026-01-02T03:04:05.000006Z\",",
        "\"startedAt\":\"2026-01-02T03:04:07Z\",\"completedAt\":\"2026-01-02T03:04:08Z\",",
        "\"output\":{\"text\":\"hello\"},",
        "\"error\":{\"code\":\"JOB_FAILED\",\"message\":\"it broke\"},",
        "\"reason\":\"no longer needed\",",
        "\"logs\":[\"one\",\"two\"],",
        METADATA_TEXT);
  }

  @Test
  void newSo1JobHasNoOptionalFields() {
    So1Job job =
        new So1Job(
            JOB,
            So1State.PENDING,
            false,
            CREATED,
            null,
            null,
            null,
            null,
            null,
            List.of(),
            METADATA);
    assertWritten(
        job,
        job.toJson(),
        So1Job::fromJson,
        "{\"id\":\"00000000-0000-8001-8000-000000000001\",\"state\":\"pending\",",
        "\"createdAt\":\"2026-01-02T03:04:05.000006Z\",\"logs\":[],",
        METADATA_TEXT);
  }

  /** The server stores the object, and later expects maps in it. */
  @Test
  void metadataOfASo1JobHasOnlyMaps() {
    assertThat(METADATA.toJson().get("inputs")).isInstanceOf(Map.class);
  }

  @Test
  void logLine() {
    LogLine line = new LogLine(42, CREATED, "warn", "look out");
    assertWritten(
        line,
        line.toJson(),
        LogLine::fromJson,
        "{\"cursor\":42,\"at\":\"2026-01-02T03:04:05.000006Z\",",
        "\"level\":\"warn\",\"line\":\"look out\"}");
  }

  @Test
  void emailOfACallerIsWrittenEvenIfNotKnown() {
    CallerIdentity known = new CallerIdentity("ann", "default", "ann@example.org");
    assertWritten(
        known,
        known.toJson(),
        CallerIdentity::fromJson,
        "{\"userId\":\"ann\",\"orgId\":\"default\",\"email\":\"ann@example.org\"}");
    CallerIdentity unknown = new CallerIdentity("ann", "default", null);
    assertWritten(
        unknown,
        unknown.toJson(),
        CallerIdentity::fromJson,
        "{\"userId\":\"ann\",\"orgId\":\"default\",\"email\":null}");
  }

  @Test
  void readingIgnoresUnknownFieldsAndNamesWrongOnes() {
    JsonObject later = newTask().toJson().put("fromTheFuture", true);
    assertThat(ApiTask.fromJson(later)).isEqualTo(newTask());
    assertThatThrownBy(() -> ApiTask.fromJson(newTask().toJson().put("status", "LOST")))
        .isInstanceOf(JsonException.class)
        .hasMessage("\"status\" has a value that is not known: \"LOST\"");
    assertThatThrownBy(() -> ApiTask.fromJson(newTask().toJson().put("id", "seven")))
        .isInstanceOf(JsonException.class)
        .hasMessage("\"id\" must be a UUID, not \"seven\"");
  }
}
