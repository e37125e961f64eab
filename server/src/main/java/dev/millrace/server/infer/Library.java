package dev.millrace.server.infer;

import dev.millrace.engine.EngineException;
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
final class Library implements AutoCloseable {
  /**
   * @param standing null: all of it is here
   * @param listed whether it could be used, once
   */
  private record Served(
      ModelCard card,
      Source<LoadedModel> model,
      Source<LoadedEmbeddings> embeddings,
      @Nullable Standing standing,
      AtomicBoolean listed) {

    /** Whether it generates, and could now. */
    boolean canGenerate() {
      return !card.isEncoder() && card.isReady();
    }

    boolean isListed() {
      return listed.get() || card.isReady();
    }
  }

  private final Map<String, Served> served = new LinkedHashMap<>();
  private final List<Standing> standing = new ArrayList<>();
  private final Budget budget;
  private final ModelShelf shelf; // of those that are here

  /**
   * @param clock nanoseconds
   * @throws EngineException if a file cannot be run here
   */
  Library(InferenceSettings settings, LongSupplier clock) {
    FileHashes hashes = new FileHashes();
    long taken = 0;
    for (ModelFile file : settings.models()) {
      ModelCard card = ModelCard.read(file, settings.engine());
      Source<LoadedModel> source = LoadedModel.source(card, settings.defaults(), hashes);
      Standing stays = card.opening() == null ? null : new Standing(source, clock);
      AtomicBoolean listed = new AtomicBoolean();
      served.put(
          file.name(),
          new Served(card, source, LoadedEmbeddings.source(card, hashes), stays, listed));
      if (stays != null) {
        standing.add(stays);
        taken += card.generateBytes();
      }
      if (card.opening() != null) {
        card.opening().onReady(() -> listed.set(true));
      }
    }
    budget = new Budget(settings.memory(), taken);
    shelf = new ModelShelf(budget, settings.idle(), clock);
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
    Served found = generating(name);
    if (found.card.isEncoder()) {
      throw new Refusal(
          "model \"%s\" gives embeddings and generates no text; a job of type embed can use it"
              .formatted(found.card.name()));
    }
    return found.standing == null ? shelf.ask(found.model) : found.standing.ask();
  }

  /** Whether a model could generate now, for all that others have to do with it. */
  boolean isReady(@Nullable String name) {
    return generating(name).card.isReady();
  }

  private Served generating(@Nullable String name) {
    return name == null ? first(card -> !card.isEncoder()) : named(name);
  }

  /**
   * Asks for a model to embed with.
   *
   * @param name null: the first made for it, else the first that is wholly here
   * @throws Refusal if it is not served, or its layers are with others
   */
  Ticket<LoadedEmbeddings> embedder(@Nullable String name) {
    Served found =
        name == null ? first(ModelCard::isEncoder, card -> card.opening() == null) : named(name);
    if (found.card.opening() != null) {
      throw new Refusal(
          "model \"%s\" gives no embeddings here: its layers are with other nodes; serve a model for embeddings beside it"
              .formatted(found.card.name()));
    }
    return shelf.ask(found.embeddings);
  }

  /** Names of all models that can be used, the default first. */
  List<String> names() {
    return served.values().stream()
        .filter(Served::isListed)
        .map(model -> model.card.name())
        .toList();
  }

  /**
   * Whether a task to generate could be worked on. Where no model generates at all it can: it is
   * told so.
   */
  boolean canGenerate() {
    return served.values().stream().allMatch(model -> model.card.opening() == null)
        || served.values().stream().anyMatch(Served::canGenerate);
  }

  /** Runs {@code hook} each time that a model turns ready. */
  void onReady(Runnable hook) {
    for (Served model : served.values()) {
      if (model.card.opening() != null) {
        model.card.opening().onReady(hook);
      }
    }
  }

  /** What a model waits for before it can generate, in words; empty if for nothing. */
  Optional<String> missing(String name) {
    Opening opening = named(name).card.opening();
    return opening == null || opening.ready() ? Optional.empty() : Optional.of(opening.waiting());
  }

  /** Models whose layers are with others. */
  List<InferenceStats.Spread> spread() {
    List<InferenceStats.Spread> all = new ArrayList<>();
    for (Served model : served.values()) {
      Opening opening = model.card.opening();
      if (opening != null) {
        boolean ready = opening.ready();
        all.add(
            new InferenceStats.Spread(
                model.card.name(), ready, ready ? "" : opening.waiting(), opening.figures()));
      }
    }
    return all;
  }

  boolean serves(String name) {
    return served.containsKey(name);
  }

  /** The first that fits the first wish for which there is one; else the first of all. */
  @SafeVarargs
  private Served first(Predicate<ModelCard>... wishes) {
    for (Predicate<ModelCard> wish : wishes) {
      for (Served model : served.values()) {
        if (wish.test(model.card)) {
          return model;
        }
      }
    }
    return served.values().iterator().next();
  }

  private Served named(String name) {
    Served found = served.get(name);
    if (found == null) {
      throw Refusal.notServed(name, served.keySet());
    }
    return found;
  }

  /**
   * Loads the default model and what is here of those whose layers are with others, and waits for
   * that.
   *
   * @param patience with the others: after that they come when they come
   * @throws Refusal if there can never be room for one of all models
   */
  void warmUp(Duration patience) throws InterruptedException {
    checkRoom();
    standing.forEach(Standing::open);
    Served first = served.values().iterator().next();
    if (first.standing == null) {
      Ticket<?> ticket =
          first.card.isEncoder() ? shelf.ask(first.embeddings) : shelf.ask(first.model);
      ticket.await().ifPresent(Lease::close);
    }
    for (Standing model : standing) {
      model.await(patience);
    }
  }

  private void checkRoom() {
    long taken = 0;
    for (Served model : served.values()) {
      if (model.standing != null) {
        new Budget(budget.all(), taken).check(model.card.name(), model.card.generateBytes());
        taken += model.card.generateBytes();
      }
    }
    for (Served model : served.values()) {
      if (model.standing == null) {
        ModelCard card = model.card;
        budget.check(card.name(), card.isEncoder() ? card.embedBytes() : card.generateBytes());
      }
    }
  }

  /** Lets go of what nobody uses, and opens anew what is to stay. */
  void tick() throws InterruptedException {
    shelf.tick();
    for (Standing model : standing) {
      model.tick();
    }
  }

  private List<Shelved> onShelves() {
    List<Shelved> items = new ArrayList<>(shelf.loaded());
    standing.forEach(model -> items.addAll(model.loaded()));
    return items;
  }

  List<LoadedModel> generating() {
    List<LoadedModel> models = new ArrayList<>();
    for (Shelved item : onShelves()) {
      if (item instanceof LoadedModel model) {
        models.add(model);
      }
    }
    return models;
  }

  /** Names of models that are loaded; those that embed as {@code name (embeddings)}. */
  List<String> loaded() {
    return onShelves().stream()
        .map(
            item ->
                switch (item) {
                  case LoadedModel model -> model.name();
                  case LoadedEmbeddings model -> model.name() + " (embeddings)";
                  default -> item.toString();
                })
        .toList();
  }

  boolean isClosed() {
    return shelf.isClosed();
  }

  @Override
  public void close() {
    shelf.close();
    standing.forEach(Standing::close);
  }
}
