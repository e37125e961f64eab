package dev.millrace.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.task.TaskEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FactTextTest {
  private static final Instant AT = Instant.parse("2026-03-01T08:00:00.123456Z");
  private static final Cause ANNA = Cause.user("anna", "lunch");

  private static Fact task(TaskEvent event, Detail detail) {
    return new Fact.TaskChanged(2, 3, event, detail);
  }

  private static final Map<Fact, String> TEXTS =
      Map.ofEntries(
          Map.entry(new Fact.Submitted(), "job submitted"),
          Map.entry(new Fact.JobChanged(JobEvent.PAUSE, ANNA), "job pause by anna: lunch"),
          Map.entry(new Fact.JobChanged(JobEvent.BEGIN, Cause.SYSTEM), "job begin"),
          Map.entry(
              new Fact.StageChanged(2, StageEvent.OPEN, Cause.SYSTEM, new Fact.Opening(4, null)),
              "stage 2 open (4 tasks)"),
          Map.entry(
              new Fact.StageChanged(2, StageEvent.HOLD, Cause.system("approval gate"), null),
              "stage 2 hold: approval gate"),
          Map.entry(
              task(TaskEvent.CLAIM, new Detail.Claimed(1, "w", Duration.ofMinutes(1), true)),
              "task 2/3 claim by w"),
          Map.entry(task(TaskEvent.COMPLETE, new Detail.Completed(1, 2)), "task 2/3 complete"),
          Map.entry(
              task(
                  TaskEvent.ADOPT,
                  new Detail.Adopted(new Adoption(new JobId("1_2_3"), 3, Instant.EPOCH), 1, 2)),
              "task 2/3 adopt from 1_2_3 task 3"),
          Map.entry(
              task(TaskEvent.RETRY, new Detail.Retrying("broken", AT)),
              "task 2/3 retry, not before 2026-03-01T08:00:00.123456Z: broken"),
          Map.entry(task(TaskEvent.FAIL, new Detail.Ended("broken")), "task 2/3 fail: broken"),
          Map.entry(
              task(TaskEvent.RELEASE, new Detail.Released("shutdown", false)),
              "task 2/3 release: shutdown"),
          Map.entry(task(TaskEvent.ABORT, Detail.NONE), "task 2/3 abort"),
          Map.entry(new Fact.TaskProgressed(2, 3), "task 2/3 progress"),
          Map.entry(
              new Fact.TermsFrozen(
                  2, 3, Json.object("{\"model\":\"m\",\"parameters\":{\"seed\":7}}")),
              "task 2/3 settled: model m, seed 7"),
          Map.entry(new Fact.TermsFrozen(2, 3, JsonObject.create()), "task 2/3 settled"),
          Map.entry(
              new Fact.StageAdded(2, StageSpec.of("generate", List.of()), ANNA),
              "stage 2 added (generate) by anna: lunch"),
          Map.entry(new Fact.TasksAdded(2, 0, 0, Cause.SYSTEM), "stage 2 closed without tasks"),
          Map.entry(new Fact.TasksAdded(2, 1, 0, Cause.SYSTEM), "stage 2 got 1 task"),
          Map.entry(new Fact.TasksAdded(2, 9, 3, ANNA), "stage 2 got 9 tasks by anna: lunch"),
          Map.entry(
              new Fact.MetadataReplaced(0, 0, JsonObject.create(), ANNA),
              "job metadata replaced by anna: lunch"),
          Map.entry(
              new Fact.MetadataReplaced(2, 0, JsonObject.create(), Cause.SYSTEM),
              "stage 2 metadata replaced"),
          Map.entry(
              new Fact.MetadataReplaced(2, 3, JsonObject.create(), Cause.SYSTEM),
              "task 2/3 metadata replaced"),
          Map.entry(new Fact.Prioritized(Priority.HIGH, Cause.SYSTEM), "job priority HIGH"),
          Map.entry(new Fact.WorkerLogLine(0, 0, "info", "hello"), "job [INFO] hello"),
          Map.entry(new Fact.WorkerLogLine(2, 3, "warn", "hello"), "task 2/3 [WARN] hello"));

  @Test
  void everyFactIsALineInPlainWords() {
    Set<Class<?>> kinds = new HashSet<>();
    TEXTS.forEach(
        (fact, text) -> {
          assertThat(FactText.of(fact)).isEqualTo(text);
          kinds.add(fact.getClass());
          if (fact instanceof Fact.TaskChanged of) {
            kinds.add(of.detail().getClass());
          }
        });
    assertThat(kinds)
        .contains(Fact.class.getPermittedSubclasses())
        .contains(Detail.class.getPermittedSubclasses());
  }

  @Test
  void quotedTextStaysOnOneLine() {
    String nasty = "a\nb\rc\tdé😀\u2028e\u2029f\033[2J\0\u0085";
    List<Fact> facts =
        List.of(
            new Fact.WorkerLogLine(1, 1, "i\nnfo", nasty),
            new Fact.JobChanged(JobEvent.ABORT, Cause.user(nasty, nasty)),
            task(TaskEvent.FAIL, new Detail.Ended(nasty)),
            task(TaskEvent.CLAIM, new Detail.Claimed(1, nasty)),
            new Fact.TermsFrozen(1, 1, JsonObject.create().put("model", nasty)));
    for (Fact fact : facts) {
      String line = FactText.of(fact);
      assertThat(line).contains("a b c dé😀 e f [2J  ");
      assertThat(line.chars()).noneMatch(Character::isISOControl);
      assertThat(line).doesNotContain("\u2028", "\u2029");
    }
  }

  @Test
  void timesAreFormattedByTheCaller() {
    Fact fact = task(TaskEvent.RETRY, new Detail.Retrying("broken", AT));
    assertThat(FactText.of(fact, _ -> "later"))
        .isEqualTo("task 2/3 retry, not before later: broken");
  }
}
