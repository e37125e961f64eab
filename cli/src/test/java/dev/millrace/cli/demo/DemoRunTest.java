package dev.millrace.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ExitCode;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The course of the demo with scripted workers; with a model: {@link DemoCommandTest}. */
@Timeout(60)
class DemoRunTest {
  @TempDir Path dir;

  private static Worker worker(Worker.TextFunction text) {
    return Worker.of("generate", text);
  }

  private static String answer(TaskContext task) {
    return task.text().startsWith(DemoJob.NAME)
        ? "{\"characters\":[\"Max\"]}"
        : "Once upon a time there was a dog. " + "It ran and ran. ".repeat(30);
  }

  private Workspace workspace() throws IOException {
    List<Path> all = InProcessDemo.workspaces(dir);
    assertThat(all).hasSize(1);
    return Workspace.open(all.getFirst());
  }

  @Test
  void theNarrationCoversStoriesGateAndResults() throws Exception {
    InProcessCli.Result result = new InProcessDemo(dir).with(worker(DemoRunTest::answer));
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(result.err()).isEmpty();
    assertThat(result.out())
        .containsSubsequence(
            "two stages",
            "Stage 1",
            "Stage 1 has completed: 8 tasks",
            "waits at its gate",
            "millrace approve " + workspace().root(),
            "Approved.",
            "Stage 2 has completed: 8 tasks",
            "is now in output",
            "Mia and a boat",
            "Once upon a time",
            "{\"characters\":[\"Max\"]}",
            "millrace verify " + workspace().root(),
            "rm -r " + workspace().root())
        .doesNotContain("\033", "Enter");
    assertThat(workspace().reader().counts()).containsEntry(JobState.COMPLETED, 1);
  }

  /** The address is asked while the demo waits for the user, who then presses ^C. */
  @Test
  void thePageIsServedUntilTheUserStopsIt() throws Exception {
    Pattern address = Pattern.compile("http://127\\.0\\.0\\.1:\\d+/");
    StringBuilder seen = new StringBuilder();
    List<String> pages = new ArrayList<>();
    InProcessDemo demos =
        new InProcessDemo(dir)
            .onLine(
                line -> {
                  seen.append(line);
                  if (line.contains("The page stays") && pages.isEmpty()) {
                    Matcher found = address.matcher(seen);
                    assertThat(found.find()).isTrue();
                    pages.add(get(URI.create(found.group())));
                  }
                })
            .stopAt("The page stays until");
    InProcessCli.Result result =
        demos.with(worker(DemoRunTest::answer), new DemoCommand.Manner(false, true));
    assertThat(result.status()).as(result.err()).isZero();
    assertThat(pages).singleElement().asString().contains("<html");
    assertThat(result.out())
        .containsSubsequence(
            "The page shows it", "two stages", "Mia and a boat", "Ctrl-C", "Nothing runs any more");
  }

