package dev.millrace.bench.http;

import java.io.IOException;
import java.net.URI;

/** The API server, and a second server that has only {@link EmptyRouteGroup}. */
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
