package dev.millrace.cli;

import dev.millrace.cli.args.Parser;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.gguf.ModelSummary;
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
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Demos in this JVM: streams caught, no moment at the gate, and signals as the output tells. */
final class Demos {
  private final Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private InputStream in = new ByteArrayInputStream(new byte[0]);
  private Duration moment = Duration.ZERO;
  private boolean terminal;
  private Pattern last = Pattern.compile("(?!)");
  private IntConsumer signal = number -> {};

  Demos(Path directory) {
    this.directory = directory;
  }

  /** All streams are a terminal, at whose keyboard {@code keys} are pressed. */
  Demos onTerminal(InputStream keys) {
    terminal = true;
    in = keys;
    return this;
  }

  Demos moment(Duration length) {
    moment = length;
    return this;
  }

  /** The user presses ^C when this is seen. */
  Demos stopAt(String pattern) {
    last = Pattern.compile(pattern);
    return this;
  }

  /** As a user starts it. */
  Cli.Result run(String... args) throws IOException, InterruptedException {
    DemoCommand command = new DemoCommand(moment, handler -> signal = handler);
    Shell shell = shell();
    return result(command.run(shell, Parser.parse(command.syntax(), args, 0)));
  }

  /** With a worker instead of a model. */
  Cli.Result with(Worker worker) throws IOException, InterruptedException {
    DemoModel model =
        new DemoModel(
            new ModelChoice("none", directory.resolve("none.gguf")),
            new ModelSummary("none", "none", 1, "F32", 4, OptionalInt.of(1), OptionalInt.of(1024)));
    DemoStop stop = new DemoStop();
    signal = stop::signal;
    Mill mill = new Mill(List.of(worker), 8, () -> 0, JsonObject.create(), () -> {});
    return result(new DemoCommand(moment, handler -> {}).run(shell(), false, model, mill, stop));
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
    if (last.matcher(text).find()) {
      signal.accept(1);
    }
  }

  private Cli.Result result(int status) {
    return new Cli.Result(status, text(out), text(err));
  }

  private static String text(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }

  /** What was said before a demo ended by an exception. */
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
