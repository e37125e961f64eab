package dev.millrace.bench.page;

import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.store.fs.Workspace;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/**
 * A server with its page, in a process of its own: tasks that write 20 tokens a second each, and
 * jobs that wait for nobody.
 */
public final class StreamingServer implements AutoCloseable {
  private static final double TOKENS_PER_SECOND = 20;
  private static final int SUBMITTERS = 64; // so that many jobs share one sync of the disk

  private final Process process;
  private final URI address;

  private StreamingServer(Process process, URI address) {
    this.process = process;
    this.address = address;
  }

  /** Starts it and waits until it listens and all jobs are there. */
  public static StreamingServer start(int streams, int waiting) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(List.of("-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    String directory = System.getProperty("millrace.bench.dir");
    if (directory != null) {
      command.add("-Dmillrace.bench.dir=" + directory);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(StreamingServer.class.getName());
    command.addAll(List.of(Integer.toString(streams), Integer.toString(waiting)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = process.inputReader();
    String address = output.readLine();
    if (address == null) {
      process.destroy();
      throw new IOException("the server's process ended before it listened");
    }
    return new StreamingServer(process, URI.create(address));
  }

  public static void main(String[] args) throws Exception {
    int streams = Integer.parseInt(args[0]);
    try (JobStore store = Workspace.open(ScratchDirectories.fresh("page")).own().orElseThrow();
        HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null);
        Server server =
            Server.builder(store)
                .worker(new TokenStub(TOKENS_PER_SECOND))
                .slots(Math.max(1, streams))
                .build()) {
      submit(store, streams, Integer.parseInt(args[1]));
      server.start();
      System.out.println(api.open(server, Set.of("generate"), null));
      while (System.in.read() >= 0) {
        // the parent continues
      }
      server.stopNow();
    } finally {
      ScratchDirectories.clean();
    }
  }

  private static void submit(JobStore store, int streams, int waiting) {
    if (streams > 0) {
      List<TaskSpec> tasks =
          IntStream.range(0, streams).mapToObj(i -> TaskSpec.of("prompt " + i)).toList();
      store.submit(
          JobSpec.builder()
              .name("streams")
              .stages(List.of(StageSpec.of("generate", tasks)))
              .build());
    }
    try (ExecutorService submitters = Executors.newFixedThreadPool(SUBMITTERS)) {
      for (int i = 0; i < waiting; i++) {
        JobSpec job =
            JobSpec.builder()
                .name("job " + i)
                .tags(List.of(i % 100 == 0 ? "rare" : "usual"))
                .stages(List.of(StageSpec.of("elsewhere", List.of(TaskSpec.of("input " + i)))))
                .build();
        submitters.submit(() -> store.submit(job));
      }
    }
  }

  public URI at(String path) {
    return address.resolve(path);
  }

  /** The time of processors that it has used so far. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  @Override
  public void close() throws IOException {
    process.outputWriter().close(); // it ends with its standard input
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
