package dev.millrace.cli.submit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.CommandFixture;
import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobSpec;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code work --job}. */
class JobFileReaderTest extends CommandFixture {
  private static final String TWO_STAGES =
      """
      {"name": "n", "tags": ["doc"],
       "stages": [{"type": "generate", "tasksFile": "tasks.jsonl"},
                  {"type": "generate", "each": "again: {{result}}"}]}
      """;

  @BeforeEach
  void open() throws IOException {
    Files.createDirectory(dir.resolve("docs"));
  }

  private JobSpec spec(String id) {
    return Workspace.open(dir.resolve("ws")).reader().spec(InProcessCli.id(id)).orElseThrow();
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(dir.resolve("docs").resolve(name), text);
  }

  @Test
  void tasksComeFromAFileBesideTheDocument() throws IOException {
    write("job.json", TWO_STAGES);
    write("tasks.jsonl", "\"one\"\n{\"input\": {\"n\": 2}}\n\n\"three\"\n");
    JobSpec spec =
        spec(cli.submit("ws", "--job", "docs/job.json", "--tag", "more", "--priority", "low"));
    assertThat(spec.name()).isEqualTo("n");
    assertThat(spec.tags()).containsExactly("doc", "more");
    assertThat(spec.stages()).hasSize(2);
    assertThat(spec.stages().getFirst().tasks()).hasSize(3);
    assertThat(spec.stages().getFirst().tasks().getFirst().input()).isEqualTo("one");
  }

  @Test
  void theDocumentMayComeFromStdin() throws IOException {
    Files.writeString(dir.resolve("tasks.jsonl"), "\"one\"\n");
    JobSpec spec = spec(cli.stdin(TWO_STAGES).submit("ws", "--job", "-"));
    assertThat(spec.stages().getFirst().tasks()).hasSize(1);
  }

  @Test
  void theTasksMayComeFromStdin() throws IOException {
    write("job.json", TWO_STAGES.replace("tasks.jsonl", "-"));
    JobSpec spec = spec(cli.stdin("\"a\"\n\"b\"\n").submit("ws", "--job", "docs/job.json"));
    assertThat(spec.stages().getFirst().tasks()).hasSize(2);
  }

  @Test
  void stdinCanBeUsedOnce() {
    InProcessCli.Result result =
        cli.stdin(TWO_STAGES.replace("tasks.jsonl", "-")).run("work", "ws", "--job", "-");
    assertThat(result.err()).contains("only one stdin");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{|job.json: not valid JSON at line",
        "[]|must be an object",
        "{\"stages\":[]}|a job has 1 to 1000 stages",
        "{\"stagse\":[]}|unknown field \"stagse\"",
        "{\"stages\":[{\"type\":\"x\",\"tasksFile\":\"none\"}]}|none does not exist",
        "{\"stages\":[{\"type\":\"x\",\"tasksFile\":\"bad.jsonl\"}]}|bad.jsonl, line 2",
        "{\"stages\":[{\"type\":\"x\",\"tasksFile\":\"latin1.jsonl\"}]}|latin1.jsonl is not valid"
            + " UTF-8",
        "{\"stages\":[{\"type\":\"x\",\"tasksFile\":\".\"}]}|is not a file",
      })
  void whatIsWrongIsNamed(String document, String message) throws IOException {
    write("job.json", document);
    write("bad.jsonl", "\"good\"\n{\"inptu\": 1}\n");
    Files.write(dir.resolve("docs/latin1.jsonl"), new byte[] {'"', (byte) 0xE9, '"', '\n'});
    InProcessCli.Result result = cli.run("work", "ws", "--job", "docs/job.json");
    assertThat(result.status()).isEqualTo(1);
    assertThat(result.err()).startsWith("Error: ").contains(message);
    assertThat(dir.resolve("ws")).doesNotExist();
  }

  @Test
  void optionsThatTheDocumentSetsAreRejected() throws IOException {
    write("job.json", TWO_STAGES);
    assertThat(cli.run("work", "ws", "--job", "docs/job.json", "--attempts", "2").err())
        .contains("--attempts cannot be used with --job");
    assertThat(cli.run("work", "ws", "prompt", "--job", "docs/job.json").err())
        .contains("a prompt and --job are mutually exclusive");
    assertThat(cli.run("work", "ws", "--job", "none.json").err())
        .contains("none.json does not exist");
  }
}
