package dev.millrace.http.so1;

import dev.millrace.core.store.StoreException;
import dev.millrace.http.route.ApiResponse.Sink;
import java.io.IOException;
import java.time.Duration;

/** Sends the events of a job to one client. */
record EventStreamSender(LogFeed feed, Duration heartbeat, Sink sink) {

  /** Sends the events after number {@code start}, until the job has ended. */
  void run(long start) throws IOException, InterruptedException {
    try {
      sink.send(SseFrames.RETRY);
      follow(start);
    } catch (StoreException e) {
      sink.send(SseFrames.comment("the log cannot be read now; reconnect with the last id"));
    } catch (InterruptedException e) {
      sink.send(SseFrames.comment("the server is stopping; reconnect with the last id"));
      throw e;
    }
  }

  private void follow(long start) throws IOException, InterruptedException {
    long position = start;
    while (true) {
      if (Thread.interrupted()) {
        throw new InterruptedException(); // this loop may never wait
      }
      LogTail now = feed.tail();
      if (position < now.last()) {
        SseChunk chunk = now.chunk(position);
        if (chunk == null) {
          chunk = feed.history(position, now.last());
        }
        if (chunk == null) {
          sink.send(SseFrames.comment("the job was deleted"));
          return;
        }
        sink.send(chunk.since(position));
        position = chunk.last();
      } else if (now.ending() != null) {
        sink.send(now.ending());
        return;
      } else if (!now.awaitNext(heartbeat)) {
        sink.send(SseFrames.HEARTBEAT);
      }
    }
  }
}
