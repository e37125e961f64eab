package dev.millrace.cli.serve;

import dev.millrace.cli.command.CommandException;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.server.TaskListener;
import dev.millrace.server.infer.Inference;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;

/** The HTTP API of a server, if it has one; without it, clients use the workspace directory. */
final class ServeFrontend implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  private final ServeSettings settings;
  private final @Nullable Inference inference;
  private final @Nullable AccessLogFile access;
  private final @Nullable HttpApi api;

  private ServeFrontend(
      ServeSettings settings,
      @Nullable Inference inference,
      @Nullable AccessLogFile access,
      @Nullable HttpApi api) {
    this.settings = settings;
    this.inference = inference;
    this.access = access;
    this.api = api;
  }

  static ServeFrontend of(ServeSettings settings, JobStore store, @Nullable Inference inference) {
    ServeHttpSettings http = settings.http();
    if (http == null) {
      return new ServeFrontend(settings, inference, null, null);
    }
    HttpSettings at = http.anyFreePort() ? free(http.settings()) : http.settings();
    AccessLogFile access = AccessLogFile.open(http.accessLog());
    HttpSettings logged = access == null ? at : at.withAccessLog(access);
    HttpApi api = HttpApi.over(store, logged, http.hooks());
    return new ServeFrontend(settings, inference, access, api);
  }

  /** Any free port if the default one is taken. */
  private static HttpSettings free(HttpSettings usual) {
    try (ServerSocket probe = new ServerSocket()) {
      probe.bind(new InetSocketAddress(usual.host(), usual.port()));
      return usual;
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "port " + usual.port() + " is taken; using a free one, --port N chooses it");
      return usual.withPort(0);
    }
  }

  TaskListener listener() {
    return api == null ? new TaskListener() {} : api.taskListener();
  }

  /** Starts to listen; returns the address, null without HTTP. */
  @Nullable String open(Server server) {
    if (api == null) {
      return null;
    }
    try {
      return api.open(
              server, settings.workers().types(), inference == null ? null : inference::stats)
          .toString();
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public void close() {
    if (api != null) {
      api.close();
    }
    if (access != null) {
      access.close();
    }
  }
}
