package dev.millrace.cli.model;

import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.cli.terminal.NumberText;
import dev.millrace.cli.terminal.SanitizedText;
import dev.millrace.cli.terminal.TextTable;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.gguf.GgufException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelSummary;
import dev.millrace.engine.internal.gguf.TensorInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** {@code millrace models inspect}: shows the metadata and tensors of a file. */
final class ModelInspection {
  private final Shell shell;
  private final boolean tensors;

  /** With {@code tensors} it also lists every tensor. */
  ModelInspection(Shell shell, boolean tensors) {
    this.shell = shell;
    this.tensors = tensors;
  }

  void print(Path path, boolean json) {
    try (Gguf model = Gguf.open(path)) {
      if (json) {
        shell.out().println(Json.write(json(model)));
      } else {
        shell.out().print(text(model));
      }
    } catch (GgufException e) {
      throw new CommandException(SanitizedText.line(e.getMessage(), 1000));
    }
  }

  /** Adds what is known about a model to {@code out}. */
  static JsonObject summary(JsonObject out, ModelSummary summary) {
    return out.put("architecture", summary.architecture())
        .put("parameters", summary.parameters())
        .put("quantisation", summary.quantisation().isEmpty() ? null : summary.quantisation())
        .put("layers", number(summary.layers()))
        .put("context_length", number(summary.contextLength()));
  }

  private static @Nullable Integer number(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }

  private JsonObject json(Gguf model) {
    ModelSummary summary = ModelSummary.of(model);
    JsonObject metadata = JsonObject.create();
    model.metadata().all().forEach((key, value) -> metadata.put(key, MetadataText.json(value)));
    JsonObject types = JsonObject.create();
    ModelSummary.sharesByType(model)
        .forEach(
            (type, share) ->
                types.put(
                    type.name(),
                    JsonObject.create()
                        .put("tensors", share.tensors())
                        .put("bytes", share.bytes())));
    JsonObject out =
        summary(
                JsonObject.create()
                    .put("files", model.files().stream().map(Path::toString).toList())
                    .put("name", summary.name()),
                summary)
            .put("tensor_count", model.tensors().size())
            .put("tensor_bytes", summary.bytes())
            .put("types", types)
            .put("metadata", metadata);
    return tensors ? out.put("tensors", model.tensors().stream().map(this::json).toList()) : out;
  }

  private JsonObject json(TensorInfo tensor) {
    return JsonObject.create()
        .put("name", tensor.name())
        .put("type", tensor.type().name())
        .put("shape", Arrays.stream(tensor.shape()).boxed().toList())
        .put("bytes", tensor.bytes())
        .put("part", tensor.part())
        .put("offset", tensor.offset());
  }

  private String text(Gguf model) {
    boolean colourful = shell.colourful();
    List<String> tables = new ArrayList<>();
    tables.add(overview(model).text(colourful));
    TextTable metadata = new TextTable("KEY", "VALUE");
    model
        .metadata()
        .all()
        .forEach(
            (key, value) -> metadata.row(SanitizedText.line(key, 80), MetadataText.line(value)));
    tables.add(metadata.text(colourful));
    TextTable types = new TextTable("TYPE", ">TENSORS", ">BYTES");
    ModelSummary.sharesByType(model)
        .forEach((type, share) -> types.row(type, share.tensors(), share.bytes()));
    tables.add(types.text(colourful));
    if (tensors) {
      tables.add(tensors(model).text(colourful));
    }
    return String.join("\n", tables);
  }

  private static TextTable overview(Gguf model) {
    ModelSummary summary = ModelSummary.of(model);
    TextTable table = new TextTable("MODEL", SanitizedText.line(summary.name(), 100));
    for (Path file : model.files()) {
      table.row("file", SanitizedText.line(file.toString(), 500));
    }
    table.row("architecture", SanitizedText.line(summary.architecture(), 40));
    table.row("parameters", summary.parameters());
    table.row("quantisation", summary.quantisation().isEmpty() ? "-" : summary.quantisation());
    table.row("layers", text(summary.layers()));
    table.row("context length", text(summary.contextLength()));
    table.row("tensors", model.tensors().size());
    table.row("tensor bytes", summary.bytes() + " (" + NumberText.bytes(summary.bytes()) + ")");
    return table;
  }

  private static String text(OptionalInt value) {
    return value.isPresent() ? String.valueOf(value.getAsInt()) : "-";
  }

  private static TextTable tensors(Gguf model) {
    TextTable table = new TextTable("TENSOR", "TYPE", "SHAPE", ">BYTES", ">PART", ">OFFSET");
    for (TensorInfo tensor : model.tensors()) {
      List<String> shape = Arrays.stream(tensor.shape()).mapToObj(String::valueOf).toList();
      table.row(
          SanitizedText.line(tensor.name(), 80),
          tensor.type(),
          String.join(" x ", shape),
          tensor.bytes(),
          tensor.part() + 1,
          tensor.offset());
    }
    return table;
  }
}
