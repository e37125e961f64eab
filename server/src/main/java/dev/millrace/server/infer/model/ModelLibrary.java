package dev.millrace.server.infer.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelMemoryBudget;
import dev.millrace.server.infer.shelf.ModelRequest;
import dev.millrace.server.infer.shelf.ModelShelf;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The models that are served, by name, and the shelf for those in use. Thread-safe. */
public final class ModelLibrary implements AutoCloseable {
  /**
   * @param standing null: all of it is here
   * @param listed whether it could be used, once
   */
  private record ServedModel(
      ModelDescription card,
      ShelfItemLoader<LoadedModel> model,
      ShelfItemLoader<LoadedEmbedder> embeddings,
      @Nullable RemoteModelSlot remoteSlot,
      AtomicBoolean listed) {

    /** Whether it generates, and could now. */
    boolean canGenerate() {
      return !card.isEncoder() && card.isReady();
    }

    boolean isListed() {
      return listed.get() || card.isReady();
    }
  }

  private final Map<String, ServedModel> served = new LinkedHashMap<>();
  private final List<RemoteModelSlot> remoteSlots = new ArrayList<>();
  private final ModelMemoryBudget budget;
  private final ModelShelf shelf; // of those that are here

  /**
   * @param clock nanoseconds
   * @throws EngineException if a file cannot be run here
   */
  public ModelLibrary(InferenceSettings settings, LongSupplier clock) {
    ModelFileHasher hashes = new ModelFileHasher();
    long taken = 0;
    for (ModelFile file : settings.models()) {
      ModelDescription card = ModelDescription.read(file, settings.engine());
      ShelfItemLoader<LoadedModel> source = LoadedModel.source(card, settings.defaults(), hashes);
      RemoteModelSlot stays =
          card.remoteOpener() == null ? null : new RemoteModelSlot(source, clock);
      AtomicBoolean listed = new AtomicBoolean();
      served.put(
          file.name(),
          new ServedModel(card, source, LoadedEmbedder.source(card, hashes), stays, listed));
      if (stays != null) {
        remoteSlots.add(stays);
        taken += card.generateBytes();
      }
      if (card.remoteOpener() != null) {
        card.remoteOpener().onReady(() -> listed.set(true));
      }
    }
    budget = new ModelMemoryBudget(settings.memory(), taken);
    shelf = new ModelShelf(budget, settings.idle(), clock);
  }

  public ModelShelf shelf() {
    return shelf;
  }

  /**
   * Asks for a model to generate with.
   *
   * @param name null: the first that generates
   * @throws TaskRefused if it is not served, or gives vectors only
   */
  public ModelRequest<LoadedModel> requestGenerator(@Nullable String name) {
    ServedModel found = generating(name);
    if (found.card.isEncoder()) {
      throw new TaskRefused(
          "model \"%s\" gives embeddings and generates no text; a job of type embed can use it"
              .formatted(found.card.name()));
    }
    return found.remoteSlot == null ? shelf.request(found.model) : found.remoteSlot.request();
  }

  /** Whether a model could generate now, for all that others have to do with it. */
  public boolean isReady(@Nullable String name) {
    return generating(name).card.isReady();
  }

  private ServedModel generating(@Nullable String name) {
    return name == null ? first(card -> !card.isEncoder()) : named(name);
  }

  /**
   * Asks for a model to embed with.
   *
   * @param name null: the first made for it, else the first that is wholly here
   * @throws TaskRefused if it is not served, or its layers are with others
   */
  public ModelRequest<LoadedEmbedder> requestEmbedder(@Nullable String name) {
    ServedModel found =
        name == null
            ? first(ModelDescription::isEncoder, card -> card.remoteOpener() == null)
            : named(name);
    if (found.card.remoteOpener() != null) {
      throw new TaskRefused(
          "model \"%s\" gives no embeddings here: its layers are with other nodes; serve a model for embeddings beside it"
              .formatted(found.card.name()));
    }
    return shelf.request(found.embeddings);
  }

  /** Names of all models that can be used, the default first. */
  public List<String> servedNames() {
    return served.values().stream()
        .filter(ServedModel::isListed)
        .map(model -> model.card.name())
        .toList();
  }

