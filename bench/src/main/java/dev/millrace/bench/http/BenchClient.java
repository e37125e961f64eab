package dev.millrace.bench.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One client: asks for what is measured and fails if the answer is not what it must be. Used by one
 * thread at a time.
 */
public interface BenchClient extends AutoCloseable {
  String PROMPT = "Why is the sky blue? ".repeat(8).strip();
  String GENERATE = "generate";
  String WORKER = "bench";

  /** Longer than any measurement: no claim is lost in one. */
  int LEASE_SECONDS = 3_600;

  /** A task that was claimed. */
  record HeldTask(String task, String token) {}

  /** The request of {@link #openJob}, to the handler that does nothing. */
  void empty() throws IOException;

  /** Makes a job to which stages could be added. */
  void openJob() throws IOException;

  /** Makes a job of one prompt. */
  void generate() throws IOException;

  /** Claims one task. */
  Optional<HeldTask> dequeue(String type, int waitSeconds) throws IOException;

  /** Says that a task is done. */
  void complete(HeldTask held) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * @param kind raw, for connections that cost next to nothing, or sdk, for what programs use
   */
  static List<BenchClient> open(String kind, BenchServer host, int count) throws IOException {
    List<BenchClient> callers = new ArrayList<>();
    switch (kind) {
      case "raw" -> {
        for (int i = 0; i < count; i++) {
          callers.add(new RawClient(host));
        }
      }
      case "sdk" -> {
        SdkClient shared = new SdkClient(host);
        for (int i = 0; i < count; i++) {
          callers.add(shared);
        }
      }
      default ->
          throw new IllegalArgumentException("client \"" + kind + "\" must be \"raw\" or \"sdk\"");
    }
    return callers;
  }
}
