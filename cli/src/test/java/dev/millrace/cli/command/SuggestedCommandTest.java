package dev.millrace.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import org.junit.jupiter.api.Test;

class SuggestedCommandTest {
  @Test
  void aWordIsQuotedOnlyWhereAShellWouldChangeIt() {
    assertThat(SuggestedCommand.quote("/tmp/a-b_1.gguf")).isEqualTo("/tmp/a-b_1.gguf");
    assertThat(SuggestedCommand.quote("/a b/it's")).isEqualTo("'/a b/it'\\''s'");
    assertThat(SuggestedCommand.quote("$x")).isEqualTo("'$x'");
    assertThat(SuggestedCommand.quote("")).isEqualTo("''");
  }

  @Test
  void aCommandNamesThePlaceAsTheUserDid() {
    JobId id = new JobId("1_2_3");
    assertThat(SuggestedCommand.of("approve").on("my ws").with(id, 2))
        .hasToString("millrace approve 'my ws' 1_2_3 2");
    assertThat(SuggestedCommand.of("serve").on("ws").with("--status"))
        .hasToString("millrace serve --workspace ws --status");
    assertThat(SuggestedCommand.of("jobs").on("http://127.0.0.1:8080").to("lists all jobs"))
        .isEqualTo("\"millrace jobs http://127.0.0.1:8080\" lists all jobs");
  }

  /** A directory may be named like an id, or begin with a dash. */
  @Test
  void aPlaceIsNeverTakenForAnIdOrAnOption() {
    assertThat(SuggestedCommand.of("jobs").on("2026")).hasToString("millrace jobs ./2026");
    assertThat(SuggestedCommand.of("jobs").on("-x")).hasToString("millrace jobs ./-x");
  }
}
