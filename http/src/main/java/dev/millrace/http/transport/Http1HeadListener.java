package dev.millrace.http.transport;

import io.helidon.http.Headers;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.Http1ConnectionListener;

/** Notifies the reader of an HTTP/1 connection that the head of a request is complete. */
final class Http1HeadListener implements Http1ConnectionListener {

  @Override
  public void headers(ConnectionContext context, Headers headers) {
    if (context.dataReader() instanceof Http1RequestReader reader) {
      reader.headComplete();
    }
  }
}
