package dev.millrace.server.infer.model;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.parameters.ModelNameMatcher;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import dev.millrace.server.infer.shelf.ModelMemoryBudget;
import dev.millrace.server.infer.shelf.ModelRequest;
import dev.millrace.server.infer.shelf.ModelShelf;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import dev.millrace.server.infer.shelf.ShelfSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The served models by name, and the shelf for those that are loaded. Thread-safe. */
public final class ModelLibrary implements AutoCloseable {
  /**
   * A model by the name that tasks use.
   *
   * @param remoteSlot null: the whole model is loaded here
   * @param listed whether it was ready at least once
   */
  private record LibraryEntry(
      ModelDescription description,
      WeightlessModelReader header,
      ShelfItemLoader<LoadedModel> model,
      ShelfItemLoader<LoadedEmbedder> embeddings,
      @Nullable RemoteModelSlot remoteSlot,
      AtomicBoolean listed) {

    /** Whether it is a generator that is ready now. */
    boolean canGenerate() {
      return !description.isEncoder() && description.isReady();
    }

    boolean isListed() {
      return listed.get() || description.isReady();
    }
  }

  private final Map<String, LibraryEntry> served = new LinkedHashMap<>();
  private final List<RemoteModelSlot> remoteSlots = new ArrayList<>();
  private final ModelMemoryBudget budget;
  private final ModelShelf shelf; // the models that are loaded here completely

  /**
   * @param clock nanoseconds
   * @throws EngineException if a model cannot be run here
   */
  public ModelLibrary(
      List<NamedModel> models,
      EngineSettings engine,
      OperatorDefaults defaults,
      ShelfSettings shelfSettings,
      LongSupplier clock) {
    ModelFileHasher hasher = new ModelFileHasher();
    long reserved = 0;
    for (NamedModel model : models) {
      ModelDescription description = ModelDescription.read(model, engine);
      ShelfItemLoader<LoadedModel> loader = LoadedModel.source(description, defaults, hasher);
      RemoteModelSlot remoteSlot =
          description.remoteOpener() == null ? null : new RemoteModelSlot(loader, clock);
      AtomicBoolean listed = new AtomicBoolean();
      served.put(
          model.name(),
          new LibraryEntry(
              description,
              new WeightlessModelReader(description, defaults),
              loader,
              LoadedEmbedder.source(description, hasher),
              remoteSlot,
              listed));
      if (remoteSlot != null) {
        remoteSlots.add(remoteSlot);
        reserved += description.generateBytes();
      }
      if (description.remoteOpener() != null) {
        description.remoteOpener().onReady(() -> listed.set(true));
      }
    }
    budget = new ModelMemoryBudget(shelfSettings.memory(), reserved);
    shelf = new ModelShelf(budget, shelfSettings.idle(), shelfSettings.switching(), clock);
  }

  public ModelShelf shelf() {
    return shelf;
  }

  /**
   * Requests a model that generates.
   *
   * @param name null: the first that generates
   * @throws TaskRefused if it is not served, or is for embeddings only
   */
  public ModelRequest<LoadedModel> requestGenerator(@Nullable String name) {
    return requestGenerator(name, false);
  }

  /**
   * The same.
   *
   * @param interactive whether somebody waits for it
   */
  public ModelRequest<LoadedModel> requestGenerator(@Nullable String name, boolean interactive) {
    LibraryEntry found = requireGenerator(name);
    return found.remoteSlot == null
        ? shelf.request(found.model, interactive)
        : found.remoteSlot.request();
  }

  private LibraryEntry requireGenerator(@Nullable String name) {
    LibraryEntry found = generatorNamed(name);
    if (found.description.isEncoder()) {
      throw TaskRefused.ofParameter(
          "model",
          "model \"%s\" is for embeddings and generates no text; use it in a job of type embed"
              .formatted(found.description.name()));
    }
    return found;
  }

  /**
   * A model that generates, without its weights: it need not be loaded.
   *
   * @param name null: the first that generates
   * @throws TaskRefused if it is not served, or is for embeddings only
   * @throws ModelLoadException if its file cannot be read now
   */
  public WeightlessModel weightless(@Nullable String name) {
    LibraryEntry found = requireGenerator(name);
    for (LoadedModel loaded : loadedModels()) {
      if (loaded.name().equals(found.description.name())) {
        return loaded.weightless();
      }
    }
    try {
      return found.header.read();
    } catch (EngineException e) {
      throw new ModelLoadException(
          "model \"%s\" cannot be read: %s".formatted(found.description.name(), e.getMessage()), e);
    }
  }

