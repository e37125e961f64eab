package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.ClusterException;
import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.HostPort;
import dev.millrace.cluster.OtherNetworkKeyException;
import dev.millrace.cluster.internal.text.DisplayText;
import java.io.EOFException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import javax.crypto.AEADBadTagException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Turns network errors into texts that say what to do. */
public final class WireErrors {
  /** A node that closes sends a reason; this one did not. */
  public static final String NO_GOODBYE =
      "the connection ended without a goodbye: its process died, or the network broke";

  private static final String ALERT = "Received fatal alert: ";

  private WireErrors() {}

  /** How far dialing got. */
  enum Stage {
    CONNECT,
    HANDSHAKE,
    GREETING
  }

  /** Why dialing {@code at} failed. */
  static ClusterException dialFailure(HostPort at, Stage stage, Exception e) {
    if (has(e, OtherNetworkKeyException.class)) {
      return otherKey(at, "we refused it", e);
    }
    String alert = alert(e);
    if (alert != null) {
      return alerted(at, alert, e);
    }
    if (expired(e)) {
      return ClusterException.refused(at + ": its certificate has expired; renew it there", e);
    }
    if (has(e, CertificateException.class)) {
      return otherKey(at, "we refused it", e);
    }
    if (e instanceof ProtocolException) {
      return ClusterException.refused(
          "%s: %s; give the address that a node listens on".formatted(at, DisplayText.messageOf(e)),
          e);
    }
    return new ClusterException(at + (stage == Stage.CONNECT ? connecting(e) : ended(stage, e)), e);
  }

  /** The dialed side did not answer in time. */
  static ClusterException dialTimeout(HostPort at, Duration time, Exception e) {
    return new ClusterException(
        ("%s accepted the connection and did not answer in %s: it is frozen or overloaded, "
                + "or not a Millrace node")
            .formatted(at, DisplayText.seconds(time)),
        e);
  }

  static ClusterException otherVersion(HostPort at, int theirs) {
    return ClusterException.refused(
        "%s speaks version %d, we speak %d: run the same release of Millrace on all nodes"
            .formatted(at, theirs, ClusterProtocol.VERSION),
        null);
  }

  private static ClusterException otherKey(HostPort at, String who, Exception e) {
    return ClusterException.refused(
        ("%s has another network key (or certificate): %s; use that network's key: its key file, "
                + "or its network_key")
            .formatted(at, who),
        e);
  }

  private static ClusterException alerted(HostPort at, String alert, Exception e) {
    if (alert.equals("certificate_expired")) {
      return ClusterException.refused(at + " says that our certificate has expired: renew it", e);
    }
    if (alert.contains("certificate") || alert.equals("unknown_ca")) {
      return otherKey(at, "it refused us", e);
    }
    if (alert.equals("protocol_version") || alert.equals("handshake_failure")) {
      return ClusterException.refused(
          at + " does not accept TLS 1.3 as Millrace nodes do: give the address of a node", e);
    }
    return new ClusterException(
        "%s ended the handshake (%s): something between us changes what is sent"
            .formatted(at, alert),
        e);
  }

  private static String connecting(Exception e) {
    return switch (e) {
      case UnknownHostException _ -> ": the name of the host is not known; check the address";
      case SocketTimeoutException _ ->
          " does not answer: check the address, that the machine runs, and its firewall";
      case NoRouteToHostException _ -> ": there is no route to it; check the address";
      case ConnectException c when DisplayText.messageOf(c).contains("refused") ->
          ": nothing listens there; check the address and that the node runs";
      default -> ": " + DisplayText.messageOf(e);
    };
  }

  private static String ended(Stage stage, Exception e) {
    if (DisplayText.messageOf(e).contains("Unsupported or unrecognized SSL message")) {
      return " does not speak TLS: it is not a Millrace node; give the address that "
          + "a node listens on";
    }
    return stage == Stage.HANDSHAKE
        ? (" ended the connection in the TLS handshake: it closes or is overloaded, or "
                + "is not a node (%s)")
            .formatted(DisplayText.messageOf(e))
        : " ended the connection before its hello: it starts, closes or is overloaded (%s)"
            .formatted(DisplayText.messageOf(e));
  }

  /** Why a link ended, as a sentence about the other side. */
  public static String linkLossReason(Throwable e, Duration timeout) {
    return switch (e) {
      case ProtocolException p -> "it broke the protocol: " + DisplayText.messageOf(p);
      case SocketTimeoutException _ -> "it was silent for " + DisplayText.seconds(timeout);
      case EOFException _ -> NO_GOODBYE;
      case SSLException s
          when has(s, AEADBadTagException.class)
              || DisplayText.messageOf(s).contains("bad_record") ->
          "bytes were changed on the way (" + DisplayText.messageOf(s) + ")";
      case SSLException s when has(s, EOFException.class) -> NO_GOODBYE;
      case SSLException s when has(s, SocketException.class) ->
          "the connection broke: " + DisplayText.messageOf(s);
      case SSLException s -> "TLS failed: " + DisplayText.messageOf(s);
      default -> "the connection broke: " + DisplayText.messageOf(e);
    };
  }

  /** Why an inbound connection was refused, for the log. */
  static String inboundRefusalReason(Exception e) {
    String alert = alert(e);
    if (has(e, OtherNetworkKeyException.class)
        || has(e, CertificateException.class)
        || (alert != null && alert.contains("certificate"))
        || DisplayText.messageOf(e).contains("Empty client certificate chain")) {
      return "it has another network key (or certificate), or none";
    }
    if (DisplayText.messageOf(e).contains("Unsupported or unrecognized SSL message")) {
      return "it does not speak TLS";
    }
    return e instanceof SocketException || e instanceof EOFException || has(e, EOFException.class)
        ? "it ended before its hello, or was dropped for newer connections"
        : DisplayText.messageOf(e);
  }

  private static @Nullable String alert(Throwable e) {
    String message = DisplayText.messageOf(e);
    int at = message.indexOf(ALERT);
    return at < 0 ? null : message.substring(at + ALERT.length());
  }

  private static boolean expired(Throwable e) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof CertificateExpiredException
          || (t instanceof CertPathValidatorException path
              && path.getReason() == BasicReason.EXPIRED)) {
        return true;
      }
    }
    return false;
  }

  private static boolean has(Throwable e, Class<? extends Throwable> type) {
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (type.isInstance(t)) {
        return true;
      }
    }
    return false;
  }
}
