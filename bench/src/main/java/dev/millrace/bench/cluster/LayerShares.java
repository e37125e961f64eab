package dev.millrace.bench.cluster;

import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Divides a model's layers among processes so that each reads about as many bytes per token; the
 * first one also has the head.
 *
 * @param local layers of the first process, the origin
 * @param ranges of the others, both inclusive
 */
public record LayerShares(int local, List<String> ranges) {

  public static LayerShares of(Path model, int processes) {
    try (Gguf gguf = Gguf.open(model)) {
      int layers = ModelConfig.of(gguf).layers();
      String head = gguf.tensor("output.weight").isPresent() ? "output." : "token_embd.";
      long ends = bytes(gguf, head);
      long each = bytes(gguf, "blk.") / layers;
      double share = (ends + (double) layers * each) / processes;
      int local = Math.clamp(Math.round((share - ends) / each), 1, layers - processes + 1);
      List<String> ranges = new ArrayList<>();
      int from = local;
      for (int other = 1; other < processes; other++) {
        int to = from + (layers - from) / (processes - other);
        ranges.add(from + "-" + (to - 1));
        from = to;
      }
      return new LayerShares(local, ranges);
    }
  }

  private static long bytes(Gguf gguf, String prefix) {
    return gguf.tensors().stream()
        .filter(tensor -> tensor.name().startsWith(prefix))
        .mapToLong(LayerShares::bytes)
        .sum();
  }

  private static long bytes(TensorInfo tensor) {
    return tensor.type().rowBytes(tensor.columns()) * tensor.rows();
  }
}
