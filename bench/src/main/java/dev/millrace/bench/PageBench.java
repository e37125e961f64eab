package dev.millrace.bench;

import dev.millrace.bench.harness.BenchOptions;
import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.page.LivePages;
import dev.millrace.bench.page.LongTasks;
import dev.millrace.bench.page.StreamingServer;
import dev.millrace.cli.webpage.BrowserPrograms;
import dev.millrace.cli.webpage.Chromium;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What open pages cost a server, and how long a page with many jobs is busy at once.
 *
 * <p>The first: processor time of a server whose stub tasks write 20 tokens a second each, in turns
 * without and with pages, as shares of one core. The second needs Node and Chromium.
 *
 * <p>Options: {@code --pages} (10), {@code --streams} (64), {@code --seconds} of each turn (10),
 * {@code --rounds} (5), {@code --jobs} in the list (100,000); {@code --part} is {@code server} or
 * {@code browser} for one of them alone.
 */
public final class PageBench {
  private static final Set<String> OPTIONS =
      Set.of("pages", "streams", "seconds", "rounds", "jobs", "part");
  private static final double GOAL = 0.05;

  private final BenchOptions options;

  private PageBench(BenchOptions options) {
    this.options = options;
  }

  public static void main(String[] args) throws Exception {
    BenchOptions options = new BenchOptions(args, OPTIONS);
    PageBench bench = new PageBench(options);
    String part = options.text("part").orElse("all");
    try {
      if (!part.equals("browser")) {
        bench.server();
      }
      if (!part.equals("server")) {
        bench.browser();
      }
    } finally {
      ScratchDirectories.clean();
    }
  }

  private void server() throws IOException, InterruptedException {
    int pages = options.number("pages", 10);
    List<Double> without = new ArrayList<>();
    List<Double> with = new ArrayList<>();
    List<Double> costs = new ArrayList<>();
    try (StreamingServer server = StreamingServer.start(options.number("streams", 64), 0)) {
      share(server, 0); // to warm up
      share(server, pages);
      for (int round = 0; round < options.number("rounds", 5); round++) {
        without.add(share(server, 0));
        with.add(share(server, pages));
        costs.add(with.getLast() - without.getLast());
      }
    }
    double cost = InterleavedRounds.median(costs);
    print("without pages", without);
    print("with " + pages + " pages", with);
    print("the pages", costs);
    System.out.println(cost < GOAL ? "reaches less than 5 %" : "MISSES less than 5 %");
  }

  /** The share of one core that the server uses while so many pages are open. */
  private double share(StreamingServer server, int pages) throws IOException, InterruptedException {
    try (LivePages open = LivePages.open(server.at("/v1/live"), pages)) {
      Thread.sleep(1_000);
      long received = open.bytes();
      long start = System.nanoTime();
      long before = server.cpu().toNanos();
      Thread.sleep(options.number("seconds", 10) * 1_000L);
      double share = (double) (server.cpu().toNanos() - before) / (System.nanoTime() - start);
      if (pages > 0 && open.bytes() == received) {
        throw new IllegalStateException("the pages received nothing");
      }
      return share;
    }
  }

  private static void print(String what, List<Double> shares) {
    System.out.printf(
        Locale.ROOT,
        "%-16s %5.1f %% of a core  %s%n",
        what,
        100 * InterleavedRounds.median(shares),
        shares.stream().map(share -> String.format(Locale.ROOT, "%.1f", 100 * share)).toList());
  }

  private void browser() throws IOException {
    Optional<BrowserPrograms> programs = BrowserPrograms.find();
    if (programs.isEmpty()) {
      System.out.println("the longest task of the page: skipped; " + BrowserPrograms.missing());
      return;
    }
    int jobs = options.number("jobs", 100_000);
    try (StreamingServer server = StreamingServer.start(0, jobs);
        Chromium chromium = Chromium.launch(programs.get())) {
      LongTasks.print(chromium.browser(), server.at("/#/jobs"), jobs);
    }
  }
}
