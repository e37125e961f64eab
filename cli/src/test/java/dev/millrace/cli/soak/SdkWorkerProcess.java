package dev.millrace.cli.soak;

import dev.millrace.client.MillraceClient;
import dev.millrace.client.worker.Worker;
import dev.millrace.client.worker.WorkerEvent;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A worker with the SDK, in a process of its own: {@code SdkWorkerProcess URL NAME}. It prints a
 * line for each result that the server has accepted: {@code completed JOB/STAGE/TASK TOKEN}.
 */
final class SdkWorkerProcess {
  private SdkWorkerProcess() {}

  public static void main(String[] args) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    try (MillraceClient client = MillraceClient.at(URI.create(args[0]));
        Worker worker =
            Worker.builder(
                    client,
                    SoakDocuments.REMOTE,
                    task -> {
                      never.await(ThreadLocalRandom.current().nextInt(400), TimeUnit.MILLISECONDS);
                      return PlainWorker.result(task.task());
                    })
                .name(args[1])
                .concurrency(3)
                .lease(Duration.ofSeconds(6))
                .longPoll(Duration.ofSeconds(2))
                .listener(SdkWorkerProcess::print)
                .build()) {
      worker.start();
      never.await();
    }
  }

  private static void print(WorkerEvent event) {
    if (event instanceof WorkerEvent.TaskCompleted(var task, var _)) {
      System.out.println("completed " + PlainWorker.subject(task) + " " + task.token());
    }
  }
}
