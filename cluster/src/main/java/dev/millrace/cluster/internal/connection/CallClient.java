package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.internal.text.PeerText;
import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.internal.connection.ConnectionDialer.Dialled;
import dev.millrace.engine.NumericsVersion;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls of those who listen nowhere themselves: commands of a user, and nodes that join. */
public final class CallClient {
  private CallClient() {}

  /**
   * Asks the node at that address something over a connection of its own.
   *
   * @param patience how long connecting, the handshake, and any one read or write may take
   * @throws ClusterException in words; {@link ClusterException#refused} where the other side is
   *     there and will not have us
   */
  public static <T> T call(
      NodeIdentity identity,
      HostPort at,
      String call,
      Duration patience,
      CallExchange<T> exchange) {
    return call(identity, null, at, call, patience, exchange);
  }

  public static <T> T call(
      NodeIdentity identity,
      @Nullable HostPort listening,
      HostPort at,
      String call,
      Duration patience,
      CallExchange<T> exchange) {
    Hello hello =
        new Hello(
            identity.name(),
            identity.incarnation(),
            NumericsVersion.CURRENT,
            Hello.Purpose.CALL,
            call,
            listening);
    Dialled dialled = new ConnectionDialer(identity, patience).dial(at, hello);
    try (CallStreams conversation = new CallStreams(dialled.connection(), patience)) {
      T answer = exchange.exchange(conversation.in(), conversation.out());
      conversation.out().flush();
      return answer;
    } catch (EOFException e) {
      throw new ClusterException("%s broke off the call \"%s\"".formatted(at, call), e);
    } catch (SocketTimeoutException e) {
      throw new ClusterException(
          "%s did not go on with the call \"%s\" for %s"
              .formatted(at, call, PeerText.seconds(patience)),
          e);
    } catch (IOException e) {
      throw new ClusterException(
          "the call \"%s\" to %s: %s".formatted(call, at, WireErrors.linkLossReason(e, patience)),
          e);
    }
  }
}
