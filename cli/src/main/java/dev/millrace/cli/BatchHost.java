package dev.millrace.cli;

import dev.millrace.cli.args.Arguments;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.ServerState;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.ModelFile;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A server in this process, for a workspace that has none. */
final class BatchHost implements AutoCloseable {

  /** What the server works with. */
  interface Engine extends AutoCloseable {
    List<Worker> workers();

    /** How many tasks to claim at once. */
    int slots();

    /** How many tokens it has generated. */
    long generated();

    /** What other processes are told of the server. */
    JsonObject info();

    @Override
    void close();
  }

  /** Makes an engine of a model. */
  @FunctionalInterface
  interface Opening {
    Engine open(Shell shell, Arguments given, Path workspace, ModelFile model);
  }

  private final Workspace workspace;
  private final JobStore store;
  private final Engine engine;
  private final Server server;

  private BatchHost(Workspace workspace, JobStore store, Engine engine) {
    this.workspace = workspace;
    this.store = store;
    this.engine = engine;
    ServerBuilder builder = Server.builder(store).slots(engine.slots());
    engine.workers().forEach(builder::worker);
    this.server = builder.build();
  }

  /** Takes over {@code store}, which it closes in the end, also if this fails. */
  static BatchHost start(Workspace workspace, JobStore store, Supplier<Engine> opening) {
    Engine engine;
    try {
      workspace.withdraw(); // what a server that died may have left
      engine = opening.get();
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
    BatchHost host = new BatchHost(workspace, store, engine);
    try {
      host.server.start();
      workspace.announce(engine.info());
      return host;
    } catch (RuntimeException | Error e) {
      host.close();
      throw e;
    }
  }

  long generated() {
    return engine.generated();
  }

  /** Says so if the server ended by itself, which it does when its store breaks. */
  void check() throws InterruptedException {
    if (server.status().state() == ServerState.STOPPED) {
      server.await();
    }
  }

  /** Ends it; what runs is released and goes on another time. */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    try {
      server.stopNow();
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      engine.close();
      workspace.withdraw();
      store.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The models of this machine. */
  static Engine inference(Shell shell, Arguments given, Path workspace, ModelFile model) {
    Integer variable = new Variables(shell).integer(1, InferenceOptions.MOST_SLOTS, "SLOTS");
    int slots =
        given.integer(
            ServeCommand.SLOTS, 1, InferenceOptions.MOST_SLOTS, variable == null ? 16 : variable);
    InferenceSettings settings = InferenceOptions.settings(shell, given, List.of(model), slots);
    JsonObject info =
        new ServeSettings(workspace, Map.of(), settings, slots, null, false, false).info();
    Inference inference = ModelLoading.open(settings);
    return new Engine() {
      @Override
      public List<Worker> workers() {
        return inference.workers();
      }

      @Override
      public int slots() {
        return inference.slots();
      }

      @Override
      public long generated() {
        return inference.stats().generatedTokens();
      }

      @Override
      public JsonObject info() {
        return info;
      }

      @Override
      public void close() {
        inference.close();
      }
    };
  }
}
