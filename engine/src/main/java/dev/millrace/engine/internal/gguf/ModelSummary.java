package dev.millrace.engine.internal.gguf;

import dev.millrace.engine.gguf.GgufMetadata;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;

/**
 * A short description of a model.
 *
 * @param name as in the file; may be empty
 * @param architecture "unknown" if the file does not say
 * @param parameters the number of weights
 * @param quantisation how most of it is stored: what the file says, else the type that takes the
 *     most bytes; empty for a file without tensors
 * @param bytes of its tensors
 * @param layers empty if the file does not say, as {@code contextLength}
 */
public record ModelSummary(
    String name,
    String architecture,
    long parameters,
    String quantisation,
    long bytes,
    OptionalInt layers,
    OptionalInt contextLength) {

  /** The number of tensors of a type, and their bytes. */
  public record Share(int tensors, long bytes) {
    Share plus(TensorInfo tensor) {
      return new Share(tensors + 1, bytes + tensor.bytes());
    }
  }

  public static ModelSummary of(Gguf model) {
    GgufMetadata metadata = model.metadata();
    String architecture = metadata.string("general.architecture", "unknown");
    return new ModelSummary(
        metadata.string("general.name", ""),
        architecture,
        model.tensors().stream().mapToLong(TensorInfo::length).sum(),
        quantisation(model),
        model.tensors().stream().mapToLong(TensorInfo::bytes).sum(),
        size(metadata, architecture + ".block_count"),
        size(metadata, architecture + ".context_length"));
  }

  /** The tensors of a model by their type. */
  public static Map<TensorType, Share> sharesByType(Gguf model) {
    Map<TensorType, Share> types = new EnumMap<>(TensorType.class);
    for (TensorInfo tensor : model.tensors()) {
      Share share = types.getOrDefault(tensor.type(), new Share(0, 0));
      types.put(tensor.type(), share.plus(tensor));
    }
    return types;
  }

  private static OptionalInt size(GgufMetadata metadata, String key) {
    return metadata.has(key) ? OptionalInt.of(metadata.integer(key)) : OptionalInt.empty();
  }

  private static String quantisation(Gguf model) {
    Map<TensorType, Share> types = sharesByType(model);
    String stated = FILE_TYPES.get(model.metadata().integer("general.file_type", -1));
    if (types.isEmpty() || stated != null) {
      return types.isEmpty() ? "" : stated;
    }
    return types.entrySet().stream()
        .max(Comparator.comparingLong(entry -> entry.getValue().bytes()))
        .map(entry -> entry.getKey().name())
        .orElseThrow();
  }

  /** The values of {@code general.file_type}, from llama.cpp's enum llama_ftype (llama.h). */
  private static final Map<Integer, String> FILE_TYPES =
      Map.ofEntries(
          Map.entry(0, "F32"),
          Map.entry(1, "F16"),
          Map.entry(2, "Q4_0"),
          Map.entry(3, "Q4_1"),
          Map.entry(7, "Q8_0"),
          Map.entry(8, "Q5_0"),
          Map.entry(9, "Q5_1"),
          Map.entry(10, "Q2_K"),
          Map.entry(11, "Q3_K_S"),
          Map.entry(12, "Q3_K_M"),
          Map.entry(13, "Q3_K_L"),
          Map.entry(14, "Q4_K_S"),
          Map.entry(15, "Q4_K_M"),
          Map.entry(16, "Q5_K_S"),
          Map.entry(17, "Q5_K_M"),
          Map.entry(18, "Q6_K"),
          Map.entry(19, "IQ2_XXS"),
          Map.entry(20, "IQ2_XS"),
          Map.entry(21, "Q2_K_S"),
          Map.entry(22, "IQ3_XS"),
          Map.entry(23, "IQ3_XXS"),
          Map.entry(24, "IQ1_S"),
          Map.entry(25, "IQ4_NL"),
          Map.entry(26, "IQ3_S"),
          Map.entry(27, "IQ3_M"),
          Map.entry(28, "IQ2_S"),
          Map.entry(29, "IQ2_M"),
          Map.entry(30, "IQ4_XS"),
          Map.entry(31, "IQ1_M"),
          Map.entry(32, "BF16"),
          Map.entry(36, "TQ1_0"),
          Map.entry(37, "TQ2_0"),
          Map.entry(38, "MXFP4"));
}