  private static String get(URI address) {
    try {
      URLConnection page = address.toURL().openConnection();
      page.setRequestProperty("Accept", "text/html");
      return new String(page.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void nothingOwnsTheWorkspaceAfterwards() throws Exception {
    new InProcessDemo(dir).with(worker(DemoRunTest::answer));
    try (JobStore store = workspace().own().orElseThrow()) {
      assertThat(store.counts()).containsEntry(JobState.COMPLETED, 1);
    }
    assertThat(
            new InProcessCli(dir)
                .run("serve", "-d", workspace().root().toString(), "--status")
                .out())
        .isEqualTo("not running\n");
  }

  @Test
  void linesFitATerminalUnlessTheyNameADirectory() throws Exception {
    InProcessCli.Result result = new InProcessDemo(dir).with(worker(DemoRunTest::answer));
    assertThat(result.lines())
        .filteredOn(line -> !line.contains(dir.toString()))
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(81));
  }

  @Test
  void aTerminalShowsGrowingTextAndColours() throws Exception {
    InProcessCli.Result result =
        new InProcessDemo(dir)
            .onTerminal(InputStream.nullInputStream())
            .with(worker(DemoRunTest::answer));
    assertThat(result.status()).isZero();
    assertThat(result.err())
        .contains("[", "of 8 done", "Mia and a boat", "It ran and ran.", "\033[J");
    assertThat(result.out()).contains(Colour.BOLD.of("Stage 1"), "Enter does it now");
  }

  @Test
  void enterOpensTheGate() throws Exception {
    InProcessCli.Result result =
        new InProcessDemo(dir)
            .gatePause(Duration.ofDays(1))
            .onTerminal(DemoGatePauseTest.pressed())
            .with(worker(DemoRunTest::answer));
    assertThat(result.status()).isZero();
    assertThat(result.out()).contains("Approved by you.");
  }

  @Test
  void aFailedJobIsAnErrorWithItsReasonAndDirectory() throws IOException {
    InProcessDemo demos = new InProcessDemo(dir);
    assertThatThrownBy(
            () ->
                demos.with(
                    worker(
                        task -> {
                          throw new IllegalStateException("no ink");
                        })))
        .isInstanceOf(CommandException.class)
        .hasMessageContainingAll("failed: stage 1 (generate)", "no ink", "millrace job");
    assertThat(demos.err()).contains(workspace().root().toString());
    assertThat(workspace().reader().counts()).containsEntry(JobState.FAILED, 1);
  }

  @Test
  void aJobThatAnotherProcessAbortsEndsTheDemo() {
    assertThatThrownBy(
            () ->
                new InProcessDemo(dir)
                    .with(
                        worker(
                            task -> {
                              assertThat(abort(task)).isTrue();
                              new CountDownLatch(1).await(); // until the interrupt
                              return "";
                            })))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("was aborted");
  }

  private boolean abort(TaskContext task) throws IOException {
    String workspace = workspace().root().toString();
    return task.claim().key().task() > 1
        || new InProcessCli(dir).run("abort", workspace, task.claim().job().value()).status() == 0;
  }

  @Test
  void stoppedWhileRunningItSaysHowToResumeAndCostsNoAttempt() throws Exception {
    InProcessDemo demos = new InProcessDemo(dir).stopAt("Stage 1");
    InProcessCli.Result result =
        demos.with(
            Worker.ofOutcome(
                "generate",
                task -> {
                  new CountDownLatch(1).await();
                  return TaskOutcome.done("");
                }));
    assertThat(result.status()).isEqualTo(ExitCode.INTERRUPTED);
    Path root = workspace().root();
    assertThat(result.out())
        .containsSubsequence(
            "Stopped",
            "millrace serve --model " + dir.resolve("none.gguf") + " --workspace " + root,
            "millrace approve " + root,
            "rm -r " + root);
    InProcessCli.work(root, claim -> "attempt " + claim.attempt());
    var reader = workspace().reader();
    var id = reader.list(JobReader.Query.all()).getFirst();
    assertThat(reader.tasks(id, 1, 1, 8))
        .hasSize(8)
        .allSatisfy(task -> assertThat(task.result()).isNotNull())
        .allSatisfy(task -> assertThat(task.result().text()).isEqualTo("attempt 1"));
  }

  @Test
  void stoppedAtTheGateItWaitsThere() throws Exception {
    InProcessCli.Result result =
        new InProcessDemo(dir).stopAt("waits at its gate").with(worker(DemoRunTest::answer));
    assertThat(result.status()).isEqualTo(ExitCode.INTERRUPTED);
    assertThat(result.out()).contains("Stopped", "approves stage 2").doesNotContain("Approved");
    assertThat(workspace().reader().counts()).containsEntry(JobState.IN_PROGRESS, 1);
  }

  @Test
  void stoppedAfterTheGateItAsksForNoApproval() throws Exception {
    InProcessCli.Result result =
        new InProcessDemo(dir)
            .stopAt("Approved.")
            .with(
                worker(
                    task -> {
                      if (task.text().startsWith(DemoJob.NAME)) {
                        new CountDownLatch(1).await();
                      }
                      return answer(task);
                    }));
    assertThat(result.status()).isEqualTo(ExitCode.INTERRUPTED);
    assertThat(result.out()).contains("Stopped").doesNotContain("approves stage 2");
  }
}
