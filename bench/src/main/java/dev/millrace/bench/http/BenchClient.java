package dev.millrace.bench.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A client that sends the measured requests and fails on an unexpected response. Used by one thread
 * at a time.
 */
public interface BenchClient extends AutoCloseable {
  String PROMPT = "Why is the sky blue? ".repeat(8).strip();
  String GENERATE = "generate";
  String WORKER = "bench";

  /** Longer than any measurement, so that no lease expires. */
  int LEASE_SECONDS = 3_600;

  /** A task that was claimed. */
  record HeldTask(String task, String token) {}

  /** Sends the request of {@link #openJob} to the handler that does nothing. */
  void empty() throws IOException;

  /** Creates a job to which stages could be added. */
  void openJob() throws IOException;

  /** The same with an idempotency key that was never used before. */
  void keyedJob() throws IOException;

  /** Creates a job of one prompt. */
  void generate() throws IOException;

  /** Claims one task. */
  Optional<HeldTask> dequeue(String type, int waitSeconds) throws IOException;

  /** Completes a task. */
  void complete(HeldTask held) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * @param kind raw for plain connections, or sdk for the client that programs use
   */
  static List<BenchClient> open(String kind, BenchServer host, int count) throws IOException {
    List<BenchClient> clients = new ArrayList<>();
    switch (kind) {
      case "raw" -> {
        for (int i = 0; i < count; i++) {
          clients.add(new RawClient(host));
        }
      }
      case "sdk" -> {
        SdkClient shared = new SdkClient(host);
        for (int i = 0; i < count; i++) {
          clients.add(shared);
        }
      }
      default ->
          throw new IllegalArgumentException("client \"" + kind + "\" must be \"raw\" or \"sdk\"");
    }
    return clients;
  }
}
