package dev.millrace.server.http;

import io.helidon.http.Headers;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/** Tells the reader of a connection of HTTP/1 that the head of a request is there. */
final class HeaderWatch implements Http1ConnectionListener {

  @Override
  public void headers(ConnectionContext context, Headers headers) {
    if (context.dataReader() instanceof RequestReader reader) {
      reader.headEnds();
    }
  }
}
