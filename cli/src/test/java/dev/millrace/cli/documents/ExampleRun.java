package dev.millrace.cli.documents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.LauncherEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the {@code sh} blocks of a document as a reader would type them: in their order, in one
 * shell and one new directory, with {@code millrace} on the PATH. An unset variable or a failing
 * command ends the run, what is shown as output must have been printed, and nothing that was
 * started may be left running.
 */
final class ExampleRun {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** A resource of tests: examples name ports, so those of two documents must not run at once. */
  static final String PORTS = "the ports that documents name";

  private static final String MARK = "=== ";

  private ExampleRun() {}

  /**
   * @param dir where the examples run; created
   * @return all that was printed
   */
  static String of(MarkdownDocument document, Path dir) throws IOException, InterruptedException {
    List<DocumentExample> examples = DocumentExample.of(document);
    assertThat(examples).as("examples of %s", document.file()).isNotEmpty();
    Files.createDirectories(dir);
    Path script = Files.writeString(dir.resolve("examples.sh"), script(document, examples));
    String printed = run(document, script, dir);
    for (DocumentExample example : examples) {
      assertThat(example.missingFrom(section(printed, mark(document, example))))
          .as("not printed by the example at %s:%d: %s", document.file(), example.line(), printed)
          .isEmpty();
    }
    return printed;
  }

  private static String run(MarkdownDocument document, Path script, Path dir)
      throws IOException, InterruptedException {
    Path launcher = Files.createSymbolicLink(dir.resolve("millrace"), ROOT.resolve("millrace"));
    Path output = dir.resolve("output.txt");
    Process process = shell(script, dir).redirectOutput(output.toFile()).start();
    List<ProcessHandle> left;
    try {
      assertThat(process.waitFor(600, TimeUnit.SECONDS))
          .as(() -> "it ends: " + read(output))
          .isTrue();
    } finally {
      process.destroyForcibly();
      left = runningIn(dir);
      left.forEach(ProcessHandle::destroyForcibly);
      Files.delete(launcher);
    }
    String printed = Files.readString(output);
    assertThat(process.exitValue()).as(printed).isZero();
    assertThat(left).as("left running by %s", document.file()).isEmpty();
    return printed;
  }

  private static ProcessBuilder shell(Path script, Path dir) {
    ProcessBuilder shell = new ProcessBuilder("sh", "-eu", script.toString());
    LauncherEnvironment.prepare(shell.environment());
    shell.environment().merge("PATH", dir.toString(), (path, own) -> own + ":" + path);
    return shell.directory(dir.toFile()).redirectErrorStream(true);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static String script(MarkdownDocument document, List<DocumentExample> examples) {
    StringBuilder script = new StringBuilder();
    for (DocumentExample example : examples) {
      script.append("printf '\\n%s\\n' '").append(mark(document, example)).append("'\n");
      script.append(example.commands().stripIndent()).append('\n');
    }
    return script.toString();
  }

  private static String mark(MarkdownDocument document, DocumentExample example) {
    return MARK + document.file() + ":" + example.line();
  }

  private static String section(String printed, String mark) {
    int start = printed.indexOf(mark) + mark.length();
    int end = printed.indexOf("\n" + MARK, start);
    return printed.substring(start, end < 0 ? printed.length() : end);
  }

  /** The processes whose working directory is {@code dir} or below it. */
  private static List<ProcessHandle> runningIn(Path dir) throws IOException {
    Path real = dir.toRealPath();
    return ProcessHandle.allProcesses()
        .filter(process -> workingDirectory(process).startsWith(real))
        .toList();
  }

  private static Path workingDirectory(ProcessHandle process) {
    try {
      return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd"));
    } catch (IOException | UnsupportedOperationException e) {
      return Path.of("/"); // it has ended, or is another user's
    }
  }
}
