package dev.millrace.store.fs;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.TaskResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A program that owns a workspace and completes whatever it can claim, until it is killed: {@code
 * ServeMain WORKSPACE THREADS}. It says "ready" when it is the owner, and how many it completed.
 */
final class ServeMain {
  private static final Set<String> TYPES = Set.of("generate", "a", "b");

  private ServeMain() {}

  public static void main(String[] arguments) throws InterruptedException {
    JobStore store = Workspace.open(Path.of(arguments[0])).awaitOwnership();
    System.out.println("ready");
    int threads = Integer.parseInt(arguments[1]);
    for (int i = 0; i < threads; i++) {
      String name = "worker " + i;
      Thread.ofPlatform().start(() -> work(store, name));
    }
    Thread.currentThread().join();
  }

  private static void work(JobStore store, String name) {
    long seen = 0;
    try {
      while (true) {
        List<Claim> claims = store.claim(new Demand(TYPES, 3, name, null));
        for (Claim claim : claims) {
          store.complete(claim, TaskResult.of("<" + claim.inputText() + ">"));
          System.out.println("completed " + claim);
        }
        if (claims.isEmpty()) {
          seen = store.awaitWork(seen, Duration.ofMillis(20));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
