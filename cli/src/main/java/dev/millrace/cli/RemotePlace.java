package dev.millrace.cli;

import dev.millrace.cli.args.UsageException;
import dev.millrace.client.ApiException;
import dev.millrace.client.ClientException;
import dev.millrace.client.MillraceClient;
import dev.millrace.client.Remote;
import dev.millrace.core.Work;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.Owner;
import dev.millrace.store.fs.Workspace;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * The jobs of a server, over HTTP. The only class here that knows the client: who works on a
 * directory does not wait for it to be loaded.
 */
final class RemotePlace implements Place {
  static final String KEY = "MILLRACE_API_KEY";

  /** Each look is a few requests; a change ends the wait before the next. */
  private static final Duration ROUND = Duration.ofSeconds(1);

  private final String name;
  private final MillraceClient client;
  private final Remote remote;

  private RemotePlace(String name, MillraceClient client) {
    this.name = name;
    this.client = client;
    this.remote = new Remote(client);
  }

  static Place at(Shell shell, String url) {
    try {
      MillraceClient client = MillraceClient.builder(new URI(url)).key(shell.variable(KEY)).build();
      return new RemotePlace(url, client);
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
  public Reading reading() {
    return remote;
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return pull(cause, () -> client.jobs().pause(EntityId.of(id).uuid()));
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return pull(cause, () -> client.jobs().resume(EntityId.of(id).uuid()));
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return pull(cause, () -> client.jobs().abort(EntityId.of(id).uuid()));
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return pull(cause, () -> client.stages().approve(EntityId.of(id, stage).uuid()));
  }

  private static Answer pull(Cause cause, Runnable lever) {
    if (cause.comment() != null) {
      throw new UsageException("--comment cannot be sent over HTTP: the API has no field for it");
    }
    try {
      lever.run();
      return Answer.DONE;
    } catch (ApiException e) {
      return switch (e.status()) {
        case 404 -> new Answer.Missing(e.text());
        case 400, 409 -> new Answer.Refused(e.text());
        default -> throw new StoreException(e.getMessage(), e);
      };
    } catch (ClientException e) {
      throw new StoreException(e.getMessage(), e);
    }
  }

  /** Somebody answers; the API does not tell who works. */
  @Override
  public Owner owner() {
    return new Owner(true, true, OptionalLong.empty(), JsonObject.create());
  }

  @Override
  public JobDirectory directory(JobId id) {
    return JobDirectory.NONE;
  }

  @Override
  public boolean drafts() {
    return false;
  }

  @Override
  public Duration round() {
    return ROUND;
  }

  @Override
  public Workspace workspace(String command) {
    throw new Refusal(
        "\""
            + command
            + "\" works on a workspace's directory, not over HTTP; run it where the server runs");
  }

  @Override
  public void close() {
    remote.close();
  }
}
