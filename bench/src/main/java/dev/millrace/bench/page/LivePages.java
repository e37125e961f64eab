package dev.millrace.bench.page;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Streams of {@code GET /v1/live}, each on a connection of its own, as open pages have them. */
public final class LivePages implements AutoCloseable {
  private final List<HttpClient> clients = new ArrayList<>();
  private final List<InputStream> bodies = new ArrayList<>();
  private final LongAdder bytes = new LongAdder();

  public static LivePages open(URI address, int count) throws IOException, InterruptedException {
    LivePages pages = new LivePages();
    for (int i = 0; i < count; i++) {
      pages.add(address);
    }
    return pages;
  }

  private void add(URI address) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    clients.add(client);
    HttpRequest request =
        HttpRequest.newBuilder(address).header("Accept", "text/event-stream").build();
    HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      throw new IOException(address + " answered " + response.statusCode());
    }
    bodies.add(response.body());
    Thread.startVirtualThread(() -> read(response.body()));
  }

  private void read(InputStream body) {
    byte[] buffer = new byte[16 * 1024];
    try {
      for (int count = body.read(buffer); count >= 0; count = body.read(buffer)) {
        bytes.add(count);
      }
    } catch (IOException e) {
      // closed
    }
  }

  /** Bytes that all of them have received. */
  public long bytes() {
    return bytes.sum();
  }

  @Override
  public void close() throws IOException {
    for (InputStream body : bodies) {
      body.close();
    }
    clients.forEach(HttpClient::shutdownNow);
  }
}
