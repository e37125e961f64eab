package dev.millrace.cli.demo;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.args.ArgumentParser;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.cli.serve.LocalWorkers;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.internal.gguf.ModelSummary;
import dev.millrace.server.Worker;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs demos in this JVM: captures streams, skips the pause at the gate, and sends signals on
 * output.
 */
final class InProcessDemo {
  private final Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private InputStream in = new ByteArrayInputStream(new byte[0]);
  private Duration moment = Duration.ZERO;
  private boolean terminal;
  private Pattern last = Pattern.compile("(?!)");
  private IntConsumer signal = number -> {};
  private Consumer<String> lines = line -> {};

  InProcessDemo(Path directory) {
    this.directory = directory;
  }

  /** All streams are a terminal with this keyboard input. */
  InProcessDemo onTerminal(InputStream keys) {
    terminal = true;
    in = keys;
    return this;
  }

  InProcessDemo gatePause(Duration length) {
    moment = length;
    return this;
  }

  /** The user presses ^C when this is seen. */
  InProcessDemo stopAt(String pattern) {
    last = Pattern.compile(pattern);
    return this;
  }

  /** Called with everything that is printed, before {@link #stopAt}. */
  InProcessDemo onLine(Consumer<String> listener) {
    lines = listener;
    return this;
  }

  /** Runs the command. */
  InProcessCli.Result run(String... args) throws IOException, InterruptedException {
    DemoCommand command = new DemoCommand(moment, handler -> signal = handler);
    Shell shell = shell();
    return result(command.run(shell, ArgumentParser.parse(command.syntax(), args, 0)));
  }

  /** With a worker instead of a model. */
  InProcessCli.Result with(Worker worker) throws IOException, InterruptedException {
    return with(worker, new DemoCommand.Manner(false, false));
  }

  /** The same, presented in another way. */
  InProcessCli.Result with(Worker worker, DemoCommand.Manner manner)
      throws IOException, InterruptedException {
    DemoModel model =
        new DemoModel(
            new ModelChoice("none", directory.resolve("none.gguf")),
            new ModelSummary("none", "none", 1, "F32", 4, OptionalInt.of(1), OptionalInt.of(1024)));
    DemoStopRequest stop = new DemoStopRequest();
    signal = stop::signal;
    LocalWorkers mill = new LocalWorkers(List.of(worker), 8, JsonObject.create(), () -> {});
    return result(new DemoCommand(moment, handler -> {}).run(shell(), manner, model, mill, stop));
  }

  private Shell shell() {
    return new Shell(
        in,
        watched(out),
        watched(err),
        Map.of("TMPDIR", directory.toString(), "LANG", "C.UTF-8", "COLUMNS", "80"),
        directory,
        descriptor -> terminal);
  }

  private PrintStream watched(ByteArrayOutputStream stream) {
    return new PrintStream(stream, true, StandardCharsets.UTF_8) {
      @Override
      public void print(String text) {
        super.print(text);
        read(text);
      }

      @Override
      public void println(String line) {
        super.println(line);
        read(line);
      }
    };
  }

  private void read(String text) {
    lines.accept(text);
    if (last.matcher(text).find()) {
      signal.accept(1);
    }
  }

  private InProcessCli.Result result(int status) {
    return new InProcessCli.Result(status, text(out), text(err));
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  /** The output of a demo that ended with an exception. */
  String err() {
    return text(err);
  }

  /** The workspaces that demos have left in a directory. */
  static List<Path> workspaces(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(each -> each.getFileName().toString().startsWith("millrace-demo-"))
          .toList();
    }
  }
}
