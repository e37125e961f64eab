package dev.millrace.client.error;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** No answer came: the server could not be reached, or the connection broke. */
public final class NetworkException extends ClientException {
  private static final long serialVersionUID = 1L;

  /** The kind of failure. */
  public enum Kind {
    CONNECTION_REFUSED,
    TIMEOUT,
    /** The calling thread was interrupted; its interrupt flag stays set. */
    REQUEST_CANCELLED,
    /** The connection broke before the end of the answer. */
    REQUEST_ABORTED,
    HOST_UNREACHABLE,
    DNS_RESOLUTION_FAILED,
    SSL_ERROR,
    UNKNOWN
  }

  private final Kind kind;
  private final boolean unsent;

  private NetworkException(Kind kind, boolean unsent, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.unsent = unsent;
  }

  /**
   * @param request the request, for the message
   */
  public static NetworkException of(String request, Throwable cause) {
    Throwable root = cause;
    for (Throwable at = cause; at != null; at = at.getCause()) {
      root = at;
      NetworkException known = known(request, at, cause);
      if (known != null) {
        return known;
      }
    }
    boolean broken = cause instanceof IOException;
    return make(
        broken ? Kind.REQUEST_ABORTED : Kind.UNKNOWN,
        false,
        request + ": " + (broken ? "the connection broke" : "failed") + " (" + message(root) + ")",
        cause);
  }

  private static @Nullable NetworkException known(String request, Throwable at, Throwable cause) {
    return switch (at) {
      case InterruptedException e ->
          make(Kind.REQUEST_CANCELLED, false, request + ": interrupted", cause);
      case CancellationException e ->
          make(Kind.REQUEST_CANCELLED, false, request + ": cancelled", cause);
      case HttpConnectTimeoutException e ->
          make(Kind.TIMEOUT, true, request + ": connect timeout", cause);
      case HttpTimeoutException e ->
          make(Kind.TIMEOUT, false, request + ": no answer in time", cause);
      case UnknownHostException e -> unknownHost(request, cause);
      case UnresolvedAddressException e -> unknownHost(request, cause);
      case NoRouteToHostException e ->
          make(Kind.HOST_UNREACHABLE, true, request + ": host unreachable", cause);
      case ConnectException e when e.getCause() == null || !unresolved(e) ->
          connect(request, e, cause);
      case SSLException e ->
          make(
              Kind.SSL_ERROR,
              e instanceof SSLHandshakeException,
              request + ": " + message(e),
              cause);
      default -> null;
    };
  }

  private static NetworkException unknownHost(String request, Throwable cause) {
    return make(Kind.DNS_RESOLUTION_FAILED, true, request + ": unknown host name", cause);
  }

  private static boolean unresolved(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof UnresolvedAddressException || at instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static NetworkException connect(String request, ConnectException e, Throwable cause) {
    boolean unreachable = message(e).toLowerCase(Locale.ROOT).contains("unreachable");
    return unreachable
        ? make(Kind.HOST_UNREACHABLE, true, request + ": host unreachable", cause)
        : make(Kind.CONNECTION_REFUSED, true, request + ": connection refused", cause);
  }

  private static NetworkException make(Kind kind, boolean unsent, String message, Throwable cause) {
    return new NetworkException(kind, unsent, message, cause);
  }

  private static String message(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  /** The same failure, with what to do about it in its message. */
  public NetworkException withAdvice(String advice) {
    return make(kind, unsent, getMessage() + "; " + advice, this);
  }

  public Kind kind() {
    return kind;
  }

  @Override
  public String code() {
    return "NETWORK_" + kind;
  }

  /** Whether the server cannot have received the request, so that a retry is always safe. */
  public boolean isUnsent() {
    return unsent;
  }

  /** Whether a retry may succeed. */
  public boolean isTransient() {
    return kind != Kind.REQUEST_CANCELLED && kind != Kind.SSL_ERROR;
  }
}
