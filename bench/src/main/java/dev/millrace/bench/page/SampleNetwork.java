package dev.millrace.bench.page;

import dev.millrace.bench.cluster.NodeProcess;
import dev.millrace.cluster.NetworkKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Two nodes that have the layers of the house model after the first, in processes of their own. */
final class SampleNetwork implements AutoCloseable {
  /** The name of the model that the server has the end of. */
  static final String MODEL = "split";

  private final Path key;
  private final NodeProcess first;
  private final NodeProcess second;

  private SampleNetwork(Path key, NodeProcess first, NodeProcess second) {
    this.key = key;
    this.first = first;
    this.second = second;
  }

  static SampleNetwork start(Path directory, Path model) throws IOException {
    Path key = directory.resolve("network.key");
    NetworkKey.generate().write(key);
    NodeProcess first = NodeProcess.start("millpond", 0, key, model + ":1-3", 1);
    try {
      return new SampleNetwork(
          key, first, NodeProcess.start("sluice", first.port(), key, model + ":4-6", 1));
    } catch (IOException e) {
      first.close();
      throw e;
    }
  }

  /** What a server adds to its options to be in it. */
  List<String> options() {
    return List.of(
        "--end-model",
        MODEL + "=house",
        "--join",
        "127.0.0.1:" + first.port(),
        "--key-file",
        key.toString(),
        "--node-name",
        "here",
        "--audit",
        "0.5");
  }

  @Override
  public void close() {
    first.close();
    second.close();
  }
}
