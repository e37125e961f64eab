package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Torn, damaged, foreign or hostile files are refused and named; other jobs continue. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class DamagedWorkspaceTest extends RealWorkspaceCase {
  private static final JobId ID = new JobId("00001736700000000000_1_000000");
  private static final String META =
      "{\"submitted_at\":\"2026-03-01T08:00:00.000000Z\",\"mode\":\"text\"}";

  /** The log of a job whose first task of two is completed, in a workspace without an owner. */
  private Path halfDone() {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two")));
    assertThat(complete(store, claim(store, 1).getFirst())).isEqualTo(Outcome.DONE);
    close(store);
    return place(JobState.IN_PROGRESS, id).resolve("events.jsonl");
  }

  private static JobId idOf(Path file) {
    return new JobId(file.getParent().getFileName().toString());
  }

  /** Checks that the owner still works: it processes a new job. */
  private JobStore othersGoOn() {
    JobStore store = own();
    JobId other = store.submit(TestJobSpecs.plain("other"));
    completeAll(store);
    assertThat(result(store, other)).isEqualTo("<other>");
    assertThat(store.list(JobReader.Query.all())).contains(other);
    assertThat(store.counts()).containsEntry(JobState.COMPLETED, 1 + completedBefore);
    return store;
  }

  private int completedBefore;

  private void assertRefused(JobId id, String error) {
    JobStore store = othersGoOn();
    assertThat(store.state(id)).contains(JobState.FAILED);
    assertThat(place(JobState.FAILED, id).resolve("error.txt")).content().contains(error);
    assertThat(error(store, id)).contains(error);
    assertThat(workspace.flow().get(id).orElseThrow().error()).contains(error);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"n\":5,\"at\":\"2026", "{", "\0\0\0\0\0\0\0\0", "garbage\n", "\n\n"})
  void aTornEndOfALogIsCutOffAndNamed(String torn) throws IOException {
    Path events = halfDone();
    List<String> before = lines(events);
    Files.writeString(events, torn, StandardOpenOption.APPEND);
    completedBefore = 1;
    JobStore store = othersGoOn();
    JobId id = idOf(events);
    assertThat(log.lines())
        .anyMatch(
            line ->
                line.startsWith(
                    "job "
                        + id
                        + ": cut off a torn line of events.jsonl, "
                        + torn.length()
                        + " bytes after line "
                        + before.size()));
    assertThat(store.state(id)).contains(JobState.COMPLETED);
    assertThat(lines(place(JobState.COMPLETED, id).resolve("events.jsonl")))
        .startsWith(before.toArray(String[]::new));
    WorkspaceInvariants.logAddsUp(store, id);
  }

  @ParameterizedTest
  @CsvSource({"1,''", "2,''", "2,{}", "3,'{\"n\":99}'"})
  void aJobWhoseLogIsDamagedInTheMiddleIsSkipped(int number, String with) throws IOException {
    Path events = halfDone();
    List<String> damaged = new ArrayList<>(lines(events));
    damaged.set(number - 1, with);
    Files.write(events, damaged);
    JobStore store = othersGoOn();
    assertThat(Files.readAllLines(events)).isEqualTo(damaged);
    assertThat(log.lines())
        .anyMatch(
            line ->
                line.contains(idOf(events).value())
                    && line.contains("is damaged and skipped: events.jsonl, line " + number)
                    && !line.contains("input/ready"));
    assertThatThrownBy(() -> store.find(idOf(events)))
        .hasMessageContaining(idOf(events).value())
        .hasMessageContaining("line " + number);
    assertThatThrownBy(() -> store.abort(idOf(events), SimulatedStore.ANNA))
        .hasMessageContaining("damaged");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 'on':'job','event':'future','by':'user'",
        "0 | 'on':'weather'",
        "0 | 'on':'job','event':'describe','by':'user','metadata':{'x':DEEP}",
        "99 | 'on':'log','level':'info','line':'x'"
      },
      quoteCharacter = '`')
  void aLastLineThatWasWrittenWholeIsNeverCutOff(int ahead, String fact) throws IOException {
    Path events = halfDone();
    int before = lines(events).size();
    String last =
        ("{'n':" + (before + 1 + ahead) + ",'at':'2026-11-15T18:00:00Z'," + fact + "}")
            .replace("DEEP", "[".repeat(250) + "]".repeat(250))
            .replace('\'', '"');
    Files.writeString(events, last + "\n", StandardOpenOption.APPEND);
    JobStore store = othersGoOn();
    assertThat(lines(events)).hasSize(before + 1).endsWith(last);
    assertThat(log.lines()).noneMatch(text -> text.contains("cut off"));
    assertThatThrownBy(() -> store.find(idOf(events)))
        .hasMessageContaining("events.jsonl, line " + (before + 1))
        .hasMessageContaining("written by a later version");
  }

  @Test
  void aLogWithAnIllegalTransitionIsDamaged() throws IOException {
    Path events = halfDone();
    String first = lines(events).getFirst();
    Files.writeString(
        events,
        first.replace("\"n\":1", "\"n\":" + (lines(events).size() + 1)) + "\n",
        StandardOpenOption.APPEND);
    othersGoOn();
    assertThat(log.lines()).anyMatch(line -> line.contains("damaged and skipped"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "not-a-job",
        "..1",
        "1__2",
        "_1",
        "1_",
        "1_2_3 ",
        "1_2_x",
        "...",
        "-1_2_3",
        "1_2_3.tmp",
        "١_٢_٣",
        "1\n2"
      })
  void aNameThatIsNoIdIsIgnoredAndNamed(String name) throws IOException {
    Path foreign = Files.createDirectory(layout.of(JobState.PENDING).resolve(name));
    Files.writeString(foreign.resolve("prompt.txt"), "x");
    othersGoOn();
    assertThat(foreign).isDirectoryContaining(file -> file.endsWith("prompt.txt"));
    assertThat(log.lines())
        .anyMatch(
            line -> line.contains(name.replace('\n', '?')) && line.contains("is not a job id"));
  }

  @Test
  void aDirectoryWithoutAPromptIsNotAJob() throws IOException {
    Path foreign = writeJobDirectory(JobState.PENDING, ID);
    JobStore store = othersGoOn();
    assertThat(foreign).isEmptyDirectory();
    assertThat(store.list(JobReader.Query.all())).doesNotContain(ID);
    assertThat(store.counts()).containsEntry(JobState.PENDING, 0);
    assertThat(log.lines())
        .anyMatch(line -> line.contains(ID.value()) && line.contains("and is ignored"));
  }

  @Test
  void aFileOrLinkInsteadOfADirectoryIsNotAJob() throws IOException {
    Path elsewhere = Files.createDirectory(dir.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("prompt.txt"), "secret");
    Files.createSymbolicLink(place(JobState.PENDING, ID), elsewhere);
    JobId file = new JobId("1736700000_12345_0");
    Files.writeString(place(JobState.PENDING, file), "x");
    JobStore store = othersGoOn();
    assertThat(store.state(ID)).isEmpty();
    assertThat(store.state(file)).isEmpty();
    assertThat(Files.list(elsewhere)).hasSize(1);
    assertThat(Files.isSymbolicLink(place(JobState.PENDING, ID))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"prompt.txt", "type.txt", "job.json"})
  void aLinkInsideAJobIsNeverFollowed(String name) throws IOException {
    Path secret = Files.writeString(dir.resolve("secret"), "text");
    Path job = writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x");
    Files.deleteIfExists(job.resolve(name));
    Files.createSymbolicLink(job.resolve(name), secret);
    assertRefused(
        ID, name.equals("type.txt") ? "Invalid job type" : name + " is not a regular file");
    assertThat(secret).hasContent("text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"prompt.txt", "type.txt", "job.json", "schema.json"})
  void aFifoInsideAJobIsNeverWaitedFor(String name) throws Exception {
    Path job = writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x");
    Files.deleteIfExists(job.resolve(name));
    fifo(job.resolve(name));
    assertRefused(
        ID, name.equals("type.txt") ? "Invalid job type" : name + " is not a regular file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"events.jsonl", "meta.json", "op.json", "result.txt", "meta.json.tmp"})
  void aFifoWhereTheStoreWritesIsNeverWaitedFor(String name) throws Exception {
    Path job = writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x");
    fifo(job.resolve(name));
    JobStore store = own();
    JobId other = store.submit(TestJobSpecs.plain("other"));
    for (Claim claim : claim(store, 10)) {
      try {
        complete(store, claim);
      } catch (RuntimeException e) {
        assertThat(e).hasMessageContaining(name + " is not a regular file");
      }
    }
    assertThat(result(store, other)).isEqualTo("<other>");
  }

  @Test
  void aFifoInsteadOfABatchsTasksIsNeverWaitedFor() throws Exception {
    JobId id = workspace.submitter().submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
    Path tasks = place(JobState.PENDING, id).resolve("stages/1-a/tasks.jsonl");
    Files.delete(tasks);
    fifo(tasks);
    assertRefused(id, "tasks.jsonl is not a regular file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"json_schema", "gbnf"})
  void aStructuredJobMustHaveItsFormat(String format) throws IOException {
    String meta = META.replace("}", ",\"output_format\":\"" + format + "\"}");
    writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x", "meta.json", meta);
    assertRefused(ID, "Structured job is missing grammar.gbnf");
  }

  @Test
  void anEmptyGrammarIsRefused() throws IOException {
    writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x", "grammar.gbnf", " \n");
    assertRefused(ID, "Grammar file is empty");
  }

  @Test
  void aGrammarOverAMillionBytesIsRefused() throws IOException {
    writeJobDirectory(
        JobState.PENDING, ID, "prompt.txt", "x", "grammar.gbnf", "x".repeat(1_000_001));
    assertRefused(ID, "Grammar file is too large: grammar.gbnf: 1000001 bytes, at most 1000000");
  }

  @ParameterizedTest
  @CsvSource({
    "telepathy,Invalid job type in type.txt",
    "'',Invalid job type in type.txt",
    "vision,jobs of type vision are not supported"
  })
  void anUnknownTypeIsRefused(String type, String error) throws IOException {
    writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x", "type.txt", type);
    assertRefused(ID, error);
  }

  @Test
  void anEmptyPromptIsRefusedOnSubmissionAndOnDisk() throws IOException {
    assertThat(workspace.work().submit("").message()).isEqualTo("Empty prompt");
    writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "", "meta.json", META);
    assertRefused(ID, "Empty prompt");
  }

  @Test
  void aPromptThatIsNotTextIsRefused() throws IOException {
    Path job = writeJobDirectory(JobState.PENDING, ID, "meta.json", META);
    Files.write(job.resolve("prompt.txt"), new byte[] {'a', 'b', 'c', (byte) 0xff, 'd'});
    assertRefused(ID, "prompt.txt is not valid UTF-8 at byte 3");
  }

  @Test
  void aPromptMayHaveAtMostTenMillionBytes() throws IOException {
    String most = "é".repeat(JobSpec.MAX_PROMPT_BYTES / 2);
    JobId id = workspace.submitter().submit(JobSpec.prompt("generate", most));
    assertThatThrownBy(() -> workspace.submitter().submit(JobSpec.prompt("generate", most + "x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Prompt too large: 10000001 bytes, at most 10000000");
    JobStore store = own();
    Claim claim = claim(store, 1).getFirst();
    assertThat(claim.job()).isEqualTo(id);
    assertThat(claim.inputText()).isEqualTo(most);
    close(store);
    writeJobDirectory(JobState.PENDING, ID, "prompt.txt", most + "x");
    completedBefore = 1;
    assertRefused(ID, "Prompt file too large: prompt.txt: 10000001 bytes, at most 10000000");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "null",
        "[]",
        "{\"mode\":\"text\"}",
        "\ufeff{}",
        "{\"submitted_at\":\"yesterday\",\"mode\":\"text\"}",
        "{\"submitted_at\":\"2026-03-01T08:00:00Z\",\"mode\":7}"
      })
  void aJobDoesNotDependOnItsMetadata(String meta) throws IOException {
    writeJobDirectory(JobState.PENDING, ID, "prompt.txt", "x", "meta.json", meta);
    completedBefore = 1;
    assertThat(result(othersGoOn(), ID)).isEqualTo("<x>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"limits\":{\"queueTimeout\":\"soon\"}",
        "\"limits\":7",
        "\"priority\":\"whenever\"",
        "\"parameters\":[]",
        "\"limits\":{\"maxAttempts\":-1}",
        "\"tags\":[\"no spaces\"],\"parent\":\"nobody\"",
        "\"metadata\":3",
        "\"limits\":{\"queueTimeout\":\"P300000000D\"}"
      })
  void metadataThatBreaksARuleDoesNotStopOtherJobs(String field) throws IOException {
    writeJobDirectory(
        JobState.PENDING, ID, "prompt.txt", "x", "meta.json", META.replace("}", "," + field + "}"));
    JobStore store = own();
    JobId other = store.submit(TestJobSpecs.plain("other"));
    completeAll(store);
    assertThat(result(store, other)).isEqualTo("<other>");
    assertThat(store.list(JobReader.Query.all())).contains(other, ID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "+1000000000-12-31T23:59:59.999999999Z",
        "-1000000000-01-01T00:00:00Z",
        "1969-12-31T23:59:59Z"
      })
  void aJobOfAnyAgeIsProcessed(String time) throws IOException {
    writeJobDirectory(
        JobState.PENDING,
        ID,
        "prompt.txt",
        "x",
        "meta.json",
        META.replace("2026-03-01T08:00:00.000000Z", time)
            .replace("}", ",\"limits\":{\"queueTimeout\":\"PT1H\"}}"));
    JobStore store = own();
    JobId other = store.submit(TestJobSpecs.plain("other"));
    completeAll(store);
    assertThat(result(store, other)).isEqualTo("<other>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[1]",
        "{\"v\":2}",
        "{\"v\":1,\"counts\":[],\"job\":{}}",
        "{\"v\":1,\"counts\":[],\"job\":{\"stages\":[{\"type\":\"a\"}]}}",
        "{\"v\":1,\"counts\":[-1],\"job\":{\"stages\":[{\"type\":\"a\"}]}}",
        "{\"v\":1,\"counts\":[2000000000],\"job\":{\"stages\":[{\"type\":\"a\"}]}}",
        "{\"v\":1,\"counts\":[\"one\"],\"job\":{\"stages\":[{\"type\":\"a\"}]}}",
        "{\"v\":1,\"counts\":[1],\"job\":{\"stages\":[{\"type\":\"../../etc\"}]}}"
      })
  void aDocumentThatBreaksARuleIsRefused(String document) throws IOException {
    writeJobDirectory(JobState.PENDING, ID, "job.json", document);
    assertRefused(ID, "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"garbage", "{}", "{\"input\":", "[]", ""})
  void aTaskThatCannotBeReadIsRefused(String line) throws IOException {
    writeJobDirectory(
        JobState.PENDING,
        ID,
        "job.json",
        "{\"v\":1,\"counts\":[1,1],\"job\":{\"stages\":[{\"type\":\"a\"},{\"type\":\"b\"}]}}",
        "stages/1-a/tasks.jsonl",
        "{\"input\":\"1\"}\n",
        "stages/2-b/templates.jsonl",
        line + "\n");
    JobId second = new JobId("00001736700000000000_1_000001");
    writeJobDirectory(
        JobState.PENDING,
        second,
        "job.json",
        "{\"v\":1,\"counts\":[1],\"job\":{\"stages\":[{\"type\":\"a\"}]}}",
        "stages/1-a/tasks.jsonl",
        line + "\n");
    JobStore store = othersGoOn();
    assertThat(store.state(ID)).contains(JobState.FAILED);
    assertThat(store.find(ID).orElseThrow().error()).contains("stage 2 (b)");
    assertThat(store.tasks(ID, 2, 1, 9)).hasSize(1);
    assertThat(store.state(second)).contains(JobState.FAILED);
  }

  @Test
  void tasksThatAreMissingAreRefused() throws IOException {
    writeJobDirectory(
        JobState.PENDING,
        ID,
        "job.json",
        "{\"v\":1,\"counts\":[3],\"job\":{\"stages\":[{\"type\":\"a\"}]}}",
        "stages/1-a/tasks.jsonl",
        "{\"input\":\"1\"}\n{\"input\":\"2\"}\n");
    JobStore store = othersGoOn();
    assertThat(store.state(ID)).contains(JobState.FAILED);
    assertThat(store.find(ID).orElseThrow().error()).contains("tasks.jsonl has 2 lines, not 3");
  }
}
