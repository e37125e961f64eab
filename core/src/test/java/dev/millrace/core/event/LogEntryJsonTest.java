package dev.millrace.core.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.state.Actor;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogEntryJsonTest {
  private static final Instant AT = Instant.parse("2026-03-01T08:00:00.123456Z");
  private static final String NASTY = "line\nbreak \"quoted\" \\ é 😀 \u2028 \0";

  private static List<Cause> causes() {
    return List.of(
        Cause.SYSTEM,
        Cause.system(NASTY),
        Cause.user("anna", null),
        Cause.user(null, NASTY),
        new Cause(Actor.WORKER, NASTY, "c", "op 7"),
        Cause.user("anna", "x").withOp("1-2-3"));
  }

  private static Detail detail(TaskEvent event) {
    return switch (event) {
      case ENQUEUE, ABORT -> Detail.NONE;
      case CLAIM -> new Detail.Claimed(Long.MAX_VALUE, NASTY);
      case COMPLETE -> new Detail.Completed(1L << 40, 12);
      case ADOPT -> new Detail.Adopted(new Adoption(new JobId("1_2_3"), 7, AT), 1L << 40, 12);
      case RETRY -> new Detail.Retrying(NASTY, AT.plusNanos(1));
      case FAIL, CEILING, EXPIRE -> new Detail.Ended(NASTY);
      case RELEASE -> new Detail.Released(NASTY, true);
    };
  }

  private static List<Fact> facts() {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact.Submitted());
    facts.add(new Fact.Submitted(1));
    for (Cause cause : causes()) {
      EnumSet.allOf(JobEvent.class).forEach(event -> facts.add(new Fact.JobChanged(event, cause)));
      for (StageEvent event : StageEvent.values()) {
        facts.add(new Fact.StageChanged(1, event, cause, null));
        facts.add(new Fact.StageChanged(1_000, event, cause, new Fact.Opening(0, null)));
        facts.add(new Fact.StageChanged(2, event, cause, new Fact.Opening(200_000, NASTY)));
      }
    }
    causes().forEach(cause -> facts.addAll(additions(cause)));
    for (TaskEvent event : TaskEvent.values()) {
      facts.add(new Fact.TaskChanged(1_000, 200_000, event, detail(event)));
    }
    facts.add(new Fact.TaskChanged(1, 1, TaskEvent.COMPLETE, new Detail.Completed(0, 0)));
    facts.add(
        new Fact.TaskChanged(
            1,
            1,
            TaskEvent.ADOPT,
            new Detail.Adopted(new Adoption(new JobId("1_2_3"), 200_000, AT), 0, 0)));
    facts.add(new Fact.TaskChanged(1, 1, TaskEvent.RELEASE, new Detail.Released("", false)));
    for (boolean tokenless : new boolean[] {true, false}) {
      Detail leased = new Detail.Claimed(1, "w", Duration.ofMillis(90_001), tokenless);
      facts.add(new Fact.TaskChanged(1, 1, TaskEvent.CLAIM, leased));
    }
    facts.add(new Fact.TaskProgressed(3, 4));
    facts.add(new Fact.TermsFrozen(3, 4, JsonObject.create()));
    facts.add(
        new Fact.TermsFrozen(
            3, 4, Json.object("{\"model\":\"m\",\"p\":{\"seed\":7,\"x\":[0.5]}}")));
    facts.add(new Fact.WorkerLogLine(3, 4, "warn", NASTY));
    facts.add(new Fact.WorkerLogLine(0, 0, "info", ""));
    return facts;
  }

  private static List<Fact> additions(Cause cause) {
    JsonObject some = Json.object("{\"n\":1,\"deep\":[{\"x\":null}]}");
    TraceContext trace =
        new TraceContext("00-" + "a0".repeat(16) + "-" + "0b".repeat(8) + "-01", "k=v");
    StageSpec whole =
        StageSpec.builder("a.b-c")
            .gate(true)
            .tolerance(new FailureTolerance(true, 0.25))
            .policy(
                new TaskPolicy(7, Backoff.DEFAULT, Duration.ofSeconds(2), Duration.ofDays(2), 9))
            .each(NASTY)
            .data(some)
            .metadata(some)
            .trace(trace)
            .build();
    return List.of(
        new Fact.StageAdded(1, StageSpec.of("a", List.of()), cause),
        new Fact.StageAdded(1_000, whole, cause),
        new Fact.TasksAdded(1, 0, 0, cause),
        new Fact.TasksAdded(1_000, 200_000, 1_000, cause),
        new Fact.MetadataReplaced(0, 0, some, cause),
        new Fact.MetadataReplaced(3, 0, JsonObject.create(), cause),
        new Fact.MetadataReplaced(3, 4, some, cause),
        new Fact.Prioritized(Priority.VERY_LOW, cause));
  }

  @Test
  void everyKindOfFactIsReadAsItWasWritten() {
    Set<Class<?>> kinds = new HashSet<>();
    long number = 0;
    for (Fact fact : facts()) {
      LogEntry entry = new LogEntry(++number, AT.plusNanos(number), fact);
      String line = LogEntryJson.write(entry);
      assertThat(line).doesNotContain("\n", "\r");
      assertThat(LogEntryJson.read(line)).as(line).isEqualTo(entry);
      kinds.add(fact.getClass());
      if (fact instanceof Fact.TaskChanged task) {
        kinds.add(task.detail().getClass());
      }
    }
    assertThat(kinds)
        .contains(Fact.class.getPermittedSubclasses())
        .contains(Detail.class.getPermittedSubclasses());
  }

  @Test
  void theTextOfALineIsPartOfTheFormat() {
    assertThat(LogEntryJson.write(new LogEntry(1, AT, new Fact.Submitted())))
        .isEqualTo(
            "{\"n\":1,\"at\":\"2026-03-01T08:00:00.123456Z\",\"on\":\"job\",\"event\":\"submit\",\"v\":2}");
    assertThat(
            LogEntryJson.write(
                new LogEntry(
                    2,
                    AT,
                    new Fact.TaskChanged(1, 3, TaskEvent.CLAIM, new Detail.Claimed(4, "w")))))
        .isEqualTo(
            "{\"n\":2,\"at\":\"2026-03-01T08:00:00.123456Z\",\"on\":\"task\",\"stage\":1,\"task\":3,"
                + "\"event\":\"claim\",\"epoch\":4,\"worker\":\"w\"}");
    assertThat(
            LogEntryJson.write(
                new LogEntry(
                    3, AT, new Fact.JobChanged(JobEvent.PAUSE, Cause.user("anna", "lunch")))))
        .isEqualTo(
            "{\"n\":3,\"at\":\"2026-03-01T08:00:00.123456Z\",\"on\":\"job\",\"event\":\"pause\","
                + "\"by\":\"user\",\"who\":\"anna\",\"comment\":\"lunch\"}");
    assertThat(
            LogEntryJson.write(
                new LogEntry(
                    4, AT, new Fact.TermsFrozen(1, 3, JsonObject.create().put("seed", 7)))))
        .isEqualTo(
            "{\"n\":4,\"at\":\"2026-03-01T08:00:00.123456Z\",\"on\":\"task\",\"stage\":1,\"task\":3,"
                + "\"event\":\"freeze\",\"terms\":{\"seed\":7}}");
    assertThat(
            LogEntryJson.write(
                new LogEntry(
                    5,
                    AT,
                    new Fact.TaskChanged(
                        1,
                        3,
                        TaskEvent.ADOPT,
                        new Detail.Adopted(new Adoption(new JobId("1_2_3"), 3, AT), 10, 20)))))
        .isEqualTo(
            "{\"n\":5,\"at\":\"2026-03-01T08:00:00.123456Z\",\"on\":\"task\",\"stage\":1,\"task\":3,"
                + "\"event\":\"adopt\",\"job\":\"1_2_3\",\"from\":3,"
                + "\"submitted\":\"2026-03-01T08:00:00.123456Z\",\"offset\":10,\"length\":20}");
  }

  @Test
  void theTextOfAnAdditionIsPartOfTheFormat() {
    String head = "{\"n\":5,\"at\":\"2026-03-01T08:00:00.123456Z\",";
    Cause anna = Cause.user("anna", null);
    String tail = ",\"by\":\"user\",\"who\":\"anna\"}";
    assertText(
        head + "\"on\":\"stage\",\"stage\":2,\"event\":\"add\",\"spec\":{\"type\":\"x\"}" + tail,
        new Fact.StageAdded(2, StageSpec.of("x", List.of()), anna));
    assertText(
        head + "\"on\":\"stage\",\"stage\":2,\"event\":\"tasks\",\"tasks\":3" + tail,
        new Fact.TasksAdded(2, 3, 0, anna));
    assertText(
        head
            + "\"on\":\"stage\",\"stage\":2,\"event\":\"tasks\",\"tasks\":3,\"maxAttempts\":4"
            + tail,
        new Fact.TasksAdded(2, 3, 4, anna));
    assertText(
        head
            + "\"on\":\"task\",\"stage\":2,\"task\":1,\"event\":\"describe\",\"metadata\":{}"
            + tail,
        new Fact.MetadataReplaced(2, 1, JsonObject.create(), anna));
    assertText(
        head + "\"on\":\"job\",\"event\":\"prioritize\",\"priority\":\"HIGH\"" + tail,
        new Fact.Prioritized(Priority.HIGH, anna));
    assertText(
        head
            + "\"on\":\"task\",\"stage\":1,\"task\":3,\"event\":\"claim\",\"epoch\":4,"
            + "\"worker\":\"w\",\"lease\":60000,\"bare\":true}",
        new Fact.TaskChanged(
            1, 3, TaskEvent.CLAIM, new Detail.Claimed(4, "w", Duration.ofMinutes(1), true)));
  }

  private static void assertText(String line, Fact fact) {
    assertThat(LogEntryJson.write(new LogEntry(5, AT, fact))).isEqualTo(line);
  }

  @Test
  void aClaimOfAnOlderLogHasNoLease() {
    LogEntry entry =
        LogEntryJson.read(
            "{\"n\":2,\"at\":\"2026-03-01T08:00:00.123456Z\",\"on\":\"task\",\"stage\":1,\"task\":3,"
                + "\"event\":\"claim\",\"epoch\":4,\"worker\":\"w\"}");
    assertThat(entry.fact())
        .isEqualTo(
            new Fact.TaskChanged(1, 3, TaskEvent.CLAIM, new Detail.Claimed(4, "w", null, false)));
  }

  @Test
  void aLogOfAnotherVersionIsRefused() {
    assertThatThrownBy(
            () ->
                LogEntryJson.read(
                    "{\"n\":1,\"at\":\"2026-03-01T08:00:00Z\",\"on\":\"job\",\"event\":\"submit\",\"v\":3}"))
        .isInstanceOf(JsonException.class)
        .hasMessage("log version 3 is not one of 1 to 2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"on\":\"moon\"}|unknown subject \"moon\"",
        "{}|has no \"on\"",
        "{\"on\":\"job\"}|has no \"event\"",
        "{\"on\":\"job\",\"event\":\"submit\"}|has no \"v\"",
        "{\"on\":\"job\",\"event\":\"explode\",\"by\":\"user\"}|not an event",
        "{\"on\":\"job\",\"event\":\"pause\"}|has no \"by\"",
        "{\"on\":\"job\",\"event\":\"pause\",\"by\":\"cat\"}|not an event",
        "{\"on\":\"stage\",\"event\":\"open\",\"by\":\"system\"}|has no \"stage\"",
        "{\"on\":\"task\",\"stage\":1,\"event\":\"abort\"}|has no \"task\"",
        "{\"on\":\"task\",\"stage\":1,\"task\":1,\"event\":\"claim\"}|has no \"epoch\"",
        "{\"on\":\"task\",\"stage\":1,\"task\":1,\"event\":\"retry\",\"error\":\"x\"}|has no"
            + " \"notBefore\"",
        "{\"on\":\"task\",\"stage\":1,\"task\":1,\"event\":\"fail\"}|has no \"error\"",
        "{\"on\":\"stage\",\"stage\":1,\"event\":\"add\",\"by\":\"user\"}|has no \"type\"",
        "{\"on\":\"stage\",\"stage\":1,\"event\":\"add\",\"by\":\"user\",\"spec\":{\"type\":\"a\","
            + "\"size\":1}}|unknown field \"size\"",
        "{\"on\":\"stage\",\"stage\":1,\"event\":\"tasks\",\"by\":\"user\"}|has no \"tasks\"",
        "{\"on\":\"job\",\"event\":\"prioritize\",\"by\":\"user\"}|has no \"priority\"",
        "{\"on\":\"job\",\"event\":\"prioritize\",\"priority\":\"x\",\"by\":\"user\"}|not an event",
        "{\"on\":\"job\",\"event\":\"describe\",\"metadata\":{}}|has no \"by\"",
        "{\"on\":\"log\",\"line\":\"x\"}|has no \"level\""
      })
  void unknownEntriesAreRefused(String fields, String message) {
    String rest = fields.equals("{}") ? "}" : "," + fields.substring(1);
    String line = "{\"n\":1,\"at\":\"2026-03-01T08:00:00Z\"" + rest;
    assertThatThrownBy(() -> LogEntryJson.read(line))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aTornOrMalformedLineIsAJsonException() {
    String line =
        LogEntryJson.write(new LogEntry(2, AT, new Fact.WorkerLogLine(1, 1, "info", NASTY)));
    for (int length = 0; length < line.length(); length++) {
      String torn = line.substring(0, length);
      assertThatThrownBy(() -> LogEntryJson.read(torn)).isInstanceOf(JsonException.class);
    }
    for (String odd :
        List.of(
            "[]",
            "null",
            "{\"n\":\"1\"}",
            "{\"n\":1,\"at\":\"yesterday\",\"on\":\"log\"}",
            "{\"n\":1,\"at\":5,\"on\":\"log\"}",
            "{\"n\":1.5,\"at\":\"2026-03-01T08:00:00Z\"}")) {
      assertThatThrownBy(() -> LogEntryJson.read(odd)).isInstanceOf(JsonException.class);
    }
  }

  @Test
  void numbersThatDoNotFitAreRefused() {
    assertThatThrownBy(
            () ->
                LogEntryJson.read(
                    "{\"n\":1,\"at\":\"2026-03-01T08:00:00Z\",\"on\":\"task\","
                        + "\"stage\":4294967297,\"task\":1,\"event\":\"abort\"}"))
        .isInstanceOf(JsonException.class);
  }
}
