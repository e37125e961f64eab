package dev.millrace.engine.llamacpp;

import static dev.millrace.engine.llamacpp.LlamaLibrary.call;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/** llama.cpp's own grammar engine, over the vocabulary of a model that has a token for any byte. */
@SuppressWarnings("restricted")
public final class LlamaGrammar {
  private final LlamaLibrary library;
  private final MemorySegment vocabulary;
  private final int[] tokenOfByte = new int[256];
  private final int end;

  LlamaGrammar(LlamaLibrary library, MemorySegment vocabulary, int tokens) {
    this.library = library;
    this.vocabulary = vocabulary;
    Arrays.fill(tokenOfByte, -1);
    MethodHandle eos = library.function("llama_vocab_eos", JAVA_INT, ADDRESS);
    end = call(() -> (int) eos.invoke(vocabulary));
    MethodHandle piece =
        library.function(
            "llama_token_to_piece",
            JAVA_INT,
            ADDRESS,
            JAVA_INT,
            ADDRESS,
            JAVA_INT,
            JAVA_INT,
            JAVA_BOOLEAN);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment text = arena.allocate(256);
      for (int token = 0; token < tokens; token++) {
        int id = token;
        int length = call(() -> (int) piece.invoke(vocabulary, id, text, 256, 0, false));
        if (length == 1) {
          tokenOfByte[text.get(JAVA_BYTE, 0) & 0xff] = token;
        }
      }
    }
  }

  /**
   * Whether the grammar, from its rule {@code root}, matches the text.
   *
   * @throws LlamaCppException if llama.cpp cannot read the grammar
   */
  public boolean matches(String gbnf, byte[] text) {
    MethodHandle init =
        library.function("llama_sampler_init_grammar", ADDRESS, ADDRESS, ADDRESS, ADDRESS);
    MethodHandle free = library.function("llama_sampler_free", null, ADDRESS);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocateFrom(gbnf);
      MemorySegment root = arena.allocateFrom("root");
      MemorySegment sampler = call(() -> (MemorySegment) init.invoke(vocabulary, source, root));
      if (sampler.address() == 0) {
        throw new LlamaCppException("llama.cpp does not read the grammar:\n" + gbnf);
      }
      try {
        return reads(sampler, text, arena);
      } finally {
        call(() -> free.invoke(sampler));
      }
    }
  }

  private boolean reads(MemorySegment sampler, byte[] text, Arena arena) {
    MethodHandle accept = library.function("llama_sampler_accept", null, ADDRESS, JAVA_INT);
    for (byte b : text) {
      int token = tokenOfByte[b & 0xff];
      if (token < 0) {
        throw new LlamaCppException("the vocabulary has no token for byte " + (b & 0xff));
      }
      if (!allows(sampler, token, arena)) {
        return false;
      }
      call(() -> accept.invoke(sampler, token));
    }
    return allows(sampler, end, arena);
  }

  /** A grammar sets the logit of each token that may not follow to minus infinity. */
  private boolean allows(MemorySegment sampler, int token, Arena arena) {
    MethodHandle apply = library.function("llama_sampler_apply", null, ADDRESS, ADDRESS);
    MemorySegment candidate = arena.allocate(12, 4); // id, logit, p
    candidate.set(JAVA_INT, 0, token);
    MemorySegment candidates = arena.allocate(32, 8); // data, size, selected, sorted
    candidates.set(ADDRESS, 0, candidate);
    candidates.set(JAVA_LONG, 8, 1);
    candidates.set(JAVA_LONG, 16, -1);
    call(() -> apply.invoke(sampler, candidates));
    return candidate.get(JAVA_FLOAT, 4) == 0;
  }
}