  /** Whether a model could generate now: all layers at other nodes are available. */
  public boolean isReady(@Nullable String name) {
    return generatorNamed(name).description.isReady();
  }

  private LibraryEntry generatorNamed(@Nullable String name) {
    return name == null || isDefault(name)
        ? first(description -> !description.isEncoder())
        : named(name);
  }

  private boolean isDefault(String name) {
    return name.equals(ModelNameMatcher.DEFAULT) && !serves(name);
  }

  /**
   * Requests a model that embeds.
   *
   * @param name null: the first encoder, else the first model without remote layers
   * @throws TaskRefused if it is not served, or has layers at other nodes
   */
  public ModelRequest<LoadedEmbedder> requestEmbedder(@Nullable String name) {
    return requestEmbedder(name, false);
  }

  /**
   * The same.
   *
   * @param interactive whether somebody waits for it
   */
  public ModelRequest<LoadedEmbedder> requestEmbedder(@Nullable String name, boolean interactive) {
    LibraryEntry found =
        name == null || isDefault(name)
            ? first(ModelDescription::isEncoder, description -> description.remoteOpener() == null)
            : named(name);
    if (found.description.remoteOpener() != null) {
      throw TaskRefused.ofParameter(
          "model",
          "model \"%s\" gives no embeddings here: some of its layers are at other nodes; serve a model for embeddings as well"
              .formatted(found.description.name()));
    }
    return shelf.request(found.embeddings, interactive);
  }

  /**
   * What requests can know about a model.
   *
   * @param context the most positions of a sequence
   */
  public record Listing(String name, boolean generates, boolean embeds, Path file, int context) {}

  /** All models that tasks can use, the default first. */
  public List<Listing> listings() {
    List<Listing> all = new ArrayList<>();
    for (LibraryEntry model : served.values()) {
      ModelDescription about = model.description;
      if (model.isListed()) {
        all.add(
            new Listing(
                about.name(),
                !about.isEncoder(),
                about.remoteOpener() == null,
                about.file(),
                about.capacity()));
      }
    }
    return all;
  }

  /** The names of all models that tasks can use, the default first. */
  public List<String> servedNames() {
    return served.values().stream()
        .filter(LibraryEntry::isListed)
        .map(model -> model.description.name())
        .toList();
  }

  /**
   * Whether tasks to generate should be claimed. They are when no model generates at all: each then
   * fails with that reason.
   */
  public boolean canGenerate() {
    return served.values().stream().allMatch(model -> model.description.remoteOpener() == null)
        || served.values().stream().anyMatch(LibraryEntry::canGenerate);
  }

  /** Runs {@code hook} each time a model becomes ready. */
  public void onReady(Runnable hook) {
    for (LibraryEntry model : served.values()) {
      if (model.description.remoteOpener() != null) {
        model.description.remoteOpener().onReady(hook);
      }
    }
  }

  /** What a model waits for before it can generate, in words; empty if it is ready. */
  public Optional<String> waitReason(String name) {
    RemoteModelOpener opener = named(name).description.remoteOpener();
    return opener == null || opener.ready() ? Optional.empty() : Optional.of(opener.waitReason());
  }

  /** The models that have layers at other nodes. */
  public List<RemoteModelStatus> remoteModels() {
    List<RemoteModelStatus> all = new ArrayList<>();
    for (LibraryEntry model : served.values()) {
      RemoteModelOpener opener = model.description.remoteOpener();
      if (opener != null) {
        boolean ready = opener.ready();
        all.add(
            new RemoteModelStatus(
                model.description.name(),
                ready,
                ready ? "" : opener.waitReason(),
                opener.metrics()));
      }
    }
    return all;
  }

  /** Whether a model has exactly this name. */
  public boolean serves(String name) {
    return served.containsKey(name);
  }

  /** The first model that meets the first condition that any meets; else the first of all. */
  @SafeVarargs
  private LibraryEntry first(Predicate<ModelDescription>... conditions) {
    for (Predicate<ModelDescription> condition : conditions) {
      for (LibraryEntry model : served.values()) {
        if (condition.test(model.description)) {
          return model;
        }
      }
    }
    return served.values().iterator().next();
  }

