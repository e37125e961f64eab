package dev.millrace.cli.config;

import dev.millrace.cli.command.SuggestedCommand;
import dev.millrace.cli.model.ModelIdFinder;
import dev.millrace.cli.terminal.SanitizedText;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlTable;

/** Translates the models of a Language Pipes file: layers to hold, and the end of one. */
final class LanguagePipesModels {
  private static final BigDecimal GIGABYTE = BigDecimal.valueOf(1_000_000_000);
  private static final BigDecimal MOST = BigDecimal.valueOf(1_000_000);
  private static final String MODEL_ID = "model_id";
  private static final String LOCAL_LAYERS = "num_local_layers";

  private final LanguagePipesTranslation translation;
  private final LanguagePipesTable root;
  private final ModelIdFinder finder;

  LanguagePipesModels(LanguagePipesTranslation translation) {
    this.translation = translation;
    this.root = translation.root();
    this.finder = new ModelIdFinder(translation.shell());
  }

  void translate() {
    layers(translation.use() != ConfigurationUse.SERVER);
    switch (translation.use()) {
      case NODE -> requireNoEnd();
      case SERVER -> end();
      case LAYERS_OF_SERVER, QUERY -> {}
    }
  }

  /** All layer models share one amount of memory; which layers it holds, servers say. */
  private void layers(boolean used) {
    BigDecimal memory = BigDecimal.ZERO;
    List<String> files = new ArrayList<>();
    for (LanguagePipesTable model :
        root.tables(
            LanguagePipesKeys.LAYER_MODELS, List.of(MODEL_ID, "device", "memory", "data_type"))) {
      device(model);
      if (model.has("data_type")) {
        model.problem(
            "data_type",
            "a GGUF file has its quantization, and the server chooses the file; remove the line");
      }
      BigDecimal own = memory(model);
      if (own != null) {
        memory = memory.add(own);
      }
      String id = id(model, LanguagePipesKeys.LAYER_MODELS);
      if (id != null) {
        finder.find(id).files().stream().map(Path::toString).forEach(files::add);
      }
    }
    if (used && memory.signum() > 0) {
      String bytes = memory.multiply(GIGABYTE).toBigInteger().toString();
      translation.set("memory", List.of(bytes), root, LanguagePipesKeys.LAYER_MODELS);
      if (!translation.isSet("models")) {
        translation.set("models", files, root, LanguagePipesKeys.LAYER_MODELS);
      }
    } else if (used
        && !root.lists(LanguagePipesKeys.LAYER_MODELS)
        && !root.lists(LanguagePipesKeys.END_MODELS)
        && !translation.isSet("layers")
        && !translation.isSet("memory")) {
      translation.missing(
          "layer_models is missing; write [[layer_models]] with model_id and memory");
    }
  }

  private static @Nullable BigDecimal memory(LanguagePipesTable model) {
    Object value = model.value("memory");
    BigDecimal gigabytes =
        value instanceof Long || (value instanceof Double real && Double.isFinite(real))
            ? new BigDecimal(value.toString())
            : BigDecimal.ZERO;
    if (gigabytes.multiply(GIGABYTE).compareTo(BigDecimal.ONE) >= 0
        && gigabytes.compareTo(MOST) <= 0) {
      return gigabytes;
    }
    model.problem(
        model.has("memory") ? "memory" : MODEL_ID,
        "memory must be the number of GB for layers and their caches, such as memory = 4");
    return null;
  }

  private static void device(LanguagePipesTable model) {
    String device = model.text("device", "\"cpu\"");
    if (device != null && !device.equals("cpu")) {
      model.problem("device", "layers are computed by CPUs; write device = \"cpu\"");
    }
  }

  private @Nullable String id(LanguagePipesTable model, String list) {
    String id = model.text(MODEL_ID, "a model's name or its GGUF file");
    if (!model.has(MODEL_ID)) {
      root.problem(list, "model_id is missing in one of them");
    }
    return id;
  }

  private void requireNoEnd() {
    if (root.lists(LanguagePipesKeys.END_MODELS)) {
      root.problem(
          LanguagePipesKeys.END_MODELS,
          "a node holds layers alone; run "
              + SuggestedCommand.of("serve", "--config", translation.file()).quoted()
              + ", which also holds the layers of this file");
    }
  }

  private void end() {
    String key = LanguagePipesKeys.END_MODELS;
    if (!root.lists(key)) {
      if (!translation.isSet("end-model")) {
        translation.missing(
            "end_models is missing, so there is nothing to serve; run "
                + SuggestedCommand.of("node", "--config", translation.file()).quoted()
                + ", or write end_models = [\"MODEL\"]");
      }
      return;
    }
    List<LanguagePipesTable> tables = endTables();
    List<String> ids = tables == null ? root.texts(key) : new ArrayList<>();
    if (tables != null) {
      for (LanguagePipesTable model : tables) {
        device(model);
        String id = id(model, key);
        if (id != null) {
          ids.add(id);
        }
        int local = model.integer(LOCAL_LAYERS, 0, 10_000, 1);
        if (model.has(LOCAL_LAYERS) && tables.getFirst() == model) {
          translation.set("local-layers", List.of(Integer.toString(local)), model, LOCAL_LAYERS);
        }
      }
    }
    if (ids.size() > 1) {
      root.problem(
          key,
          "a server has the end of one model; keep one here, and run a server with a file and a"
              + " workspace of its own for each other one");
    } else if (!ids.isEmpty()) {
      end(
          tables == null ? root : tables.getFirst(),
          tables == null ? key : MODEL_ID,
          ids.getFirst());
    }
  }

  /** The tables of end models; null if the list has names. */
  private @Nullable List<LanguagePipesTable> endTables() {
    return root.value(LanguagePipesKeys.END_MODELS) instanceof TomlArray array
            && !array.isEmpty()
            && array.get(0) instanceof TomlTable
        ? root.tables(LanguagePipesKeys.END_MODELS, List.of(MODEL_ID, LOCAL_LAYERS, "device"))
        : null;
  }

  private void end(LanguagePipesTable table, String key, String id) {
    ModelIdFinder.Result found = finder.find(id);
    String shown = "\"" + SanitizedText.line(id, 100) + "\"";
    switch (found.files().size()) {
      case 0 ->
          table.problem(
              key,
              "no GGUF file for "
                  + shown
                  + " in "
                  + String.join(", ", found.searched())
                  + "; put one there, or write its path as the model's name");
      case 1 -> translation.set("end-model", List.of(found.option(id)), table, key);
      default ->
          table.problem(
              key,
              "several GGUF files for "
                  + shown
                  + ": "
                  + String.join(", ", found.files().stream().map(Path::toString).toList())
                  + "; write the path of one as the model's name");
    }
  }
}
