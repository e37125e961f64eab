package dev.millrace.server.infer.model;

import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.model.ModelFileHasher.FileStamp;
import java.lang.ref.SoftReference;
import java.util.List;

/**
 * Reads a model without its weights, and again only if its file has changed or the memory was
 * needed. Thread-safe.
 */
final class WeightlessModelReader {
  private final ModelDescription description;
  private final OperatorDefaults operatorDefaults;
  private List<FileStamp> stamps = List.of(); // guarded by this; of what was read last
  private SoftReference<WeightlessModel> last = new SoftReference<>(null); // guarded by this

  WeightlessModelReader(ModelDescription description, OperatorDefaults operatorDefaults) {
    this.description = description;
    this.operatorDefaults = operatorDefaults;
  }

  /**
   * @throws EngineException if the file cannot be read
   */
  synchronized WeightlessModel read() {
    List<FileStamp> now = ModelFileHasher.stamps(description.files());
    WeightlessModel known = last.get();
    if (known != null && now.equals(stamps)) {
      return known;
    }
    WeightlessModel read = WeightlessModel.read(description, operatorDefaults);
    stamps = now;
    last = new SoftReference<>(read);
    return read;
  }
}
