package dev.millrace.cli.serve;

import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.log.OpenTelemetryLogging;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.server.TaskListener;
import dev.millrace.server.infer.Inference;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;

/** The HTTP API of a server, if it has one; without it, clients use the workspace directory. */
final class ServeFrontend implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  private final ServeSettings settings;
  private final @Nullable AccessLogFile access;
  private final @Nullable HttpApi api;
  private boolean closed;

  private ServeFrontend(
      ServeSettings settings, @Nullable AccessLogFile access, @Nullable HttpApi api) {
    this.settings = settings;
    this.access = access;
    this.api = api;
  }

  static ServeFrontend of(ServeSettings settings, JobStore store) {
    ServeHttpSettings http = settings.http();
    if (http == null) {
      return new ServeFrontend(settings, null, null);
    }
    HttpSettings at = http.anyFreePort() ? free(http.settings()) : http.settings();
    if (at.otlp() != null) {
      OpenTelemetryLogging.silence();
    }
    AccessLogFile access = AccessLogFile.open(http.accessLog());
    HttpSettings logged = access == null ? at : at.withAccessLog(access);
    return new ServeFrontend(settings, access, HttpApi.over(store, logged, http.hooks()));
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

  /**
   * Starts to listen, before models are loaded: that takes long, and this may fail.
   *
   * @return the address; null without HTTP
   */
  @Nullable String open(StartupPhase phase) {
    if (api == null) {
      return null;
    }
    try {
      return api.open(settings.workers().types(), settings.workers().modelNames(), phase::present)
          .toString();
    } catch (IllegalArgumentException e) {
      throw new CommandException(option(e) + e.getMessage());
    }
  }

  /** The option that is to blame if the address cannot be used; else empty. */
  private String option(IllegalArgumentException problem) {
    ServeHttpSettings http = settings.http();
    if (http == null || !(problem.getCause() instanceof BindException taken)) {
      return "";
    }
    boolean port = String.valueOf(taken.getMessage()).contains("in use");
    Option option = port ? HttpOptions.PORT : HttpOptions.BIND;
    Object value = port ? http.settings().port() : http.settings().host();
    return option.shown() + " " + value + ": ";
  }

  /** Adds the server, once its models are loaded. */
  void attach(Server server, @Nullable Inference inference) {
    if (api != null) {
      api.attach(server, inference);
    }
  }

  /** Requests that are being answered now. Thread-safe. */
  int running() {
    return api == null ? 0 : api.running();
  }

  /** Requests that closing has ended before they were answered. */
  int unanswered() {
    return api == null ? 0 : api.unanswered();
  }

  /** Opens the access log again; false if there is none in a file. */
  boolean reopenLog() {
    return access != null && access.reopen();
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (api != null) {
      api.close(GracefulShutdown.requestGrace(settings.stopTimeout()));
    }
    if (access != null) {
      access.close();
    }
  }
}
