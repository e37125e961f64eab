package dev.millrace.engine.llamacpp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The structs of parameters that llama.cpp takes by value. Their fields move from version to
 * version ({@code include/llama.h}), so they are declared larger than any version has them (a
 * callee reads or writes only its part), start as the library's own defaults, and the fields that
 * matter here are found by those defaults.
 */
final class LlamaParams {
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(MemoryLayout.sequenceLayout(64, JAVA_LONG));

  private LlamaParams() {}

  static MemorySegment ofModel(LlamaLibrary library, Arena arena) {
    return defaults(library, "llama_model_default_params", arena);
  }

  static MemorySegment ofContext(LlamaLibrary library, Arena arena, LlamaCpp.Settings settings) {
    MemorySegment params = defaults(library, "llama_context_default_params", arena);
    int tokens = settings.context() * settings.sequences();
    params.set(JAVA_INT, 0, tokens); // n_ctx
    params.set(JAVA_INT, 4, tokens); // n_batch
    boolean pools = settings.pooling() != LlamaCpp.Pooling.FILE;
    params.set(JAVA_INT, 8, pools ? tokens : Math.min(tokens, 512)); // n_ubatch
    params.set(JAVA_INT, 12, settings.sequences()); // n_seq_max
    // rope_scaling_type is the first field that is -1, pooling_type follows it
    long scaling = find(params, 16, -1, -1);
    if (pools) {
      params.set(JAVA_INT, scaling + 4, settings.pooling().ordinal());
    }
    // type_k and type_v are the first two fields in a row that are 1, for F16
    long types = find(params, scaling, 1, 1);
    params.set(JAVA_INT, types, settings.cache().ordinal());
    params.set(JAVA_INT, types + 4, settings.cache().ordinal());
    // Flash attention (flash_attn_type, after attention_type, in current versions) would round to
    // F16
    if (settings.cache() == LlamaCpp.Cache.F32 && params.get(JAVA_INT, scaling + 12) == -1) {
      params.set(JAVA_INT, scaling + 12, 0);
    }
    return params;
  }

  private static MemorySegment defaults(LlamaLibrary library, String name, Arena arena) {
    MethodHandle get = library.function(name, LAYOUT);
    return LlamaLibrary.call(() -> (MemorySegment) get.invoke((SegmentAllocator) arena));
  }

  private static long find(MemorySegment params, long from, int first, int second) {
    for (long at = from; at + 8 <= LAYOUT.byteSize(); at += 4) {
      if (params.get(JAVA_INT, at) == first && params.get(JAVA_INT, at + 4) == second) {
        return at;
      }
    }
    throw new LlamaCppException("llama_context_params has no fields " + first + ", " + second);
  }
}
