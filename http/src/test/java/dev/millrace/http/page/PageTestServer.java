package dev.millrace.http.page;

import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The page alone, on a free port, and a client that asks for it as a browser does. */
final class PageTestServer implements AutoCloseable {
  static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

  final HttpService service =
      HttpService.open(HttpSettings.loopback(0), List.of(PageRouteGroup.load()));
  private final HttpClient client = HttpClient.newHttpClient();

  URI home() {
    return service.uri().resolve("/");
  }

  HttpResponse<byte[]> get(URI address, String... fields) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(address);
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), BodyHandlers.ofByteArray());
  }

  HttpResponse<byte[]> get(String path, String... fields) throws IOException, InterruptedException {
    return get(home().resolve(path), fields);
  }

  /** The HTML of the page. */
  String page() throws IOException, InterruptedException {
    return text(get("/", "Accept", BROWSER));
  }

  static String text(HttpResponse<byte[]> response) {
    return new String(response.body(), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    client.close();
    service.close();
  }
}
