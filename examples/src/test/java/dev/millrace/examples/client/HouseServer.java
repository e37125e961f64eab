package dev.millrace.examples.client;

import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.store.fs.Workspace;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A server with the house model on a free port, as {@code millrace serve} starts it. */
final class HouseServer implements AutoCloseable {
  private final JobStore store;
  private final Inference inference;
  private final Server server;
  private final HttpApi api;
  private final URI address;

  HouseServer(Path workspace) {
    NamedModel model = NamedModel.of(Path.of("..", "models", "house", "house.gguf"));
    store = Workspace.open(workspace).own().orElseThrow();
    inference = Inference.open(InferenceSettings.of(List.of(model)));
    api = HttpApi.over(store, HttpSettings.loopback(0), null);
    server = Server.builder(store).group(inference.slots(), inference.workers()).build().start();
    address = api.open(server, Set.of("generate", "embed"), inference::stats, inference.direct());
  }

  /** What clients call the base URL. */
  String baseUrl() {
    return address.resolve("/v1").toString();
  }

  @Override
  public void close() {
    api.close();
    server.close();
    inference.close();
    store.close();
  }
}
