package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Measures searches over HTTP in a workspace of finished jobs: how long the index takes to fill, what
 * claims cost meanwhile, and how long each search takes. The peer is a plain scan that reads every
 * job, in the same run. Argument: how many jobs (100,000).
 */
public final class SearchBench {
  private static final int SAMPLES = 100;
  private static final int PROMPTS = 1_000;
  private static final List<String> WORDS =
      List.of(
          "mill", "river", "wheel", "sluice", "grain", "stone", "flour", "race", "pond", "weir");

  /** Parameters of a search, and the same as a look at one job. */
  private record Search(String query, Predicate<JobView> same) {}

  private static final List<Search> SEARCHES =
      List.of(
          new Search("", _ -> true),
          new Search("?status=FAILED", job -> job.state().name().equals("FAILED")),
          new Search("?tag=tag7", job -> job.header().tags().contains("tag7")),
          new Search("?text=Pond+weir+weir", _ -> false),
          new Search("?text=nothing+has+this", _ -> false),
          new Search("?offset=90000&limit=1000", _ -> true),
          new Search("?ids_only=true", _ -> true));

  private SearchBench() {}

  public static void main(String[] args) throws Exception {
    int size = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    Path dir = ScratchDirectories.fresh("search");
    Workspace workspace = Workspace.open(dir);
    fill(dir, size);
    try (JobStore store = workspace.own().orElseThrow();
        HttpApi api = HttpApi.over(store, HttpSettings.loopback(0), null);
        HttpClient client = HttpClient.newHttpClient()) {
      URI uri = api.open(Set.of("generate"), Set.of(), Optional::empty);
      scan(store, _ -> true); // both find the files in the cache of the system
      double idle = claims(store);
      measureFill(store, client, uri, idle, scan(store, _ -> true));
      for (Search search : SEARCHES) {
        measure(store, client, uri, search);
      }
    } finally {
      ScratchDirectories.clean();
    }
  }

  private static void measureFill(
      JobStore store, HttpClient client, URI uri, double idle, double scan) throws Exception {
    long before = heap();
    long start = System.nanoTime();
    JsonObject first = get(client, uri, "");
    double busy = claims(store);
    while (!first.flag("complete", false)) {
      Thread.sleep(50);
      first = get(client, uri, "?limit=0");
    }
    double fill = (System.nanoTime() - start) / 1e6;
    System.out.printf(
        Locale.ROOT,
        "index of %,d jobs: filled in %,.0f ms, plain scan %,.0f ms (%.2fx); %d bytes a job;"
            + " submit and claim %.0f us before, %.0f us meanwhile (%.2fx)%n",
        first.integer("indexed"),
        fill,
        scan,
        fill / scan,
        (heap() - before) / first.integer("indexed"),
        idle,
        busy,
        busy / idle);
  }

  private static void measure(JobStore store, HttpClient client, URI uri, Search search)
      throws Exception {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < 2 * SAMPLES; i++) {
      long start = System.nanoTime();
      send(client, uri, search.query());
      if (i >= SAMPLES) { // the others warm it up
        times.add((System.nanoTime() - start) / 1e6);
      }
    }
    double scan = scan(store, search.same());
    double median = InterleavedRounds.median(times);
    times.sort(null);
    System.out.printf(
        Locale.ROOT,
        "search %-26s median %6.2f ms, longest %6.2f ms; plain scan %,7.0f ms (%,.0fx)%n",
        search.query(),
        median,
        times.getLast(),
        scan,
        scan / median);
  }

  /** Milliseconds to read every job and to look at it. */
  private static double scan(JobStore store, Predicate<JobView> wanted) {
    long start = System.nanoTime();
    long found =
        store.list(Query.all()).stream()
            .map(store::find)
            .flatMap(Optional::stream)
            .filter(wanted)
            .count();
    if (found < 0) {
      throw new IllegalStateException();
    }
    return (System.nanoTime() - start) / 1e6;
  }

  /** Microseconds for a submission and its claim. */
  private static double claims(JobStore store) {
    List<Double> times = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      long start = System.nanoTime();
      store.submit(JobSpec.prompt("generate", "p"));
      store.claim(new ClaimRequest(Set.of("generate"), 1, "bench", null));
      times.add((System.nanoTime() - start) / 1e3);
    }
    return InterleavedRounds.median(times);
  }

  private static JsonObject get(HttpClient client, URI uri, String query)
      throws IOException, InterruptedException {
    return Json.object(send(client, uri, query));
  }

  private static String send(HttpClient client, URI uri, String query)
      throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(uri.resolve("/v1/jobs/search" + query)).build(),
            BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IOException(answer.body());
    }
    return answer.body();
  }

  private static long heap() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Creates finished jobs as links to some files. */
  private static void fill(Path root, int size) throws IOException {
    Path shared = Files.createDirectory(root.resolve("shared"));
    Path[] prompts = new Path[PROMPTS];
    Path[] metas = new Path[PROMPTS];
    for (int i = 0; i < PROMPTS; i++) {
      prompts[i] = Files.writeString(shared.resolve("prompt" + i), prompt(i));
      metas[i] =
          Files.writeString(
              shared.resolve("meta" + i),
              "{\"submitted_at\": \"2026-01-01T00:00:00.000000Z\", \"mode\": \"text\","
                  + " \"tags\": [\"tag"
                  + i % 20
                  + "\"]}\n");
    }
    for (int i = 0; i < size; i++) {
      Path dir =
          Files.createDirectory(
              root.resolve(i % 10 == 0 ? "failed" : "output")
                  .resolve(JobId.of(1_700_000_000_000_000L + i, 1, 0).value()));
      Files.createLink(dir.resolve("prompt.txt"), prompts[i % PROMPTS]);
      Files.createLink(dir.resolve("meta.json"), metas[i % PROMPTS]);
    }
  }

  private static String prompt(int number) {
    StringBuilder text = new StringBuilder("Tell the story of number " + number + ":");
    for (int word = number + 1; text.length() < 150; word = word * 7 % 1_009) {
      text.append(' ').append(WORDS.get(word % WORDS.size()));
    }
    return text.toString();
  }
}
