package dev.millrace.cluster.wire;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.wire.Dialler.Dialled;
import dev.millrace.engine.Numerics;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Calls of those who listen nowhere themselves: commands of a user, and nodes that join. */
public final class Calls {
  private Calls() {}

  /**
   * Asks the node at that address something over a connection of its own.
   *
   * @param patience how long connecting, the handshake, and any one read or write may take
   * @throws ClusterException in words; {@link ClusterException#refused} where the other side is
   *     there and will not have us
   */
  public static <T> T call(
      Identity identity, HostPort at, String call, Duration patience, Exchange<T> exchange) {
    return call(identity, null, at, call, patience, exchange);
  }

  static <T> T call(
      Identity identity,
      @Nullable HostPort listening,
      HostPort at,
      String call,
      Duration patience,
      Exchange<T> exchange) {
    Hello hello =
        new Hello(
            identity.name(),
            identity.incarnation(),
            Numerics.VERSION,
            Hello.Purpose.CALL,
            call,
            listening);
    Dialled dialled = new Dialler(identity, patience).dial(at, hello);
    try (Conversation conversation = new Conversation(dialled.connection(), patience)) {
      T answer = exchange.talk(conversation.in(), conversation.out());
      conversation.out().flush();
      return answer;
    } catch (EOFException e) {
      throw new ClusterException("%s broke off the call \"%s\"".formatted(at, call), e);
    } catch (SocketTimeoutException e) {
      throw new ClusterException(
          "%s did not go on with the call \"%s\" for %s"
              .formatted(at, call, Words.seconds(patience)),
          e);
    } catch (IOException e) {
      throw new ClusterException(
          "the call \"%s\" to %s: %s".formatted(call, at, Words.lost(e, patience)), e);
    }
  }
}
