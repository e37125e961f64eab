package dev.millrace.client.internal.transport;

import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the worker package the transport of a client, without a public method on {@code
 * MillraceClient} that would show this internal package to users.
 */
public final class TransportAccess {
  private static volatile @Nullable Function<Object, ApiTransport> reader;

  private TransportAccess() {}

  /** Called once, when the class of the client is initialized. */
  public static void register(Function<Object, ApiTransport> transportOfClient) {
    reader = transportOfClient;
  }

  /**
   * @param client a {@code MillraceClient}
   */
  public static ApiTransport of(Object client) {
    return Objects.requireNonNull(reader, "no client class is loaded").apply(client);
  }
}
