package dev.millrace.bench.http;

import java.io.IOException;
import java.net.URI;

/** A server of the API, and one of nothing but {@link EmptyRouteGroup}. */
public interface BenchServer extends AutoCloseable {
  URI api();

  URI empty();

  @Override
  void close() throws IOException;

  /**
   * @param apart whether in a process of its own, so that clients and server share only the machine
   */
  static BenchServer open(boolean apart) throws IOException {
    return apart ? ServerProcess.start() : InProcessServer.open();
  }
}
