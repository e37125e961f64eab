package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.millrace.core.json.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Receives webhooks and records them. */
final class WebhookRecorder implements AutoCloseable {
  private record Delivery(String event, String timestamp, String signature, String body) {}

  private final com.sun.net.httpserver.HttpServer server;
  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();

  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean refusing;

  private WebhookRecorder(com.sun.net.httpserver.HttpServer server) {
    this.server = server;
  }

  static WebhookRecorder open() throws IOException {
    WebhookRecorder receiver =
        new WebhookRecorder(
            com.sun.net.httpserver.HttpServer.create(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    receiver.server.createContext("/in", receiver::take);
    receiver.server.start();
    return receiver;
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (refusing) {
        refused.incrementAndGet();
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      var headers = exchange.getRequestHeaders();
      deliveries.add(
          new Delivery(
              headers.getFirst("Millrace-Event-Id"),
              headers.getFirst("Millrace-Timestamp"),
              headers.getFirst("Millrace-Signature"),
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
      exchange.sendResponseHeaders(204, -1);
    }
  }

  /** Whether to reject deliveries at the moment. */
  void reject(boolean now) {
    refusing = now;
  }

  int refused() {
    return refused.get();
  }

  int port() {
    return server.getAddress().getPort();
  }

  List<String> types() {
    return deliveries.stream().map(each -> Json.object(each.body()).string("type")).toList();
  }

  /** Each delivery is signed, and says which event it is. */
  void verify(String secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
    for (Delivery each : deliveries) {
      byte[] signed = (each.timestamp() + "." + each.body()).getBytes(StandardCharsets.UTF_8);
      assertThat(each.signature()).isEqualTo("v1=" + HexFormat.of().formatHex(mac.doFinal(signed)));
      assertThat(Json.object(each.body()).string("id")).isEqualTo(each.event());
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
