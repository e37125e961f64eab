package dev.millrace.cli.soak;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.soak.SoakHistory.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checker finds what a soak is there to find. */
class SoakCheckerTest {
  private static final String ID = "00001794733669168034_15155_000000";
  private static final String SUBMIT = "\"on\":\"job\",\"event\":\"submit\",\"v\":2";
  private static final String CLAIM =
      "\"on\":\"task\",\"stage\":1,\"task\":1,\"event\":\"claim\",\"epoch\":1,\"worker\":\"w\"";
  private static final String COMPLETE =
      "\"on\":\"task\",\"stage\":1,\"task\":1,\"event\":\"complete\"";
  private static final String ABORT =
      "\"on\":\"job\",\"event\":\"abort\",\"by\":\"user\",\"comment\":\"user-comment-1\"";
  private static final String PAUSE = "\"on\":\"job\",\"event\":\"pause\",\"by\":\"user\"";
  private static final String DESCRIBE =
      "\"on\":\"job\",\"event\":\"describe\",\"by\":\"user\",\"metadata\":{\"mark\":\"user-mark-1\"}";

  @TempDir Path workspace;
  private final SoakHistory history = new SoakHistory();

  @BeforeEach
  void createDirectories() throws IOException {
    for (String place :
        List.of("input/ready", "processing", "paused", "output", "failed", "cancelled")) {
      Files.createDirectories(workspace.resolve(place));
    }
    history.add("client", "submit", ID, "one", Answer.ACKNOWLEDGED);
  }

  private void job(String place, String id, String... events) throws IOException {
    Path job = Files.createDirectories(workspace.resolve(place).resolve(id));
    Files.writeString(job.resolve("meta.json"), "{\"name\": \"one\"}");
    Files.writeString(job.resolve("result.txt"), "done by 1.2");
    StringBuilder log = new StringBuilder();
    for (int n = 1; n <= events.length; n++) {
      log.append("{\"n\":%d,\"at\":\"2026-01-01T00:00:0%dZ\",".formatted(n, n));
      log.append(events[n - 1]).append("}\n");
    }
    Files.writeString(job.resolve("events.jsonl"), log);
  }

  private void assertFound(String... problems) throws IOException {
    List<String> found = SoakChecker.check(history, JobRecord.all(workspace));
    assertThat(found).as("%s", found).hasSize(problems.length);
    for (String problem : problems) {
      assertThat(found).anyMatch(text -> text.contains(problem));
    }
  }

