package dev.millrace.server.infer.direct;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.token.TokenDecoder;
import dev.millrace.server.infer.model.LoadedEmbedder;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.model.WeightlessModel;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.ResolvedTask;
import dev.millrace.server.infer.run.TokenCounters;
import dev.millrace.server.infer.run.TokenizedPrompt;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import dev.millrace.server.infer.shelf.ModelRequest;
import dev.millrace.server.infer.shelf.ShelfItem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Runs inference at once, without a job. What computes waits until its model is loaded; what only
 * concerns tokens and prompts does not need the weights and answers at once. All methods that name a
 * model throw {@link TaskRefused} if the request can never run as asked, and {@link
 * ModelLoadException} if the model cannot be loaded now. Thread-safe.
 */
public final class DirectInference {
  private final ModelLibrary library;
  private final TokenCounters counters;

  public DirectInference(ModelLibrary library, TokenCounters counters) {
    this.library = library;
    this.counters = counters;
  }

  /** The models that requests can name, the default first. */
  public List<ServedModel> models() {
    List<ServedModel> models = new ArrayList<>();
    for (ModelLibrary.Listing listing : library.listings()) {
      models.add(
          new ServedModel(
              listing.name(),
              listing.generates(),
              listing.embeds(),
              changedSeconds(listing.file()),
              listing.context()));
    }
    return models;
  }

  private static long changedSeconds(Path file) {
    try {
      return Files.getLastModifiedTime(file).toMillis() / 1000;
    } catch (IOException e) {
      return 0; // the file is gone; the model may still be loaded
    }
  }

  /** Starts an answer. Close what this returns. */
  public DirectGeneration generate(DirectRequest request) throws InterruptedException {
    GenerateParameters asked = GenerateParameters.of(request.data(), null);
    ModelLease<LoadedModel> lease = generator(asked.model(), request.interactive());
    try {
      long seed = ThreadLocalRandom.current().nextLong() >>> 11; // JSON numbers hold 53 bits
      ResolvedTask resolved = ResolvedTask.resolve(lease.item(), asked, seed, request.createdAt());
      resolved = resolved.withSeed(resolved.terms().parameters().seed() + request.choice());
      StreamedGeneration generation =
          new StreamedGeneration(resolved, lease, counters, library::isClosed);
      generation.start(request.interactive());
      return generation;
    } catch (Throwable e) {
      lease.close();
      throw e;
    }
  }

  private ModelLease<LoadedModel> generator(@Nullable String name, boolean interactive)
      throws InterruptedException {
    requireReady(name);
    return granted(library.requestGenerator(name, interactive));
  }

  /**
   * Refuses a model that waits for layers at other nodes: who waits for an answer should not wait
   * for them.
   *
   * @param name null: the default
   */
  public void requireReady(@Nullable String name) {
    if (!library.isReady(name)) {
      throw new ModelLoadException("not all layers of the model are there; try again later");
    }
  }

  private static <T extends ShelfItem> ModelLease<T> granted(ModelRequest<T> request)
      throws InterruptedException {
    return request.await().orElseThrow();
  }

  /** The vectors of several inputs, computed together. */
  public EmbeddingResult embed(EmbedRequest request) throws InterruptedException {
    if (request.inputs().isEmpty()) {
      throw TaskRefused.ofParameter("input", "parameter \"input\" is empty; give at least one");
    }
    try (ModelLease<LoadedEmbedder> lease =
        granted(library.requestEmbedder(request.model(), true))) {
      LoadedEmbedder model = lease.item();
      List<int[]> texts = new ArrayList<>();
      int tokens = 0;
      for (EmbedInput input : request.inputs()) {
        int[] ids =
            switch (input) {
              case EmbedInput.Text(String text) -> model.tokens(text);
              case EmbedInput.Tokens(int[] given) -> model.checked(given);
            };
        tokens += ids.length;
        texts.add(ids);
      }
      List<float[]> vectors = model.embedAll(texts, request.dimensions());
      counters.countEmbedded(tokens);
      return new EmbeddingResult(model.name(), vectors, tokens);
    }
  }

  /**
   * The tokens of a text.
   *
   * @param model null: the default
   * @param addSpecial whether to add the tokens that the model expects around a text
   * @param parseSpecial whether the text may name control tokens
   */
  public int[] tokenize(
      @Nullable String model, String text, boolean addSpecial, boolean parseSpecial) {
    return library.weightless(model).tokenizer().encode(text, addSpecial, parseSpecial);
  }

  /** The text of a token, with U+FFFD for what is not a whole character. */
  public String tokenText(@Nullable String model, int id) {
    return new String(tokenBytes(model, id), StandardCharsets.UTF_8);
  }

  /** The bytes of a token, also of a control token. */
  public byte[] tokenBytes(@Nullable String model, int id) {
    WeightlessModel found = library.weightless(model);
    return found.tokenBytes(checked(found, id)).clone();
  }

  private static int checked(WeightlessModel model, int id) {
    int size = model.tokenizer().size();
    if (id < 0 || id >= size) {
      throw TaskRefused.ofParameter(
          "tokens",
          "token %d does not exist: model \"%s\" has tokens 0 to %d"
              .formatted(id, model.name(), size - 1));
    }
    return id;
  }

  /**
   * The text of tokens.
   *
   * @param showControl whether control tokens have their names in it; if not, they are left out
   */
  public String detokenize(@Nullable String model, int[] ids, boolean showControl) {
    WeightlessModel found = library.weightless(model);
    TokenDecoder decoder = found.tokenizer().decoder().fromStart();
    if (showControl) {
      decoder.withSpecial();
    }
    StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(decoder.next(checked(found, id)));
    }
    return text.append(decoder.end()).toString();
  }

  /** How many tokens a model has; their ids begin at 0. */
  public int vocabularySize(@Nullable String model) {
    return library.weightless(model).tokenizer().size();
  }

  /** The prompt that the chat template makes of the messages of a generate task. */
  public String applyTemplate(JsonObject data) {
    TokenizedPrompt prompt = prompt(data);
    if (prompt.chat() == null) {
      throw TaskRefused.ofParameter("messages", "parameter \"messages\" is missing");
    }
    return prompt.chat().text();
  }

  /** The tokens of the prompt of a generate task. */
  public int countPromptTokens(JsonObject data) {
    return prompt(data).tokens().length;
  }

  private TokenizedPrompt prompt(JsonObject data) {
    GenerateParameters asked = GenerateParameters.of(data, null);
    return TokenizedPrompt.of(library.weightless(asked.model()), asked, Instant.now());
  }

  /**
   * Refuses a generate task that can never run as asked: see {@link ResolvedTask#requireRunnable}.
   * For tasks that are stored before they run.
   */
  public void requireRunnable(JsonObject data) throws InterruptedException {
    GenerateParameters asked = GenerateParameters.of(data, null);
    ResolvedTask.requireRunnable(library.weightless(asked.model()), asked, Instant.now());
  }
}