  /**
   * Whether a task to generate could be worked on. Where no model generates at all it can: it is
   * told so.
   */
  public boolean canGenerate() {
    return served.values().stream().allMatch(model -> model.card.remoteOpener() == null)
        || served.values().stream().anyMatch(ServedModel::canGenerate);
  }

  /** Runs {@code hook} each time that a model turns ready. */
  public void onReady(Runnable hook) {
    for (ServedModel model : served.values()) {
      if (model.card.remoteOpener() != null) {
        model.card.remoteOpener().onReady(hook);
      }
    }
  }

  /** What a model waits for before it can generate, in words; empty if for nothing. */
  public Optional<String> waitReason(String name) {
    RemoteModelOpener opening = named(name).card.remoteOpener();
    return opening == null || opening.ready()
        ? Optional.empty()
        : Optional.of(opening.waitReason());
  }

  /** Models whose layers are with others. */
  public List<InferenceStats.RemoteModelStatus> remoteModels() {
    List<InferenceStats.RemoteModelStatus> all = new ArrayList<>();
    for (ServedModel model : served.values()) {
      RemoteModelOpener opening = model.card.remoteOpener();
      if (opening != null) {
        boolean ready = opening.ready();
        all.add(
            new InferenceStats.RemoteModelStatus(
                model.card.name(), ready, ready ? "" : opening.waitReason(), opening.metrics()));
      }
    }
    return all;
  }

  public boolean serves(String name) {
    return served.containsKey(name);
  }

  /** The first that fits the first wish for which there is one; else the first of all. */
  @SafeVarargs
  private ServedModel first(Predicate<ModelDescription>... wishes) {
    for (Predicate<ModelDescription> wish : wishes) {
      for (ServedModel model : served.values()) {
        if (wish.test(model.card)) {
          return model;
        }
      }
    }
    return served.values().iterator().next();
  }

  private ServedModel named(String name) {
    ServedModel found = served.get(name);
    if (found == null) {
      throw TaskRefused.notServed(name, served.keySet());
    }
    return found;
  }

  /**
   * Loads the default model and what is here of those whose layers are with others, and waits for
   * that.
   *
   * @param patience with the others: after that they come when they come
   * @throws TaskRefused if there can never be room for one of all models
   */
  public void warmUp(Duration patience) throws InterruptedException {
    checkRoom();
    remoteSlots.forEach(RemoteModelSlot::startOpening);
    ServedModel first = served.values().iterator().next();
    if (first.remoteSlot == null) {
      ModelRequest<?> ticket =
          first.card.isEncoder() ? shelf.request(first.embeddings) : shelf.request(first.model);
      ticket.await().ifPresent(ModelLease::close);
    }
    for (RemoteModelSlot model : remoteSlots) {
      model.awaitOpened(patience);
    }
  }

  private void checkRoom() {
    long taken = 0;
    for (ServedModel model : served.values()) {
      if (model.remoteSlot != null) {
        new ModelMemoryBudget(budget.total(), taken)
            .checkFits(model.card.name(), model.card.generateBytes());
        taken += model.card.generateBytes();
      }
    }
    for (ServedModel model : served.values()) {
      if (model.remoteSlot == null) {
        ModelDescription card = model.card;
        budget.checkFits(card.name(), card.isEncoder() ? card.embedBytes() : card.generateBytes());
      }
    }
  }

  /** Lets go of what nobody uses, and opens anew what is to stay. */
  public void maintain() throws InterruptedException {
    shelf.unloadIdle();
    for (RemoteModelSlot model : remoteSlots) {
      model.reopenIfNeeded();
    }
  }

  private List<ShelfItem> onShelves() {
    List<ShelfItem> items = new ArrayList<>(shelf.loaded());
    remoteSlots.forEach(model -> items.addAll(model.loaded()));
    return items;
  }

  public List<LoadedModel> generating() {
    List<LoadedModel> models = new ArrayList<>();
    for (ShelfItem item : onShelves()) {
      if (item instanceof LoadedModel model) {
        models.add(model);
      }
    }
    return models;
  }

  /** Names of models that are loaded; those that embed as {@code name (embeddings)}. */
  public List<String> loadedNames() {
    return onShelves().stream()
        .map(
            item ->
                switch (item) {
                  case LoadedModel model -> model.name();
                  case LoadedEmbedder model -> model.name() + " (embeddings)";
                  default -> item.toString();
                })
        .toList();
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
