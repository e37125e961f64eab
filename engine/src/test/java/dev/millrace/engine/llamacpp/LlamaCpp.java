package dev.millrace.engine.llamacpp;

import static dev.millrace.engine.llamacpp.LlamaLibrary.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A model in llama.cpp, with a context. One thread at a time. */
@SuppressWarnings("restricted")
public final class LlamaCpp implements AutoCloseable {

  /** The precision of keys and values, by ggml's number for the type. */
  public enum Cache {
    F32,
    F16
  }

  /**
   * How the states of a text become one embedding, by llama.cpp's numbers. FILE: as the model says.
   */
  public enum Pooling {
    NONE,
    MEAN,
    CLS,
    LAST,
    FILE
  }

  /**
   * How to run a model.
   *
   * @param context tokens of each sequence
   * @param sequences how many at a time
   */
  public record Settings(int threads, int context, int sequences, Cache cache, Pooling pooling) {
    public static Settings of(int threads) {
      return new Settings(threads, 512, 1, Cache.F16, Pooling.FILE);
    }

    public Settings context(int tokens) {
      return new Settings(threads, tokens, sequences, cache, pooling);
    }

    public Settings sequences(int count) {
      return new Settings(threads, context, count, cache, pooling);
    }

    public Settings cache(Cache type) {
      return new Settings(threads, context, sequences, type, pooling);
    }

    public Settings pooling(Pooling kind) {
      return new Settings(threads, context, sequences, cache, kind);
    }
  }

  private final LlamaLibrary library;
  private final Path file;
  private final Arena arena = Arena.ofShared();
  private final Settings settings;
  private final boolean ownsModel;
  private final MemorySegment model;
  private final MemorySegment context;
  private final MemorySegment vocabulary;
  private final LlamaBatch batch;
  private final MethodHandle decode;

  private LlamaCpp(
      LlamaLibrary library, Path file, Settings settings, @Nullable MemorySegment shared) {
    this.library = library;
    this.file = file;
    this.settings = settings;
    ownsModel = shared == null;
    model = shared == null ? load(file) : shared;
    StructLayout params = LlamaParams.LAYOUT;
    MemorySegment contextParams = LlamaParams.ofContext(library, arena, settings);
    MethodHandle init = library.function("llama_init_from_model", ADDRESS, ADDRESS, params);
    context = orThrow(call(() -> (MemorySegment) init.invoke(model, contextParams)), file);
    MethodHandle get = library.function("llama_model_get_vocab", ADDRESS, ADDRESS);
    vocabulary = call(() -> (MemorySegment) get.invoke(model));
    MethodHandle threads =
        library.function("llama_set_n_threads", null, ADDRESS, JAVA_INT, JAVA_INT);
    call(() -> threads.invoke(context, settings.threads, settings.threads));
    batch = new LlamaBatch(arena, settings.context * settings.sequences);
    decode = library.function("llama_decode", JAVA_INT, ADDRESS, LlamaBatch.LAYOUT);
  }

  /** Loads a model with {@link Settings#of}. Skips the test where there is no library. */
  public static LlamaCpp load(Path file, int threads) {
    return load(file, Settings.of(threads));
  }

  /**
   * Loads a model. Skips the test where there is no library.
   *
   * @throws LlamaCppException if llama.cpp refuses the model, for instance because it does not know
   *     the architecture
   */
  public static LlamaCpp load(Path file, Settings settings) {
    return new LlamaCpp(LlamaLibrary.get(), file, settings, null);
  }

  private MemorySegment load(Path from) {
    StructLayout params = LlamaParams.LAYOUT;
    MemorySegment modelParams = LlamaParams.ofModel(library, arena);
    MethodHandle load = library.function("llama_model_load_from_file", ADDRESS, ADDRESS, params);
    MemorySegment name = arena.allocateFrom(from.toString());
    return orThrow(call(() -> (MemorySegment) load.invoke(name, modelParams)), from);
  }

  /** Another context on the same model, for a thread of its own; to be closed before this one. */
  public LlamaCpp another() {
    return new LlamaCpp(library, file, settings, model);
  }

  private MemorySegment orThrow(MemorySegment pointer, Path file) {
    if (pointer.address() == 0) {
      arena.close();
      throw new LlamaCppException("llama.cpp refuses " + file + ": " + library.complaints());
    }
    return pointer;
  }

  public int vocabularySize() {
    MethodHandle count = library.function("llama_vocab_n_tokens", JAVA_INT, ADDRESS);
    return call(() -> (int) count.invoke(vocabulary));
  }

  public int width() {
    MethodHandle width = library.function("llama_model_n_embd", JAVA_INT, ADDRESS);
    return call(() -> (int) width.invoke(model));
  }

