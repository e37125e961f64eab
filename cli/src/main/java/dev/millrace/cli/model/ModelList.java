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
  private static final int MOST = 4_096;
  private static final int MOST_MESSAGES = 10;

  private final Shell shell;
  private final ModelCatalog catalog;
  private final MachineMemory memory;

  ModelList(Shell shell) {
    this(shell, MachineMemory.read());
  }

  ModelList(Shell shell, MachineMemory memory) {
    this.shell = shell;
    this.catalog = ModelCatalog.of(shell);
    this.memory = memory;
  }

  /** Prints all models, or those below the directories {@code named}. */
  void print(List<String> named, boolean json) {
    List<String> problems = new ArrayList<>(named.isEmpty() ? catalog.problems() : List.of());
    List<ListedModel> listed = named.isEmpty() ? catalog.models() : below(named, problems);
    List<ModelHeader> models =
        listed.stream().map(model -> ModelHeader.read(model, memory)).toList();
    if (json) {
      models.forEach(model -> shell.out().println(Json.write(json(model))));
    } else if (!models.isEmpty()) {
      shell.out().print(table(models).text(shell.colourful()));
    }
    shell.out().flush();
    sayAll("Warning: ", problems);
    if (named.isEmpty()) {
      sayAll("Note: ", catalog.leftOut());
    }
    if (models.isEmpty() && !json) {
      say("no models found; name a directory to search: models ls DIR");
    }
  }

  private void sayAll(String kind, List<String> lines) {
    lines.stream().limit(MOST_MESSAGES).forEach(line -> say(kind + line));
    if (lines.size() > MOST_MESSAGES) {
      say(kind + (lines.size() - MOST_MESSAGES) + " more like these");
    }
  }

  private void say(String line) {
    shell.err().println(SanitizedText.line(line, 1_000));
  }

  private List<ListedModel> below(List<String> named, List<String> problems) {
    List<ListedModel> models = new ArrayList<>();
    for (String name : named) {
      Path path = shell.path(name);
      if (Files.isDirectory(path)) {
        ModelFileFinder.Found found = ModelFileFinder.find(path);
        found.models().forEach(model -> models.add(at(name, model.file(), model.bytes())));
        problems.addAll(found.problems());
      } else if (Files.exists(path)) {
        models.add(at(name, path, bytes(path)));
      } else {
        throw new CommandException(
            SanitizedText.line(path.toString(), 500) + ": no such file or directory");
      }
    }
    return models;
  }

  /** A file under its name, else under its path: both are what {@code --model} takes. */
  private ListedModel at(String place, Path file, long bytes) {
    Path whole = file.toAbsolutePath().normalize();
    Path here = shell.directory().toAbsolutePath().normalize();
    Path typed = whole.startsWith(here) ? here.relativize(whole) : whole;
    return new ListedModel(catalog.nameOf(file).orElse(typed.toString()), place, file, bytes);
  }

  private static long bytes(Path path) {
    try {
      return Files.size(path);
    } catch (IOException e) {
      throw new CommandException(ErrorText.of(e));
    }
  }

  private static TextTable table(List<ModelHeader> models) {
    TextTable table =
        new TextTable(
            "NAME",
            "ARCHITECTURE",
            ">PARAMETERS",
            "QUANTISATION",
            ">SIZE",
            ">CONTEXT",
            "FITS",
            "PATH");
    for (ModelHeader header : models) {
      ModelSummary summary = header.summary();
      table.row(
          SanitizedText.line(header.model().name(), MOST),
          summary == null ? "-" : SanitizedText.line(summary.architecture(), 20),
          summary == null ? "-" : NumberText.count(summary.parameters()),
          summary == null || summary.quantisation().isEmpty() ? "-" : summary.quantisation(),
          NumberText.bytes(header.model().bytes()),
          summary == null || summary.contextLength().isEmpty()
              ? "-"
              : summary.contextLength().getAsInt(),
          fits(header.fit()),
          path(header));
    }
    return table;
  }

  private static Object fits(@Nullable ModelFit fit) {
    return fit == null
        ? "-"
        : new TextTable.Cell(
            fit.answer().word(),
            switch (fit.answer()) {
              case YES -> Colour.GREEN;
              case TIGHT -> Colour.YELLOW;
              case NO -> Colour.RED;
            });
  }

  private static Object path(ModelHeader header) {
    String path = header.model().file().toString();
    String error = header.error();
    if (error == null) {
      return SanitizedText.line(path, MOST);
    }
    String text = error.contains(path) ? error : path + ": " + error;
    return new TextTable.Cell(SanitizedText.line(text, MOST), Colour.RED);
  }

  private JsonObject json(ModelHeader header) {
    ListedModel model = header.model();
    List<String> otherNames = catalog.otherNames(model);
    JsonObject out =
        JsonObject.create()
            .put("name", model.name())
            .putIfPresent("other_names", otherNames.isEmpty() ? null : otherNames)
            .put("place", model.place())
            .put("path", model.file().toString())
            .put("bytes", model.bytes());
    if (header.summary() != null) {
      ModelInspection.summary(out, header.summary());
    }
    ModelFit fit = header.fit();
    if (fit != null) {
      out.put("fits", fit.answer().word())
          .put("serve_bytes", fit.serveBytes())
          .put("least_bytes", fit.leastBytes())
          .put("available_bytes", memory.available())
          .put("total_bytes", memory.total());
    }
    return out.putIfPresent("error", header.error());
  }
}
