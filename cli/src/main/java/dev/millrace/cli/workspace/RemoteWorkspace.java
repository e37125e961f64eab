package dev.millrace.cli.workspace;

import dev.millrace.cli.args.UsageException;
import dev.millrace.cli.command.CommandException;
import dev.millrace.cli.command.Shell;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.Remote;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.core.Work;
import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.OwnerStatus;
import dev.millrace.store.fs.Workspace;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * The jobs of a server, over HTTP. No other class uses the HTTP client, so that commands on a
 * directory start without loading it.
 */
final class RemoteWorkspace implements WorkspaceAccess {
  static final String KEY = "MILLRACE_API_KEY";

  /** Each poll takes a few requests; a change ends the wait for the next one. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  private final String name;
  private final MillraceClient client;
  private final Remote remote;

  private RemoteWorkspace(String name, MillraceClient client) {
    this.name = name;
    this.client = client;
    this.remote = new Remote(client);
  }

  static WorkspaceAccess at(Shell shell, String url) {
    try {
      MillraceClient client = MillraceClient.builder(new URI(url)).key(shell.variable(KEY)).build();
      return new RemoteWorkspace(url, client);
    } catch (URISyntaxException e) {
      throw new UsageException("\"" + url + "\" is not a URL: " + e.getReason());
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Work work() {
    return remote.work();
  }

  @Override
  public JobReader reader() {
    return remote;
  }

  @Override
  public Outcome pause(JobId id, Cause cause) {
    return apply(cause, () -> client.jobs().pause(EntityId.of(id).uuid()));
  }

  @Override
  public Outcome resume(JobId id, Cause cause) {
    return apply(cause, () -> client.jobs().resume(EntityId.of(id).uuid()));
  }

  @Override
  public Outcome abort(JobId id, Cause cause) {
    return apply(cause, () -> client.jobs().abort(EntityId.of(id).uuid()));
  }

  @Override
  public Outcome approve(JobId id, int stage, Cause cause) {
    return apply(cause, () -> client.stages().approve(EntityId.of(id, stage).uuid()));
  }

  private static Outcome apply(Cause cause, Runnable lever) {
    if (cause.comment() != null) {
      throw new UsageException("--comment cannot be sent over HTTP: the API has no field for it");
    }
    try {
      lever.run();
      return Outcome.DONE;
    } catch (ApiException e) {
      return switch (e.status()) {
        case 404 -> new Outcome.Missing(e.text());
        case 400, 409 -> new Outcome.Refused(e.text());
        default -> throw new StoreException(e.getMessage(), e);
      };
    } catch (ClientException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  /** The server answers, but the API does not say which process owns the workspace. */
  @Override
  public OwnerStatus owner() {
    return new OwnerStatus(true, true, OptionalLong.empty(), JsonObject.create());
  }

  @Override
  public JobArtifacts artifacts(JobId id) {
    return JobArtifacts.NONE;
  }

  @Override
  public boolean showsDrafts() {
    return false;
  }

  @Override
  public Duration pollInterval() {
    return ROUND;
  }

  @Override
  public Workspace requireWorkspace(String command) {
    throw new CommandException(
        "\""
            + command
            + "\" works on a workspace's directory, not over HTTP; run it where the server runs");
  }

  @Override
  public void close() {
    remote.close();
  }
}
