package dev.millrace.engine.model;

import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.GgufWriter;
import dev.millrace.engine.gguf.TensorInfo;
import dev.millrace.engine.gguf.TensorType;
import dev.millrace.engine.gguf.ValueType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** A copy of a model's header with something changed; all weights are zero. */
final class Forgery {
  private final Map<String, Object> values;
  private final Map<String, TensorInfo> tensors = new LinkedHashMap<>();

  Forgery(Path original) {
    try (Gguf gguf = Gguf.open(original)) {
      values = new LinkedHashMap<>(gguf.metadata().all());
      gguf.tensors().forEach(tensor -> tensors.put(tensor.name(), tensor));
    }
  }

  Forgery with(String key, Object value) {
    values.put(key, value);
    return this;
  }

  Forgery without(String key) {
    values.remove(key);
    return this;
  }

  Forgery with(String tensor, TensorType type, long... shape) {
    tensors.put(tensor, new TensorInfo(tensor, type, shape, 0, 0));
    return this;
  }

  Forgery withoutTensor(String name) {
    tensors.remove(name);
    return this;
  }

  Path write(Path file) throws IOException {
    GgufWriter writer = new GgufWriter();
    values.forEach((key, value) -> writer.put(key, type(value), value));
    for (TensorInfo tensor : tensors.values()) {
      writer.tensor(
          tensor.name(), tensor.type(), tensor.shape(), (offset, chunk) -> chunk.fill((byte) 0));
    }
    writer.write(file);
    return file;
  }

  private static ValueType type(Object value) {
    return switch (value) {
      case Boolean b -> ValueType.BOOL;
      case boolean[] b -> ValueType.BOOL;
      case Double d -> ValueType.FLOAT32;
      case double[] d -> ValueType.FLOAT32;
      case String s -> ValueType.STRING;
      case String[] s -> ValueType.STRING;
      default -> ValueType.INT64;
    };
  }
}
