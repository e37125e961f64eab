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

/** No answer came: the server was not reached, or the connection broke. */
public final class NetworkException extends ClientException {
  private static final long serialVersionUID = 1L;

  /** What happened to the request. */
  public enum Kind {
    CONNECTION_REFUSED,
    TIMEOUT,
    /** The calling thread was interrupted; its flag is set again. */
    REQUEST_CANCELLED,
    /** The connection ended in the middle. */
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

  public static NetworkException of(String what, Throwable cause) {
    Throwable root = cause;
    for (Throwable at = cause; at != null; at = at.getCause()) {
      root = at;
      NetworkException known = known(what, at, cause);
      if (known != null) {
        return known;
      }
    }
    boolean broken = cause instanceof IOException;
    return make(
        broken ? Kind.REQUEST_ABORTED : Kind.UNKNOWN,
        false,
        what + ": " + (broken ? "the connection broke" : "failed") + " (" + words(root) + ")",
        cause);
  }

  private static @Nullable NetworkException known(String what, Throwable at, Throwable cause) {
    return switch (at) {
      case InterruptedException e ->
          make(Kind.REQUEST_CANCELLED, false, what + ": interrupted", cause);
      case CancellationException e ->
          make(Kind.REQUEST_CANCELLED, false, what + ": cancelled", cause);
      case HttpConnectTimeoutException e ->
          make(Kind.TIMEOUT, true, what + ": no connection in time", cause);
      case HttpTimeoutException e -> make(Kind.TIMEOUT, false, what + ": no answer in time", cause);
      case UnknownHostException e -> unknownHost(what, cause);
      case UnresolvedAddressException e -> unknownHost(what, cause);
      case NoRouteToHostException e ->
          make(Kind.HOST_UNREACHABLE, true, what + ": host unreachable", cause);
      case ConnectException e when e.getCause() == null || !unresolved(e) ->
          connect(what, e, cause);
      case SSLException e ->
          make(Kind.SSL_ERROR, e instanceof SSLHandshakeException, what + ": " + words(e), cause);
      default -> null;
    };
  }

  private static NetworkException unknownHost(String what, Throwable cause) {
    return make(Kind.DNS_RESOLUTION_FAILED, true, what + ": the host's name is not known", cause);
  }

  private static boolean unresolved(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof UnresolvedAddressException || at instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static NetworkException connect(String what, ConnectException e, Throwable cause) {
    boolean unreachable = words(e).toLowerCase(Locale.ROOT).contains("unreachable");
    return unreachable
        ? make(Kind.HOST_UNREACHABLE, true, what + ": host unreachable", cause)
        : make(Kind.CONNECTION_REFUSED, true, what + ": connection refused", cause);
  }

  private static NetworkException make(Kind kind, boolean unsent, String message, Throwable cause) {
    return new NetworkException(kind, unsent, message, cause);
  }

  private static String words(Throwable e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  public Kind kind() {
    return kind;
  }

  @Override
  public String code() {
    return "NETWORK_" + kind;
  }

  /** Whether the server cannot have seen the request, so that anything may be tried again. */
  public boolean isUnsent() {
    return unsent;
  }

  /** Whether another try could help at all. */
  public boolean isTransient() {
    return kind != Kind.REQUEST_CANCELLED && kind != Kind.SSL_ERROR;
  }
}
