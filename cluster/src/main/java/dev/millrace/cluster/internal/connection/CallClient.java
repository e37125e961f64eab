package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.ConnectionDialer.Dialed;
import dev.millrace.cluster.internal.text.DisplayText;
import dev.millrace.engine.numerics.SupportedNumerics;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes calls: a question and its answer over a connection of their own. */
public final class CallClient {
  private CallClient() {}

  /**
   * Calls the node at an address.
   *
   * @param timeout for connecting, for the handshake, and for each read or write
   * @throws ClusterException {@link ClusterException#refused} if the other side refuses us
   */
  public static <T> T call(
      NodeIdentity identity, HostPort at, String call, Duration timeout, CallExchange<T> exchange) {
    return call(identity, null, at, call, timeout, exchange);
  }

  public static <T> T call(
      NodeIdentity identity,
      @Nullable HostPort listening,
      HostPort at,
      String call,
      Duration timeout,
      CallExchange<T> exchange) {
    Hello hello =
        new Hello(
            identity.name(),
            identity.incarnation(),
            SupportedNumerics.CURRENT.common(),
            Hello.Purpose.CALL,
            call,
            listening);
    Dialed dialed = new ConnectionDialer(identity, timeout).dial(at, hello);
    try (CallStreams streams = new CallStreams(dialed.connection(), timeout)) {
      T answer = exchange.exchange(streams.in(), streams.out());
      streams.out().flush();
      return answer;
    } catch (EOFException e) {
      throw new ClusterException("%s ended the call \"%s\" early".formatted(at, call), e);
    } catch (SocketTimeoutException e) {
      throw new ClusterException(
          "%s sent nothing in the call \"%s\" for %s"
              .formatted(at, call, DisplayText.seconds(timeout)),
          e);
    } catch (IOException e) {
      throw new ClusterException(
          "the call \"%s\" to %s: %s".formatted(call, at, WireErrors.linkLossReason(e, timeout)),
          e);
    }
  }
}
