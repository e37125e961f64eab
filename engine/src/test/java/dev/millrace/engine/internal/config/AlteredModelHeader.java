package dev.millrace.engine.internal.config;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.MetadataValueType;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A copy of a model's header with something changed; all weights are zero. */
public final class AlteredModelHeader {
  private final Map<String, Object> values;
  private final Map<String, TensorInfo> tensors = new LinkedHashMap<>();

  public AlteredModelHeader(Path original) {
    try (Gguf gguf = Gguf.open(original)) {
      values = new LinkedHashMap<>(gguf.metadata().all());
      gguf.tensors().forEach(tensor -> tensors.put(tensor.name(), tensor));
    }
  }

  public AlteredModelHeader with(String key, Object value) {
    values.put(key, value);
    return this;
  }

  AlteredModelHeader without(String key) {
    values.remove(key);
    return this;
  }

  AlteredModelHeader with(String tensor, TensorType type, long... shape) {
    tensors.put(tensor, new TensorInfo(tensor, type, shape, 0, 0));
    return this;
  }

  AlteredModelHeader withoutTensor(String name) {
    tensors.remove(name);
    return this;
  }

  public Path write(Path file) throws IOException {
    GgufWriter writer = new GgufWriter();
    values.forEach((key, value) -> writer.put(key, type(value), value));
    for (TensorInfo tensor : tensors.values()) {
      writer.tensor(
          tensor.name(), tensor.type(), tensor.shape(), (offset, chunk) -> chunk.fill((byte) 0));
    }
    writer.write(file);
    return file;
  }

  private static MetadataValueType type(Object value) {
    return switch (value) {
      case Boolean b -> MetadataValueType.BOOL;
      case boolean[] b -> MetadataValueType.BOOL;
      case Double d -> MetadataValueType.FLOAT32;
      case double[] d -> MetadataValueType.FLOAT32;
      case String s -> MetadataValueType.STRING;
      case String[] s -> MetadataValueType.STRING;
      default -> MetadataValueType.INT64;
    };
  }
}
