package dev.millrace.bench.http;

import java.io.IOException;
import java.net.URI;

/** A server of the API, and one that has only {@link EmptyRouteGroup}. */
public interface BenchServer extends AutoCloseable {
  URI api();

  URI empty();

  @Override
  void close() throws IOException;

  /**
   * @param ownProcess whether it runs in its own process
   */
  static BenchServer open(boolean ownProcess) throws IOException {
    return ownProcess ? ServerProcess.start() : InProcessServer.open();
  }
}
