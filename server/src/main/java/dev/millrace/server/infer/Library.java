package dev.millrace.server.infer;

import dev.millrace.engine.EngineException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The models that are served, by name, and the shelf for those in use. Thread-safe. */
final class Library implements AutoCloseable {
  private record Served(
      ModelCard card, Source<LoadedModel> model, Source<LoadedEmbeddings> embeddings) {}

  private final Map<String, Served> served = new LinkedHashMap<>();
  private final ModelShelf shelf;

  /**
   * @param clock nanoseconds
   * @throws EngineException if a file cannot be run here
   */
  Library(InferenceSettings settings, LongSupplier clock) {
    FileHashes hashes = new FileHashes();
    for (ModelFile file : settings.models()) {
      ModelCard card = ModelCard.read(file, settings.engine());
      served.put(
          file.name(),
          new Served(
              card,
              LoadedModel.source(card, settings.defaults(), hashes),
              LoadedEmbeddings.source(card, hashes)));
    }
    shelf = new ModelShelf(settings.memory(), settings.idle(), clock);
  }

  ModelShelf shelf() {
    return shelf;
  }

  /**
   * Asks for a model to generate with.
   *
   * @param name null: the first that generates
   * @throws Refusal if it is not served, or gives vectors only
   */
  Ticket<LoadedModel> generator(@Nullable String name) {
    Served found = name == null ? first(card -> !card.isEncoder()) : named(name);
    if (found.card.isEncoder()) {
      throw new Refusal(
          "model \"%s\" gives embeddings and generates no text; a job of type embed can use it"
              .formatted(found.card.name()));
    }
    return shelf.ask(found.model);
  }

  /**
   * Asks for a model to embed with.
   *
   * @param name null: the first made for it, else the first
   * @throws Refusal if it is not served
   */
  Ticket<LoadedEmbeddings> embedder(@Nullable String name) {
    Served found = name == null ? first(ModelCard::isEncoder) : named(name);
    return shelf.ask(found.embeddings);
  }

  /** Names of all models, the default first. */
  List<String> names() {
    return List.copyOf(served.keySet());
  }

  boolean serves(String name) {
    return served.containsKey(name);
  }

  private Served first(Predicate<ModelCard> wanted) {
    return served.values().stream()
        .filter(model -> wanted.test(model.card))
        .findFirst()
        .orElseGet(() -> served.values().iterator().next());
  }

  private Served named(String name) {
    Served found = served.get(name);
    if (found == null) {
      throw Refusal.notServed(name, served.keySet());
    }
    return found;
  }

  /** Loads the default model and waits for it. */
  void warmUp() throws InterruptedException {
    Served first = served.values().iterator().next();
    Ticket<?> ticket =
        first.card.isEncoder() ? shelf.ask(first.embeddings) : shelf.ask(first.model);
    ticket.await().ifPresent(Lease::close);
  }

  List<LoadedModel> generating() {
    List<LoadedModel> models = new ArrayList<>();
    for (Shelved item : shelf.loaded()) {
      if (item instanceof LoadedModel model) {
        models.add(model);
      }
    }
    return models;
  }

  /** Names of models that are loaded; those that embed as {@code name (embeddings)}. */
  List<String> loaded() {
    return shelf.loaded().stream()
        .map(
            item ->
                switch (item) {
                  case LoadedModel model -> model.name();
                  case LoadedEmbeddings model -> model.name() + " (embeddings)";
                  default -> item.toString();
                })
        .toList();
  }

  @Override
  public void close() {
    shelf.close();
  }
}
