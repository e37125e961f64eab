package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of the README in their order. */
class ReadmeIT {
  private static final Pattern SHELL = Pattern.compile("```sh\\n(.*?)```", Pattern.DOTALL);

  @TempDir Path dir;

  @Test
  void everyCommandInTheReadmeWorks() throws IOException, InterruptedException {
    Path root = Path.of("..").toAbsolutePath().normalize();
    StringBuilder script = new StringBuilder("set -e\n");
    Matcher blocks = SHELL.matcher(Files.readString(root.resolve("README.md")));
    while (blocks.find()) {
      // no build inside the build
      script.append(blocks.group(1).replaceAll("(?m)^mvn .*$", ""));
    }
    Path commands = Files.writeString(dir.resolve("readme.sh"), script);
    Files.createSymbolicLink(dir.resolve("millrace"), root.resolve("millrace"));
    Path output = dir.resolve("output.txt");
    ProcessBuilder shell = new ProcessBuilder("sh", commands.toString());
    shell.environment().put("MILLRACE_NO_BUILD", "1");
    Process process =
        shell
            .directory(dir.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(600, TimeUnit.SECONDS)).as("it ends").isTrue();
    String said = Files.readString(output);
    assertThat(process.exitValue()).as(said).isZero();
    assertThat(said)
        .contains("Nothing runs any more") // the demo
        .contains("the same") // verify
        .contains("\"custom_id\":\"s1\"")
        .contains("{\"characters\":[")
        .contains("\"vector\": [")
        .containsPattern("failed: +0")
        .contains("the same bytes") // after the plug was pulled
        .contains("WHY IS THE SKY BLUE")
        .contains("event: status", "\"state\":\"success\"") // over HTTP
        .contains("house:1-3", "house:4-6") // who holds what
        .doesNotContain("Error");
    assertThat(Files.readAllLines(dir.resolve("answers.jsonl"))).hasSize(20);
  }
}
