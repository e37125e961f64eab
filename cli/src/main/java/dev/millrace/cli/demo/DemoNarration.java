package dev.millrace.cli.demo;

import dev.millrace.cli.command.Shell;
import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.format.ReceiptText;
import dev.millrace.cli.model.HouseModel;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobView.StageView;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Explains what happens in the demo, in the words of the documentation. */
final class DemoNarration {
  private static final int WIDTH = 80;

  /** Below this number of tokens, the best second of a stage is not meaningful. */
  private static final int ENOUGH = 500;

  private final Consumer<String> out;
  private final boolean colourful;
  private final DemoModel model;
  private final Path directory;
  private boolean keys;

  private DemoNarration(Consumer<String> out, boolean colourful, DemoModel model, Path directory) {
    this.out = out;
    this.colourful = colourful;
    this.model = model;
    this.directory = directory;
  }

  static DemoNarration to(Shell shell, DemoModel model, Path directory) {
    DemoNarration narration =
        new DemoNarration(shell::printLine, shell.colourful(), model, directory);
    narration.keys = shell.terminal().isTerminal(Shell.Terminal.IN);
    return narration;
  }

  /** Prints nothing. */
  static DemoNarration silent(DemoModel model, Path directory) {
    return new DemoNarration(line -> {}, false, model, directory);
  }

  /** Prints to standard error, beside the result. */
  static DemoNarration onStandardError(Shell shell, DemoModel model, Path directory) {
    return new DemoNarration(shell.err()::println, false, model, directory);
  }

  private void say(String... lines) {
    for (String line : lines) {
      out.accept(line);
    }
  }

  private String bold(String text) {
    return colourful ? Colour.BOLD.of(text) : text;
  }

  private String grey(String text) {
    return colourful ? Colour.GREY.of(text) : text;
  }

  void begin() {
    say(
        bold("Millrace demo: eight stories, written at once, and then their characters."),
        "Model: " + model.description() + ".",
        "",
        "A job is a directory, and its location is its state:",
        "  input/ready   waits        output      completed",
        "  processing    running      failed      failed",
        "  paused        paused       cancelled   aborted",
        "The workspace with these directories is new, and remains for you to look at:",
        "  " + bold(directory.toString()));
  }

  void page(URI address) {
    say("", "The page shows it, too: " + bold(address.toString()));
  }

  void pageStays() {
    say("", "The page stays until you press Ctrl-C.");
  }

  void submitted(JobId id) {
    say(
        "",
        "Job " + id.value() + " has two stages:",
        "  1  eight tasks, such as \"" + DemoJob.TELL + DemoJob.WORDS.getFirst() + ".\"",
        "  2  a task for each story: \"" + DemoJob.NAME + "\"",
        "     behind a gate, constrained by a JSON schema",
        "",
        bold("Stage 1") + ": the server takes the job from input/ready to processing.");
  }

  /** A stage has completed; {@code fastest} is the best second of it, in tokens. */
  void completed(StageView stage, long tokens, double fastest) {
    Duration took = DemoReport.took(stage);
    double rate = tokens * 1000.0 / Math.max(1, took.toMillis());
    boolean meaningful = tokens >= ENOUGH && fastest > 1.5 * rate;
    String warm = meaningful ? String.format(Locale.ROOT, ", %,.0f once warm", fastest) : "";
    say(
        bold("Stage " + stage.number())
            + String.format(
                Locale.ROOT,
                " has completed: %d tasks, %,d tokens in %s, %,.0f tokens/s%s.",
                stage.total(),
                tokens,
                seconds(took),
                rate,
                warm));
  }

  private static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
  }

  void gate(JobId id, Path job) throws IOException {
    String auto = "The demo approves in " + DemoGatePause.LENGTH.toSeconds() + " seconds";
    say(
        "",
        bold("Stage 2") + " waits at its gate, for seconds or weeks, without using a worker.",
        "Results of stage 1 are on disk, in " + directory.relativize(job) + ":",
        grey("  " + names(job)),
        "To approve it by hand:",
        grey("  " + inWorkspace("approve").with(id, 2)),
        auto + (keys ? "; Enter does it now." : "."));
  }

  /** The names in a directory, as ls(1) prints them. */
  private static String names(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return String.join(
          "  ",
          all.map(each -> each.getFileName() + (Files.isDirectory(each) ? "/" : ""))
              .sorted()
              .toList());
    }
  }

  void approved(boolean key) {
    say("Approved" + (key ? " by you." : "."), "");
  }

  void results(DemoReport report) {
    say("The job has ended and is now in output.", "");
    for (DemoReport.Story story : report.stories()) {
      say(bold(story.words()));
      wrapped(story.text().text(), 3).forEach(line -> say("  " + line));
      say("  " + SanitizedText.line(story.characters().text(), WIDTH - 2));
      String receipt = ReceiptText.of(story.text().receipt());
      if (receipt != null) {
        say("  " + grey(SanitizedText.line(receipt, WIDTH - 2)));
      }
    }
    say(
        "",
        bold(
            String.format(
                Locale.ROOT,
                "%,d tokens in %s of work: %,.0f tokens/s.",
                report.tokens(),
                seconds(report.working()),
                report.rate())),
        "Every result has its receipt: model, parameters, seed, counts and times.");
  }

  void end(JobId id) {
    SuggestedCommand verify = inWorkspace("verify").with(id);
    boolean house = model.argument().equals(HouseModel.NAME); // verify finds it without --model
    say(
        "",
        "Nothing runs any more. To explore:",
        "  " + inWorkspace("flow").with(id, "--stage", 1),
        "  " + inWorkspace("job").with(id),
        "  " + (house ? verify : verify.with("--model", model.argument())),
        "To remove it all:",
        "  rm -r " + SuggestedCommand.quote(directory.toString()));
  }

  /** The user has stopped the demo; {@code job} is the job's directory. */
  void stopped(JobId id, Path job, boolean approved) {
    String dir = SuggestedCommand.quote(directory.toString());
    String serve =
        "  "
            + SuggestedCommand.of("serve", "--model", model.argument())
                .on(directory.toString())
                .with("--drain");
    say(
        "",
        bold("Stopped") + "; nothing runs any more, and nothing is lost. The job is in",
        "  " + job,
        "with all its text so far. To resume it at the same token, run one by one:",
        serve);
    if (!approved) {
      say("  " + inWorkspace("approve").with(id, 2) + "  # approves stage 2", serve);
    }
    say("  " + inWorkspace("flow").with(id), "To remove it all:", "  rm -r " + dir);
  }

  /** The beginning of a text, wrapped for an indentation of two. */
  static List<String> wrapped(String text, int most) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : SanitizedText.line(text.strip(), 10_000).split("\\s+")) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH - 4) {
        if (lines.size() == most - 1) {
          lines.add(line.append(" …").toString());
          return lines;
        }
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(SanitizedText.line(word, WIDTH - 4));
    }
    lines.add(line.toString());
    return lines;
  }

  private SuggestedCommand inWorkspace(String command) {
    return SuggestedCommand.of(command).on(directory.toString());
  }
}