  /** The logits after each token of a fresh sequence. */
  public float[][] logits(int[] tokens) {
    clear();
    batch.clear();
    for (int i = 0; i < tokens.length; i++) {
      batch.add(tokens[i], i, 0, true);
    }
    decode();
    float[][] rows = new float[tokens.length][];
    for (int i = 0; i < tokens.length; i++) {
      rows[i] = logitsOf(i);
    }
    return rows;
  }

  /** The likeliest tokens, {@code count} of them, after a prompt. */
  public int[] generate(int[] prompt, int count) {
    clear();
    int[] generated = new int[count];
    for (int i = 0; i < prompt.length; i++) {
      batch.add(prompt[i], i, 0, i == prompt.length - 1);
    }
    for (int i = 0; i < count; i++) {
      decode();
      generated[i] = largest(logitsOf(-1));
      batch.add(generated[i], prompt.length + i, 0, true);
    }
    return generated;
  }

  /** The embedding of a text, pooled as the settings say, not normalised. */
  public float[] embed(int[] tokens) {
    clear();
    MethodHandle set = library.function("llama_set_embeddings", null, ADDRESS, JAVA_BOOLEAN);
    call(() -> set.invoke(context, true));
    for (int i = 0; i < tokens.length; i++) {
      batch.add(tokens[i], i, 0, true);
    }
    decode();
    MethodHandle get = library.function("llama_get_embeddings_seq", ADDRESS, ADDRESS, JAVA_INT);
    MemorySegment row = call(() -> (MemorySegment) get.invoke(context, 0));
    return row.reinterpret(4L * width()).toArray(JAVA_FLOAT);
  }

  /** Forgets all sequences and empties the batch. */
  public void clear() {
    batch.clear();
    if (library.isCurrent()) {
      MethodHandle get = library.function("llama_get_memory", ADDRESS, ADDRESS);
      MemorySegment memory = call(() -> (MemorySegment) get.invoke(context));
      if (memory.address() != 0) {
        MethodHandle clear = library.function("llama_memory_clear", null, ADDRESS, JAVA_BOOLEAN);
        call(() -> clear.invoke(memory, true));
      }
    } else {
      MethodHandle clear = library.function("llama_kv_self_clear", null, ADDRESS);
      call(() -> clear.invoke(context));
    }
  }

  /** Puts a token into the batch that {@link #decode} runs. */
  public void add(int token, int position, int sequence, boolean wantsLogits) {
    batch.add(token, position, sequence, wantsLogits);
  }

  /** Runs the batch, in which sequences may be mixed, and empties it. */
  public void decode() {
    int rc = call(() -> (int) decode.invoke(context, batch.segment()));
    batch.clear();
    if (rc != 0) {
      throw new LlamaCppException("llama_decode returned " + rc + ": " + library.complaints());
    }
  }

  /** The logits of row {@code row} of the batch that ran last; -1 is the last one. */
  public float[] logitsOf(int row) {
    MethodHandle get = library.function("llama_get_logits_ith", ADDRESS, ADDRESS, JAVA_INT);
    MemorySegment logits = call(() -> (MemorySegment) get.invoke(context, row));
    return logits.reinterpret(4L * vocabularySize()).toArray(JAVA_FLOAT);
  }

  /**
   * The ids of a text. {@code ends}: with BOS and EOS as the model wants them. {@code special}:
   * control tokens in the text count as such.
   */
  public int[] tokenise(String text, boolean ends, boolean special) {
    MethodHandle tokenize =
        library.function(
            "llama_tokenize",
            JAVA_INT,
            ADDRESS,
            ADDRESS,
            JAVA_INT,
            ADDRESS,
            JAVA_INT,
            JAVA_BOOLEAN,
            JAVA_BOOLEAN);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    try (Arena scratch = Arena.ofConfined()) {
      MemorySegment source =
          scratch.allocateFrom(JAVA_BYTE, Arrays.copyOf(bytes, bytes.length + 1));
      int room = bytes.length + 8;
      MemorySegment ids = scratch.allocate(JAVA_INT, room);
      int count =
          call(
              () ->
                  (int)
                      tokenize.invoke(vocabulary, source, bytes.length, ids, room, ends, special));
      return Arrays.copyOf(ids.toArray(JAVA_INT), count);
    }
  }

  /** Its grammar engine over this model's vocabulary; not to be used after the model is closed. */
  public LlamaGrammar grammar() {
    return new LlamaGrammar(library, vocabulary, vocabularySize());
  }

  public Settings settings() {
    return settings;
  }

  @Override
  public void close() {
    MethodHandle free = library.function("llama_free", null, ADDRESS);
    call(() -> free.invoke(context));
    if (ownsModel) {
      MethodHandle freeModel = library.function("llama_model_free", null, ADDRESS);
      call(() -> freeModel.invoke(model));
    }
    arena.close();
  }

  private static int largest(float[] values) {
    int best = 0;
    for (int i = 1; i < values.length; i++) {
      if (values[i] > values[best]) {
        best = i;
      }
    }
    return best;
  }
}
