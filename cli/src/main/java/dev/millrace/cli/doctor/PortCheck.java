package dev.millrace.cli.doctor;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks whether a server can have its HTTP port, and otherwise who has it. */
public final class PortCheck {
  private static final String SUBJECT = "port";
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int MOST_BYTES = 4_096;
  private static final Pattern MILLRACE = Pattern.compile("\"title\"\\s*:\\s*\"Millrace\"");

  private final int port;
  private final boolean asked;
  private final @Nullable String ownAddress;

  /**
   * @param asked whether the user named the port
   * @param ownAddress the URL of the workspace's server; null if there is none
   */
  public PortCheck(int port, boolean asked, @Nullable String ownAddress) {
    this.port = port;
    this.asked = asked;
    this.ownAddress = ownAddress;
  }

  public void run(Findings findings) throws IOException {
    InetAddress loopback = InetAddress.getByName("127.0.0.1");
    try (ServerSocket socket = new ServerSocket(port, 1, loopback)) {
      findings.ok(SUBJECT, socket.getLocalPort() + " is free");
    } catch (BindException e) {
      if (isOwn()) {
        findings.ok(SUBJECT, port + " is taken by the server of this workspace");
      } else {
        taken(findings, loopback, e);
      }
    }
  }

  private boolean isOwn() {
    try {
      return ownAddress != null && URI.create(ownAddress).getPort() == port;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private void taken(Findings findings, InetAddress address, BindException e) {
    String who = holder(address);
    if (who == null) {
      findings.fail(
          SUBJECT,
          port + " cannot be used: " + e.getMessage(),
          "choose another with --port; those below 1024 need a privilege");
    } else if (asked) {
      findings.fail(SUBJECT, port + " is taken by " + who, "stop that, or choose another port");
    } else {
      findings.warn(
          SUBJECT,
          port + " is taken by " + who,
          "a server takes any free port then; its option --port N chooses one");
    }
  }

  /** Who answers there; null if nobody does. */
  private @Nullable String holder(InetAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), (int) PATIENCE.toMillis());
      return MILLRACE.matcher(answer(socket)).find()
          ? "another Millrace server"
          : "another program";
    } catch (IOException e) {
      return null;
    }
  }

  /** The beginning of the answer to a request for Millrace's API description. */
  private String answer(Socket socket) {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      String request =
          "GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      byte[] bytes = new byte[MOST_BYTES];
      while (answer.size() < MOST_BYTES) {
        long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
        if (left <= 0) {
          break;
        }
        socket.setSoTimeout((int) left);
        int count = in.read(bytes);
        if (count < 0) {
          break;
        }
        answer.write(bytes, 0, count);
      }
    } catch (IOException e) {
      return answer.toString(StandardCharsets.ISO_8859_1); // what there is must do
    }
    return answer.toString(StandardCharsets.ISO_8859_1);
  }
}