  private LibraryEntry named(String name) {
    LibraryEntry found = served.get(name);
    return found == null
        ? Objects.requireNonNull(served.get(TaskRefused.requireServed(name, served.keySet())))
        : found;
  }

  /**
   * Loads the default model and the local part of the remote ones, and waits for that.
   *
   * @param patience how long to wait for a remote model; after that it opens in the background
   * @throws TaskRefused if one of the models can never fit into the memory
   */
  public void loadDefault(Duration patience) throws InterruptedException {
    checkRoom();
    remoteSlots.forEach(RemoteModelSlot::startOpening);
    LibraryEntry first = served.values().iterator().next();
    if (first.remoteSlot == null) {
      ModelRequest<?> request =
          first.description.isEncoder()
              ? shelf.request(first.embeddings)
              : shelf.request(first.model);
      request.await().ifPresent(ModelLease::close);
    }
    for (RemoteModelSlot model : remoteSlots) {
      model.awaitOpened(patience);
    }
  }

  private void checkRoom() {
    checkRoom(served.values().stream().map(model -> model.description).toList(), budget.total());
  }

  /**
   * Checks by the headers of the files, before anything is loaded, that each model fits.
   *
   * @param memory for all models, in bytes
   * @throws TaskRefused if one of them can never fit
   */
  public static void checkRoom(List<NamedModel> models, EngineSettings engine, long memory) {
    checkRoom(models.stream().map(model -> ModelDescription.read(model, engine)).toList(), memory);
  }

  private static void checkRoom(List<ModelDescription> models, long memory) {
    long taken = 0;
    for (ModelDescription model : models) {
      if (model.remoteOpener() != null) {
        new ModelMemoryBudget(memory, taken).checkFits(model.name(), model.generateBytes());
        taken += model.generateBytes();
      }
    }
    for (ModelDescription model : models) {
      if (model.remoteOpener() == null) {
        new ModelMemoryBudget(memory, taken)
            .checkFits(
                model.name(), model.isEncoder() ? model.embedBytes() : model.generateBytes());
      }
    }
  }

  /** Unloads idle models, and reopens remote ones that ended. */
  public void maintain() throws InterruptedException {
    shelf.unloadIdle();
    shelf.serveOverdue();
    for (RemoteModelSlot model : remoteSlots) {
      model.reopenIfNeeded();
    }
  }

  private List<ShelfItem> loadedItems() {
    List<ShelfItem> items = new ArrayList<>(shelf.loaded());
    remoteSlots.forEach(model -> items.addAll(model.loaded()));
    return items;
  }

  public List<LoadedModel> loadedModels() {
    List<LoadedModel> models = new ArrayList<>();
    for (ShelfItem item : loadedItems()) {
      if (item instanceof LoadedModel model) {
        models.add(model);
      }
    }
    return models;
  }

  /** The names of the loaded models; those that embed as {@code name (embeddings)}. */
  public List<String> loadedNames() {
    return loadedItems().stream()
        .map(
            item ->
                switch (item) {
                  case LoadedModel model -> model.name();
                  case LoadedEmbedder model -> model.name() + " (embeddings)";
                  default -> item.toString();
                })
        .toList();
  }

  /** What is known about all served models, the default first, also of those not ready yet. */
  public List<ModelDetails> details() {
    List<ShelfItem> loaded = loadedItems();
    LibraryEntry standard = first(description -> !description.isEncoder());
    List<ModelDetails> all = new ArrayList<>();
    for (LibraryEntry model : served.values()) {
      all.add(ModelDetails.of(model.description, model == standard, loaded));
    }
    return all;
  }

  /** The networks that models with layers at other nodes have joined. */
  public List<NodeNetwork> networks() {
    List<NodeNetwork> networks = new ArrayList<>();
    for (LibraryEntry model : served.values()) {
      RemoteModelOpener opener = model.description.remoteOpener();
      if (opener != null) {
        opener.network().ifPresent(networks::add);
      }
    }
    return networks;
  }

  public boolean isClosed() {
    return shelf.isClosed();
  }

  @Override
  public void close() {
    shelf.close();
    remoteSlots.forEach(RemoteModelSlot::close);
  }
}
