package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.ErrorText;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.Colour;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelFileFinder;
import dev.millrace.engine.internal.gguf.ModelSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code millrace models ls}: prints a line for each model, with the error of a broken one. */
final class ModelList {

  /** A model and where it was found, with either its summary or its error. */
  private record Line(
      String source,
      ModelFileFinder.Model model,
      @Nullable ModelSummary summary,
      @Nullable String error) {}

  private final Shell shell;

  ModelList(Shell shell) {
    this.shell = shell;
  }

  void print(List<String> named, boolean json) {
    List<String> problems = new ArrayList<>();
    List<Line> lines = named.isEmpty() ? usual(problems) : below(named, problems);
    if (json) {
      lines.forEach(line -> shell.out().println(Json.write(json(line))));
    } else if (!lines.isEmpty()) {
      table(lines);
    }
    shell.out().flush();
    problems.forEach(
        problem -> shell.err().println("Warning: " + SanitizedText.line(problem, 500)));
    if (lines.isEmpty() && !json) {
      shell.err().println("no models found; \"millrace models ls DIR\" searches other directories");
    }
  }

  private List<Line> usual(List<String> problems) {
    List<Line> lines = new ArrayList<>();
    for (DownloadedModelDirectories.Location location : DownloadedModelDirectories.usual(shell)) {
      add(lines, location.owner(), location.find(), problems);
    }
    return lines;
  }

  private List<Line> below(List<String> named, List<String> problems) {
    List<Line> lines = new ArrayList<>();
    for (String name : named) {
      Path path = shell.path(name);
      if (Files.isDirectory(path)) {
        add(lines, name, ModelFileFinder.find(path), problems);
      } else if (Files.exists(path)) {
        add(lines, name, new ModelFileFinder.Found(List.of(file(path)), List.of()), problems);
      } else {
        throw new CommandException(
            SanitizedText.line(path.toString(), 500) + ": no such file or directory");
      }
    }
    return lines;
  }

  private static ModelFileFinder.Model file(Path path) {
    try {
      return new ModelFileFinder.Model(path.getFileName().toString(), path, Files.size(path));
    } catch (IOException e) {
      throw new CommandException(ErrorText.of(e));
    }
  }

  private static void add(
      List<Line> lines, String source, ModelFileFinder.Found found, List<String> problems) {
    for (ModelFileFinder.Model model : found.models()) {
      lines.add(line(source, model));
    }
    problems.addAll(found.problems());
  }

  private static Line line(String source, ModelFileFinder.Model model) {
    try (Gguf file = Gguf.open(model.file())) {
      return new Line(source, model, ModelSummary.of(file), null);
    } catch (GgufException e) {
      return new Line(source, model, null, e.getMessage());
    }
  }

  private void table(List<Line> lines) {
    TextTable table =
        new TextTable(
            "NAME", "ARCHITECTURE", ">PARAMETERS", "QUANTISATION", ">SIZE", "FOUND IN", "PATH");
    for (Line line : lines) {
      ModelSummary summary = line.summary();
      table.row(
          SanitizedText.line(line.model().name(), 60),
          summary == null ? "-" : SanitizedText.line(summary.architecture(), 20),
          summary == null ? "-" : NumberText.count(summary.parameters()),
          summary == null || summary.quantisation().isEmpty() ? "-" : summary.quantisation(),
          NumberText.bytes(line.model().bytes()),
          SanitizedText.line(line.source(), 40),
          line.error() == null
              ? SanitizedText.line(line.model().file().toString(), 500)
              : new TextTable.Cell(SanitizedText.line(line.error(), 500), Colour.RED));
    }
    shell.out().print(table.text(shell.colourful()));
  }

  private static JsonObject json(Line line) {
    JsonObject out =
        JsonObject.create()
            .put("name", line.model().name())
            .put("place", line.source())
            .put("path", line.model().file().toString())
            .put("bytes", line.model().bytes());
    return line.summary() == null
        ? out.put("error", line.error())
        : ModelInspection.summary(out, line.summary());
  }
}
