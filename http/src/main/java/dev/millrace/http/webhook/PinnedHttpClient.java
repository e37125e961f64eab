package dev.millrace.http.webhook;

import dev.millrace.core.internal.thread.MonitoredThreads;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Sends POST requests over HTTP/1.1 to a given IP address, one connection per request. {@code
 * java.net.http} would look up the host again and might call another address than the one checked.
 * Follows no redirects. The timeout limits the whole request. Thread-safe.
 */
final class PinnedHttpClient implements AutoCloseable {
  private static final int MAX_HEAD = 16 << 10;
  private static final int MAX_BODY = 64 << 10;
  private static final int MAX_INTERIM = 5;

  /** How long to wait for the rest of a response; only its status counts. */
  private static final Duration DRAIN_TIMEOUT = Duration.ofMillis(500);

  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-5]\\d\\d)(?: .*)?");
  private static final Pattern LENGTH = Pattern.compile("content-length:\\s*(\\d{1,18})\\s*");

  private final Duration timeout;
  private final SSLSocketFactory tls;
  private final ScheduledThreadPoolExecutor timer;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  PinnedHttpClient(Duration timeout, SSLSocketFactory tls) {
    this.timeout = timeout;
    this.tls = tls;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, MonitoredThreads.service("millrace-hook-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
  }

  /**
   * Sends a request and returns the status of the response.
   *
   * @throws IOException if there is no response; the message says why
   */
  int post(ResolvedTarget target, Map<String, String> fields, byte[] body) throws IOException {
    AtomicBoolean timedOut = new AtomicBoolean();
    try (Socket socket = new Socket(Proxy.NO_PROXY)) {
      open.add(socket);
      if (closed) {
        throw new IOException("the server is stopping");
      }
      ScheduledFuture<?> timeoutTask =
          timer.schedule(
              () -> {
                timedOut.set(true);
                closeQuietly(socket);
              },
              timeout.toNanos(),
              TimeUnit.NANOSECONDS);
      try {
        return exchange(socket, target, fields, body);
      } finally {
        timeoutTask.cancel(false);
        open.remove(socket);
      }
    } catch (IOException e) {
      throw timedOut.get()
          ? new IOException("no response within " + timeout.toMillis() + " ms", e)
          : e;
    }
  }

  private int exchange(
      Socket socket, ResolvedTarget target, Map<String, String> fields, byte[] body)
      throws IOException {
    socket.setTcpNoDelay(true);
    socket.connect(new InetSocketAddress(target.address(), target.port()));
    Socket secured = target.tls() ? secure(socket, target) : socket;
    OutputStream out = secured.getOutputStream();
    byte[] head = head(target, fields, body.length).getBytes(StandardCharsets.ISO_8859_1);
    ByteArrayOutputStream all = new ByteArrayOutputStream(head.length + body.length);
    all.writeBytes(head);
    all.writeBytes(body);
    out.write(all.toByteArray());
    out.flush();
    InputStream in = secured.getInputStream();
    for (int i = 0; i <= MAX_INTERIM; i++) {
      String response = readHead(in);
      int status = status(response);
      if (status >= 200) {
        drain(secured, in, response);
        return status;
      }
    }
    throw new IOException("it sends only interim responses");
  }

  private Socket secure(Socket socket, ResolvedTarget target) throws IOException {
    SSLSocket secured = (SSLSocket) tls.createSocket(socket, target.host(), target.port(), true);
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    secured.setSSLParameters(parameters);
    secured.startHandshake();
    return secured;
  }

  private static String head(ResolvedTarget target, Map<String, String> fields, int length) {
    StringBuilder head =
        new StringBuilder("POST ").append(target.path()).append(" HTTP/1.1\r\nHost: ");
    head.append(target.authority()).append("\r\nConnection: close\r\nContent-Length: ");
    head.append(length).append("\r\n");
    fields.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    return head.append("\r\n").toString();
  }

  /** Reads up to the empty line. */
  private static String readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    int newlines = 0;
    while (newlines < 2) {
      int c = in.read();
      if (c < 0) {
        throw new EOFException(
            head.isEmpty()
                ? "it closed the connection without a response"
                : "its response is incomplete");
      }
      if (head.length() == MAX_HEAD) {
        throw new IOException("the head of its response is longer than " + MAX_HEAD + " bytes");
      }
      head.append((char) c);
      if (c != '\r') {
        newlines = c == '\n' ? newlines + 1 : 0;
      }
    }
    return head.toString();
  }

  private static int status(String head) throws IOException {
    String line = head.lines().findFirst().orElse("");
    Matcher matcher = STATUS.matcher(line);
    if (!matcher.matches()) {
      throw new IOException("its response is not HTTP/1.1");
    }
    return Integer.parseInt(matcher.group(1));
  }

  /** Reads the rest of the response, within limits: closing early would look like an error. */
  private static void drain(Socket socket, InputStream in, String head) {
    long left =
        head.lines()
            .map(line -> LENGTH.matcher(line.toLowerCase(Locale.ROOT)))
            .filter(Matcher::matches)
            .mapToLong(matcher -> Long.parseLong(matcher.group(1)))
            .findFirst()
            .orElse(MAX_BODY);
    byte[] buffer = new byte[4 << 10];
    long end = System.nanoTime() + DRAIN_TIMEOUT.toNanos();
    left = Math.min(left, MAX_BODY);
    try {
      socket.setSoTimeout((int) DRAIN_TIMEOUT.toMillis());
      while (left > 0 && System.nanoTime() < end) {
        int n = in.read(buffer, 0, (int) Math.min(left, buffer.length));
        left = n < 0 ? 0 : left - n;
      }
    } catch (IOException e) {
      // the status is known
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // no longer used
    }
  }

  /** Cancels running requests. */
  @Override
  public void close() {
    closed = true;
    timer.shutdownNow();
    open.forEach(PinnedHttpClient::closeQuietly);
  }
}
