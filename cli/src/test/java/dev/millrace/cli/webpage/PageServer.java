package dev.millrace.cli.webpage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.process.ServeProcess;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.Worker;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A server of this JVM with its workers and its page. It can stop, and start again at its port. */
final class PageServer implements AutoCloseable {
  private final Supplier<JobStore> opening;
  private final @Nullable Path keys;
  private final List<Worker> workers;
  private int port;
  private @Nullable JobStore store;
  private @Nullable Server server;
  private @Nullable HttpApi api;

  PageServer(Supplier<JobStore> opening, @Nullable Path keys, Worker... workers) {
    this.opening = opening;
    this.keys = keys;
    this.workers = List.of(workers);
  }

  /** On a workspace, for clients without keys. */
  static PageServer over(Path workspace, Worker... workers) {
    return withKeys(workspace, null, workers);
  }

  static PageServer withKeys(Path workspace, @Nullable Path keys, Worker... workers) {
    return new PageServer(() -> Workspace.open(workspace).own().orElseThrow(), keys, workers);
  }

  void start() {
    startLoading();
    attach();
  }

  /** Starts as a server that still loads its models: it answers, but of models it knows nothing yet. */
  void startLoading() {
    store = opening.get();
    HttpApi opened = HttpApi.over(store, HttpSettings.loopback(port).withKeys(keys), null);
    api = opened;
    Set<String> types = workers.stream().map(Worker::type).collect(Collectors.toSet());
    port = opened.open(types, Set.of(), Optional::empty).getPort();
  }

  /** The models are loaded. */
  void attach() {
    ServerBuilder builder = Server.builder(store()).name("here").slots(8);
    workers.forEach(builder::worker);
    Server started = builder.build().start();
    server = started;
    Objects.requireNonNull(api).attach(started, null, null);
  }

  void stop() {
    try {
      if (api != null) {
        api.close();
      }
      if (server != null) {
        server.stopNow();
      }
      if (store != null) {
        store.close();
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      api = null;
      server = null;
      store = null;
    }
  }

  JobStore store() {
    if (store == null) {
      throw new IllegalStateException("the server is stopped");
    }
    return store;
  }

  /** Submits a job, and returns its id as the API has it. */
  String submit(JobSpec spec) {
    return uuid(store().submit(spec));
  }

  JobState state(String uuid) {
    return store().state(id(uuid)).orElseThrow();
  }

  void awaitState(String uuid, JobState state) {
    ServeProcess.soon().until(() -> state(uuid) == state);
  }

  void resume(String uuid) {
    assertThat(store().resume(id(uuid), Cause.user(null, null)).isDone()).isTrue();
  }

  void abort(String uuid) {
    assertThat(store().abort(id(uuid), Cause.user(null, null)).isDone()).isTrue();
  }

  /** The log of a job as text. */
  String log(String uuid) {
    return store().events(id(uuid), 0, 1_000).toString();
  }

  private static JobId id(String uuid) {
    return EntityId.of(UUID.fromString(uuid)).orElseThrow().job();
  }

  private static String uuid(JobId job) {
    return EntityId.of(job).uuid().toString();
  }

  /** The address of a view: {@code address("jobs?status=FAILED")}. */
  String address(String view) {
    return "http://127.0.0.1:" + port + "/#/" + view;
  }

  @Override
  public void close() {
    stop();
  }
}
