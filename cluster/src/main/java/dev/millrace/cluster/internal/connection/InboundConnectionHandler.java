package dev.millrace.cluster.internal.connection;

import dev.millrace.cluster.ClusterProtocol;
import dev.millrace.cluster.internal.connection.Hello.Purpose;
import dev.millrace.cluster.internal.connection.HelloProtocol.Welcome;
import dev.millrace.cluster.internal.text.DisplayText;
import dev.millrace.tls.CertificateNames;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Admits or refuses connections after their hello, and turns them into links or calls. */
public final class InboundConnectionHandler implements ConnectionListener.Handler {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Accepts links. */
  public interface LinkHost {
    /** Whether a newer incarnation of that node is known. */
    boolean hasLaterIncarnation(Hello hello);

    /** Whether there is room for a link with that node. */
    boolean hasRoom(Hello hello);

    void accept(Hello hello, TlsConnection connection) throws IOException;
  }

  private final NodeIdentity identity;
  private final ConnectionSettings settings;
  private final AdmissionPolicy policy;
  private final LinkHost links;
  private final Map<String, CallHandler> handlers = new ConcurrentHashMap<>();
  private final Semaphore calls;

  public InboundConnectionHandler(
      NodeIdentity identity, ConnectionSettings settings, AdmissionPolicy policy, LinkHost links) {
    this.identity = identity;
    this.settings = settings;
    this.policy = policy;
    this.links = links;
    this.calls = new Semaphore(settings.maxCalls());
  }

  public void addCallHandler(String call, CallHandler handler) {
    handlers.put(call, handler);
  }

  @Override
  public Welcome judge(Hello hello, TlsConnection connection) throws IOException {
    String reason = reason(hello, connection);
    if (reason != null) {
      return Welcome.refused(reason);
    }
    if (hello.purpose() == Purpose.LINK && !links.hasRoom(hello)) {
      return Welcome.notNow(
          "%d nodes are linked with this one, which is the limit; try again later"
              .formatted(settings.maxLinks()));
    }
    if (hello.purpose() == Purpose.CALL && !handlers.containsKey(hello.call())) {
      return Welcome.notNow(
          "this node does not answer the call \"%s\" (yet)"
              .formatted(DisplayText.sanitized(hello.call())));
    }
    if (hello.purpose() == Purpose.CALL && !calls.tryAcquire()) {
      return Welcome.notNow(
          "%d calls are being answered, which is the limit; try again later"
              .formatted(settings.maxCalls()));
    }
    return Welcome.to(identity);
  }

  private @Nullable String reason(Hello hello, TlsConnection connection) throws IOException {
    String name = hello.name();
    if (name.isEmpty()) {
      return hello.purpose() == Purpose.CALL && hello.call().equals(ClusterProtocol.STATE_CALL)
          ? null
          : "a name is needed for anything but the call \"%s\""
              .formatted(ClusterProtocol.STATE_CALL);
    }
    if (!ClusterProtocol.isName(name)) {
      return "\"%s\" is no name of a node: 1 to 64 of A-Z a-z 0-9 . _ -"
          .formatted(DisplayText.sanitized(name));
    }
    if (identity.namesFromCertificates()
        && !CertificateNames.of(connection.peerCertificate()).contains(name)) {
      return ("your certificate is not for \"%s\": name your node as its certificate "
              + "says (common name or DNS name)")
          .formatted(name);
    }
    if (hello.purpose() == Purpose.LINK && name.equals(identity.name())) {
      return "this node itself has the name \"%s\"".formatted(name);
    }
    if (hello.purpose() == Purpose.LINK && links.hasLaterIncarnation(hello)) {
      return "a newer node has the name \"%s\": give this one another name".formatted(name);
    }
    return policy.refusalReason(hello);
  }

  @Override
  public void serve(Hello hello, TlsConnection connection) throws IOException {
    if (hello.purpose() == Purpose.LINK) {
      try {
        links.accept(hello, connection);
      } catch (IOException | RuntimeException e) {
        connection.closeNow();
        throw e;
      }
    } else {
      addCallHandler(hello, connection);
    }
  }

  private void addCallHandler(Hello hello, TlsConnection connection) throws IOException {
    CallHandler handler = handlers.get(hello.call());
    try (CallStreams streams = new CallStreams(connection, settings.callTimeout())) {
      if (handler != null) {
        handler.answer(hello.name(), streams.in(), streams.out());
        streams.out().flush();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "the call \"" + hello.call() + "\" ended early", e);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "answering the call \"" + hello.call() + "\" failed", e);
    } finally {
      calls.release();
    }
  }

  @Override
  public void abandoned(Hello hello) {
    if (hello.purpose() == Purpose.CALL) {
      calls.release();
    }
  }
}