  @Test
  void whatWasAcknowledgedAndIsThereIsFine() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE);
    history.add("worker", "complete", ID + "/1/1", "1.2", Answer.ACKNOWLEDGED);
    history.add("late", "complete", ID + "/1/1", "1.9", Answer.REFUSED);
    history.add("user", "abort", ID, "user-comment-1", Answer.UNKNOWN);
    assertFound();
  }

  @Test
  void lostJobs() throws IOException {
    assertFound("acknowledged and lost", "is there 0 times");
  }

  @Test
  void jobsThatAreThereTwice() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE);
    job("cancelled", ID, SUBMIT, ABORT);
    history.add("user", "abort", ID, "user-comment-1", Answer.UNKNOWN);
    job("output", "00001794733669168035_15155_000000", SUBMIT, CLAIM, COMPLETE);
    assertFound("is in output and in cancelled", "is there 3 times");
  }

  @Test
  void jobsThatDidNotComeToTheirEnd() throws IOException {
    job("processing", ID, SUBMIT, CLAIM);
    assertFound("is still in processing");
  }

  @Test
  void secondCompletions() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE, CLAIM, COMPLETE);
    assertFound("after its completion: {\"n\":4", "after its completion: {\"n\":5");
  }

  @Test
  void gapsInLogsAndTimesThatRunBackwards() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE);
    Path log = workspace.resolve("output/" + ID + "/events.jsonl");
    String whole = Files.readString(log);
    Files.writeString(log, whole.replace("\"n\":3", "\"n\":4"));
    assertFound("entry 4 is the 3th");
    Files.writeString(log, whole.replace("00:00:03Z", "00:00:00Z"));
    assertFound("entry 3 is of");
  }

  @Test
  void resultsThatAreNotThoseThatWereAccepted() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE);
    history.add("worker", "complete", ID + "/1/1", "1.7", Answer.ACKNOWLEDGED);
    history.add("late", "complete", ID + "/1/1", "1.2", Answer.REFUSED);
    assertFound("accepted, but the result is done by 1.2", "refused, but it is the result");
  }

  @Test
  void leversThatAreMissing() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE);
    history.add("user", "pause", ID, "user-comment-2", Answer.ACKNOWLEDGED);
    assertFound("pause is in its log 0 times, and should be 1 to 1", "but not there");
  }

  @Test
  void leversWithoutAMarkOfWhichOneIsMissing() throws IOException {
    job("output", ID, SUBMIT, PAUSE, CLAIM, COMPLETE);
    for (int i = 0; i < 3; i++) {
      history.add("user", "pause", ID, "", Answer.ACKNOWLEDGED);
    }
    assertFound("pause is in its log 1 times, and should be 3 to 3");
  }

  @Test
  void notesThatWereRefusedAndDone() throws IOException {
    job("output", ID, SUBMIT, CLAIM, COMPLETE, DESCRIBE, DESCRIBE);
    history.add("user", "describe", ID, "user-mark-1", Answer.REFUSED);
    assertFound("refused, and done");
  }

  @Test
  void notesThatWereDoneTwice() throws IOException {
    job("output", ID, SUBMIT, DESCRIBE, CLAIM, COMPLETE, DESCRIBE);
    history.add("user", "describe", ID, "user-mark-1", Answer.ACKNOWLEDGED);
    assertFound("done 2 times");
  }

  @Test
  void leversWithoutAMarkThatWereRefusedAndDone() throws IOException {
    job("cancelled", ID, SUBMIT, ABORT);
    history.add("user", "abort", ID, "", Answer.REFUSED);
    assertFound("abort is in its log 1 times, and should be 0 to 0");
  }

  @Test
  void leversThatWereDoneTwice() throws IOException {
    job("cancelled", ID, SUBMIT, ABORT, ABORT);
    history.add("user", "abort", ID, "user-comment-1", Answer.UNKNOWN);
    assertFound(
        "after its end: {\"n\":3", "abort is in its log 2 times", "done 2 times: Operation");
  }

  @Test
  void tasksThatCompleteAfterTheEndOfTheirJob() throws IOException {
    job("cancelled", ID, SUBMIT, CLAIM, ABORT, COMPLETE, DESCRIBE);
    history.add("user", "abort", ID, "", Answer.ACKNOWLEDGED);
    history.add("user", "describe", ID, "user-mark-1", Answer.ACKNOWLEDGED);
    assertFound("after its end: {\"n\":4");
  }

  @Test
  void prioritiesThatAreMissingOrThatNobodyAskedFor() throws IOException {
    String high = "\"on\":\"job\",\"event\":\"prioritize\",\"priority\":\"HIGH\",\"by\":\"user\"";
    job("output", ID, SUBMIT, high, CLAIM, COMPLETE);
    history.add("user", "prioritize", ID, "LOW", Answer.ACKNOWLEDGED);
    history.add("user", "prioritize", ID, "MEDIUM", Answer.ACKNOWLEDGED);
    history.add("user", "prioritize", ID, "HIGH", Answer.REFUSED);
    assertFound("prioritize LOW is in its log 0 times", "prioritize HIGH is in its log 1 times");
  }

  @Test
  void aSoakWithoutFaultsProvesNothing() {
    SoakSettings settings = new SoakSettings(Duration.ofMinutes(2), 1, false);
    assertThat(SoakMinimum.problems(history, settings)).hasSize(5);
    for (int i = 0; i < 20; i++) {
      history.add("client", "submit", ID, "one", Answer.ACKNOWLEDGED);
      history.add("worker", "complete", ID + "/1/1", "1.2", Answer.ACKNOWLEDGED);
      history.add("user", "pause", ID, "", Answer.ACKNOWLEDGED);
      history.add("faults", "KILL_OWNER", "nobody", "", Answer.ACKNOWLEDGED);
    }
    assertThat(SoakMinimum.problems(history, settings)).hasSize(2);
    for (int i = 0; i < 4; i++) {
      history.add("faults", "KILL_OWNER", "server-a", "", Answer.ACKNOWLEDGED);
    }
    assertThat(SoakMinimum.problems(history, settings)).isEmpty();
  }
}
