package dev.millrace.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks the files that the operator's pages offer with the programs that will read them:
 * Prometheus' rules, systemd's units, crontabs and the configuration of logrotate. Where a program
 * is missing, its check is left out.
 */
class OperatorFilesTest {
  private static final Path ROOT = ExampleRun.ROOT;
  private static final Pattern UNIT_FILE =
      Pattern.compile("# /etc/systemd/system/(\\S+)\\n.*", Pattern.DOTALL);

  @TempDir Path dir;

  @Test
  void alertRulesAreValidAndAlertAsTheirTestsSay() throws Exception {
    assumeProgram("promtool");
    Path docs = ROOT.resolve("docs");
    run("promtool", "check", "rules", docs.resolve("prometheus-rules.yml").toString());
    run("promtool", "test", "rules", docs.resolve("prometheus-rules-test.yml").toString());
  }

  @Test
  void everyAlertHasATest() throws IOException {
    Matcher alerts =
        Pattern.compile("- alert: (\\w+)")
            .matcher(Files.readString(ROOT.resolve(PrometheusRules.FILE)));
    String tests = Files.readString(ROOT.resolve("docs/prometheus-rules-test.yml"));
    String page = Files.readString(ROOT.resolve("docs/operations.md"));
    List<String> names = alerts.results().map(alert -> alert.group(1)).toList();
    assertThat(names).isNotEmpty().allMatch(name -> tests.contains("alertname: " + name + "\n"));
    assertThat(names).as("explained on the page").allMatch(name -> page.contains(name));
  }

  @Test
  void scrapeConfigurationIsValid() throws Exception {
    assumeProgram("promtool");
    Files.copy(ROOT.resolve(PrometheusRules.FILE), dir.resolve("prometheus-rules.yml"));
    Files.writeString(dir.resolve("millrace.key"), "key");
    List<String> blocks = blocks("docs/operations.md", "yaml");
    assertThat(blocks).hasSize(1);
    Path file =
        Files.writeString(
            dir.resolve("prometheus.yml"), here(blocks.getFirst(), "/etc/prometheus"));
    run("promtool", "check", "config", file.toString());
  }

  @Test
  void unitsAreValid() throws Exception {
    assumeProgram("systemd-analyze");
    List<String> files = new ArrayList<>();
    for (String page : List.of("docs/operations.md", "docs/recurring.md")) {
      for (String block : blocks(page, "ini")) {
        Matcher unit = UNIT_FILE.matcher(block);
        assertThat(unit.matches()).as("its first line names its file: %s", block).isTrue();
        files.add(Files.writeString(dir.resolve(unit.group(1)), withPrograms(block)).toString());
      }
    }
    assertThat(files).hasSizeGreaterThan(4);
    List<String> command = new ArrayList<>(List.of("systemd-analyze", "verify", "--man=no"));
    command.addAll(files);
    Stream<String> said = run(command.toArray(String[]::new)).lines();
    assertThat(said) // it may also speak of the machine's own units
        .noneMatch(line -> line.contains("millrace") || line.contains(dir.toString()));
  }

  /** The programs of the examples are not where the examples say. */
  private String withPrograms(String unit) throws IOException {
    Path program = dir.resolve("program");
    if (!Files.exists(program)) {
      Files.writeString(program, "#!/bin/sh\n");
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    return unit.replaceAll("(?m)^ExecStart=/(opt|srv)/\\S+", "ExecStart=" + program);
  }

  @Test
  void crontabIsValid() throws Exception {
    assumeProgram("crontab");
    List<String> blocks = blocks("docs/recurring.md", "crontab");
    assertThat(blocks).hasSize(1);
    Path file = Files.writeString(dir.resolve("crontab"), blocks.getFirst());
    String usage = run(0, 1, "crontab", "-h");
    assumeTrue(usage.contains("dry run"), "this crontab has no dry run");
    run("crontab", "-n", file.toString());
  }

  /** The server's log is a file that a shell appends to; it must not leave a hole behind. */
  @Test
  void logsAreRotated() throws Exception {
    assumeProgram("logrotate");
    List<String> blocks = blocks("docs/operations.md", "conf");
    assertThat(blocks).hasSize(1);
    Path conf =
        Files.writeString(dir.resolve("conf"), here(blocks.getFirst(), "/var/log/millrace"));
    Files.setPosixFilePermissions(conf, PosixFilePermissions.fromString("rw-r--r--"));
    Path access = Files.writeString(dir.resolve("access.log"), "{}\n");
    Path log = dir.resolve("serve.log");
    try (PrintStream out = append(log)) {
      out.println("before");
      run("logrotate", "--force", "--state", dir.resolve("state").toString(), conf.toString());
      out.println("after");
    }
    assertThat(access).doesNotExist();
    assertThat(dir.resolve("access.log.1")).hasContent("{}\n");
    assertThat(log).hasContent("after\n");
    assertThat(dir.resolve("serve.log.1.gz")).isNotEmptyFile();
  }

  private static PrintStream append(Path file) throws IOException {
    return new PrintStream(
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND),
        true,
        StandardCharsets.UTF_8);
  }

  private String here(String configuration, String directory) {
    return configuration.replace(directory, dir.toString()) + "\n";
  }

  private static List<String> blocks(String page, String language) throws IOException {
    return MarkdownDocument.read(ROOT, Path.of(page)).code().stream()
        .filter(code -> language.equals(code.language()))
        .map(code -> code.text() + "\n")
        .toList();
  }

  private static void assumeProgram(String name) {
    Stream<String> path = Stream.of((System.getenv("PATH") + ":/usr/sbin").split(":"));
    assumeTrue(
        path.anyMatch(each -> Files.isExecutable(Path.of(each, name))),
        name + " is not installed: what it would check is not checked");
  }

  private String run(String... command) throws IOException, InterruptedException {
    return run(0, 0, command);
  }

  private String run(int least, int most, String... command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile(dir, "output", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).directory(dir.toFile());
    builder.environment().merge("PATH", "/usr/sbin", (path, more) -> path + ":" + more);
    builder.environment().put("SYSTEMD_UNIT_PATH", dir + ":");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s ends", command[0]).isTrue();
    String said = Files.readString(output);
    assertThat(process.exitValue()).as(said).isBetween(least, most);
    return said;
  }
}
