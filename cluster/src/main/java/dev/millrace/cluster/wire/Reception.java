package dev.millrace.cluster.wire;

import dev.millrace.cluster.wire.Greeting.Welcome;
import dev.millrace.cluster.wire.Hello.Purpose;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Judges those who greeted us, and brings them to their link or their call. */
final class Reception implements Listener.Host {
  private static final System.Logger LOG = System.getLogger("dev.millrace.cluster");

  /** Takes links in. */
  interface Links {
    /** Whether a later life of that node is known. */
    boolean isOver(Hello hello);

    /** Whether there is room for a link with that node. */
    boolean hasRoom(Hello hello);

    void take(Hello hello, Connection connection) throws IOException;
  }

  private final Identity us;
  private final WireSettings settings;
  private final Doorman doorman;
  private final Links links;
  private final Map<String, CallHandler> handlers = new ConcurrentHashMap<>();
  private final Semaphore calls;

  Reception(Identity us, WireSettings settings, Doorman doorman, Links links) {
    this.us = us;
    this.settings = settings;
    this.doorman = doorman;
    this.links = links;
    this.calls = new Semaphore(settings.calls());
  }

  void answer(String call, CallHandler handler) {
    handlers.put(call, handler);
  }

  @Override
  public Welcome judge(Hello hello, Connection connection) throws IOException {
    String why = why(hello, connection);
    if (why != null) {
      return Welcome.refused(why);
    }
    if (hello.purpose() == Purpose.LINK && !links.hasRoom(hello)) {
      return Welcome.notNow(
          "%d nodes are linked with this one, and more cannot be; try again later"
              .formatted(settings.links()));
    }
    if (hello.purpose() == Purpose.CALL && !handlers.containsKey(hello.call())) {
      return Welcome.notNow(
          "nobody answers the call \"%s\" here (yet)".formatted(Words.said(hello.call())));
    }
    if (hello.purpose() == Purpose.CALL && !calls.tryAcquire()) {
      return Welcome.notNow(
          "%d calls are answered here at the same time, and all are taken; try again later"
              .formatted(settings.calls()));
    }
    return Welcome.to(us);
  }

  private @Nullable String why(Hello hello, Connection connection) throws IOException {
    String name = hello.name();
    if (name.isEmpty()) {
      return hello.purpose() == Purpose.CALL && hello.call().equals(Protocol.STATE_CALL)
          ? null
          : "a name is needed for anything but the call \"%s\"".formatted(Protocol.STATE_CALL);
    }
    if (!Protocol.isName(name)) {
      return "\"%s\" is no name of a node: 1 to 64 of A-Z a-z 0-9 . _ -"
          .formatted(Words.said(name));
    }
    if (us.namesFromCertificates() && !CertificateNames.of(connection.peer()).contains(name)) {
      return ("your certificate is not for \"%s\": name your node as its certificate "
              + "says (common name or DNS name)")
          .formatted(name);
    }
    if (hello.purpose() == Purpose.LINK && name.equals(us.name())) {
      return "this node itself has the name \"%s\"".formatted(name);
    }
    if (hello.purpose() == Purpose.LINK && links.isOver(hello)) {
      return "a later node has the name \"%s\": give this one another name".formatted(name);
    }
    return doorman.refuse(hello);
  }

  @Override
  public void serve(Hello hello, Connection connection) throws IOException {
    if (hello.purpose() == Purpose.LINK) {
      try {
        links.take(hello, connection);
      } catch (IOException | RuntimeException e) {
        connection.cut();
        throw e;
      }
    } else {
      answer(hello, connection);
    }
  }

  private void answer(Hello hello, Connection connection) throws IOException {
    CallHandler handler = handlers.get(hello.call());
    try (Conversation conversation = new Conversation(connection, settings.callPatience())) {
      if (handler != null) {
        handler.answer(hello.name(), conversation.in(), conversation.out());
        conversation.out().flush();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "the call \"" + hello.call() + "\" ended early", e);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "the call \"" + hello.call() + "\" could not be answered", e);
    } finally {
      calls.release();
    }
  }

  @Override
  public void gone(Hello hello) {
    if (hello.purpose() == Purpose.CALL) {
      calls.release();
    }
  }
}
