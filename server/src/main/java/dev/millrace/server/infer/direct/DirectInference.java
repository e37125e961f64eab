package dev.millrace.server.infer.direct;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.token.TokenDecoder;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.server.infer.model.LoadedEmbedder;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs inference at once, without a job. All methods that name a model wait until it is loaded; they
 * throw {@link TaskRefused} if the request can never run as asked, and {@link ModelLoadException} if
 * the model cannot be loaded now. Thread-safe.
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
    ModelRequest<LoadedModel> request = library.requestGenerator(name, interactive);
    if (!library.isReady(name)) {
      request.cancel();
      throw new ModelLoadException("not all layers of the model are there; try again later");
    }
    return granted(request);
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
      @Nullable String model, String text, boolean addSpecial, boolean parseSpecial)
      throws InterruptedException {
    return with(model, loaded -> tokenizer(loaded).encode(text, addSpecial, parseSpecial));
  }

  private static Tokenizer tokenizer(LoadedModel model) {
    return model.engine().tokenizer();
  }

  /** The text of a token, with U+FFFD for what is not a whole character. */
  public String tokenText(@Nullable String model, int id) throws InterruptedException {
    return new String(tokenBytes(model, id), StandardCharsets.UTF_8);
  }

  /** The bytes of a token, also of a control token. */
  public byte[] tokenBytes(@Nullable String model, int id) throws InterruptedException {
    return with(model, loaded -> loaded.tokenBytes(checked(loaded, id)).clone());
  }

  private static int checked(LoadedModel model, int id) {
    int size = tokenizer(model).size();
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
  public String detokenize(@Nullable String model, int[] ids, boolean showControl)
      throws InterruptedException {
    return with(
        model,
        loaded -> {
          TokenDecoder decoder = tokenizer(loaded).decoder().fromStart();
          if (showControl) {
            decoder.withSpecial();
          }
          StringBuilder text = new StringBuilder();
          for (int id : ids) {
            text.append(decoder.next(checked(loaded, id)));
          }
          return text.append(decoder.end()).toString();
        });
  }

  /** How many tokens a model has; their ids begin at 0. */
  public int vocabularySize(@Nullable String model) throws InterruptedException {
    return with(model, loaded -> tokenizer(loaded).size());
  }

  /** The prompt that the chat template makes of the messages of a generate task. */
  public String applyTemplate(JsonObject data) throws InterruptedException {
    TokenizedPrompt prompt = prompt(data);
    if (prompt.chat() == null) {
      throw TaskRefused.ofParameter("messages", "parameter \"messages\" is missing");
    }
    return prompt.chat().text();
  }

  /** The tokens of the prompt of a generate task. */
  public int countPromptTokens(JsonObject data) throws InterruptedException {
    return prompt(data).tokens().length;
  }

  /**
   * Refuses a generate task that can never run as asked: its prompt, its parameters, and the
   * constraint that follows from its schemas. For tasks that are stored before they run.
   */
  public void requireRunnable(JsonObject data, boolean interactive) throws InterruptedException {
    GenerateParameters asked = GenerateParameters.of(data, null);
    try (ModelLease<LoadedModel> lease = generator(asked.model(), interactive)) {
      ResolvedTask.resolve(lease.item(), asked, 0, Instant.now()).request(lease.item(), 0);
    }
  }

  private TokenizedPrompt prompt(JsonObject data) throws InterruptedException {
    GenerateParameters asked = GenerateParameters.of(data, null);
    return with(asked.model(), model -> TokenizedPrompt.of(model, asked, Instant.now()));
  }

  private <T> T with(@Nullable String model, Function<LoadedModel, T> action)
      throws InterruptedException {
    try (ModelLease<LoadedModel> lease = generator(model, true)) {
      return action.apply(lease.item());
    }
  }
}
