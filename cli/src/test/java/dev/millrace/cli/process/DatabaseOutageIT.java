package dev.millrace.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.fixture.TcpProxy;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The database goes away while servers generate, and comes back: the texts are the same as without
 * that, and every task ends once.
 */
@ResourceLock(LauncherProcess.CORES)
class DatabaseOutageIT extends LauncherFixture {
  private static final int TASKS = 20;
  private static final Pattern HTTP = Pattern.compile("http://127\\.0\\.0\\.1:[0-9]+");

  @TempDir static Path shared;
  private static EmbeddedPostgres postgres;

  /** The texts without any fault; generated once for all tests. */
  private static @Nullable String undisturbed;

  private static final String COMPLETION =
      "{\"model\": \"house\", \"prompt\": \"One\", \"max_tokens\": 200, \"stream\": true}";

  @BeforeAll
  static void startDatabase() throws IOException {
    postgres = database(0).start();
  }

  @AfterAll
  static void stopDatabase() throws IOException {
    postgres.close();
  }

  /**
   * @param port 0: any
   */
  private static EmbeddedPostgres.Builder database(int port) {
    return EmbeddedPostgres.builder()
        .setDataDirectory(shared.resolve("data"))
        .setCleanDataDirectory(false)
        .setPort(port)
        .setServerConfig("fsync", "off"); // no test takes the power away
  }

  private static String url(int port, String schema) {
    return "postgresql://postgres@127.0.0.1:" + port + "/postgres?schema=" + schema;
  }

  private static String url(String schema) {
    return url(postgres.getPort(), schema);
  }

  private LauncherProcess serve(String url, String... options) {
    List<String> args =
        new ArrayList<>(List.of("serve", "--store", url, "--model", "house", "--threads", "1"));
    args.addAll(List.of(options));
    return endWithTest(LauncherProcess.start(dir, args.toArray(String[]::new)));
  }

  /** The address of a server, once it is ready. */
  private static URI uri(LauncherProcess server) {
    soon()
        .conditionEvaluationListener(
            _ -> assertThat(server.isAlive()).as(server.out() + server.err()).isTrue())
        .until(() -> server.out().contains(" ready: "));
    Matcher address = HTTP.matcher(server.out());
    assertThat(address.find()).as(server.out()).isTrue();
    return URI.create(address.group());
  }

  /** A job of several tasks, each of which generates for a while. */
  private String submit(String url) throws IOException {
    List<Object> tasks = new ArrayList<>();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(Map.of("input", "Write about the number " + i));
    }
    Map<String, Object> data =
        Map.of("max_tokens", 500, "ignore_eos", true, "temperature", 0.9, "seed", 7);
    Map<String, Object> stage = Map.of("type", "generate", "data", data, "tasks", tasks);
    Path file = dir.resolve("job.json");
    Files.writeString(file, Json.write(Map.of("stages", List.of(stage))));
    return cli.submit(url, "--job", file.toString());
  }

  private String results(String url, String id) {
    InProcessCli.Result results = cli.run("flow", url, id);
    assertThat(results.status()).as(results.toString()).isZero();
    return results.out();
  }

  private String undisturbed() throws IOException {
    if (undisturbed == null) {
      String url = url("calm");
      String id = submit(url);
      assertThat(serve(url, "--no-http", "--drain").result().status()).isZero();
      undisturbed = results(url, id);
    }
    return undisturbed;
  }

  /** How many characters of a task can be read while it is generated. */
  private static int draft(JobReader reader, String id, int task) {
    return reader.outputSoFar(new JobId(id), 1, task, 0).text().length();
  }

  private static void awaitDrafts(JobReader reader, String id) {
    soon().until(() -> draft(reader, id, 1) > 50 && draft(reader, id, 2) > 50);
  }

  /** The log of a job has no gap, and each of its tasks has ended once. */
  private List<JsonObject> wholeLog(String url, String id) {
    List<JsonObject> log =
        cli.run("job", url, id, "--events").out().lines().map(Json::object).toList();
    List<Long> completed = new ArrayList<>();
    for (int i = 0; i < log.size(); i++) {
      JsonObject entry = log.get(i);
      assertThat(entry.integer("n")).isEqualTo(i + 1);
      assertThat(entry.string("event", "")).as("no attempt is lost").isNotEqualTo("fail");
      if (entry.string("on").equals("task") && entry.string("event").equals("complete")) {
        completed.add(entry.integer("task"));
      }
    }
    assertThat(completed).hasSize(TASKS).doesNotHaveDuplicates();
    return log;
  }

  private static long count(List<JsonObject> log, String event) {
    return log.stream().filter(entry -> entry.string("event", "").equals(event)).count();
  }

  private static long lines(LauncherProcess server, String text) {
    return server.out().lines().filter(line -> line.contains(text)).count();
  }

  /** The status of the health check of the compose file, for a server on this port. */
  private static int composedHealthCheck(int port) throws Exception {
    String file = Files.readString(Path.of("..", "docs", "postgres-compose.yml"));
    Matcher check = Pattern.compile("test: (\\[\"CMD\", \"bash\".*])").matcher(file);
    assertThat(check.find()).isTrue();
    List<String> command =
        ((List<?>) Json.parse(check.group(1)))
            .stream().skip(1).map(part -> part.toString().replace("8080", "" + port)).toList();
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }

  @Test
  void tasksAreGeneratedMeanwhileAndWrittenWhenItIsBack() throws Exception {
    String expected = undisturbed();
    String url = url("away");
    try (TcpProxy proxy = new TcpProxy(postgres.getPort());
        PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(url, Map.of()))) {
      LauncherProcess server = serve(url(proxy.port(), "away"), "--port", "0");
      PlainHttpClient client = PlainHttpClient.of(uri(server));
      String id = submit(url);
      awaitDrafts(database.reader(), id);

      proxy.goAway();
      soon().until(() -> client.get("/health/ready").status() == 503);
      assertThat(client.get("/health/live").status()).isEqualTo(200);
      String answer = client.send("POST", "/v1/completions", COMPLETION).body();
      assertThat(answer).as("a direct request").contains("data: [DONE]");
      assertThat(client.get("/health/ready").status()).isEqualTo(503);

      assertThat(composedHealthCheck(uri(server).getPort())).as("not ready").isNotZero();
      proxy.comeBack();
      soon().until(() -> client.get("/health/ready").status() == 200);
      assertThat(composedHealthCheck(uri(server).getPort())).as("ready").isZero();
      soon().until(() -> database.reader().state(new JobId(id)).orElseThrow().isFinal());
      assertThat(results(url, id)).isEqualTo(expected);
      assertThat(count(wholeLog(url, id), "release")).isZero();
      assertThat(server.signal("TERM").result().status()).isZero();
      assertThat(lines(server, "the store fails")).as(server.out()).isEqualTo(1);
      assertThat(lines(server, "the store works again")).isEqualTo(1);
      assertThat(lines(server, "[WARN]") + lines(server, "[ERROR]")).as(server.out()).isEqualTo(1);
    }
  }

  @Test
  void aServerThatIsAwayForTooLongIsReplacedAndJoinsAgain() throws Exception {
    String expected = undisturbed();
    String url = url("lost");
    try (TcpProxy proxy = new TcpProxy(postgres.getPort());
        PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(url, Map.of()))) {
      LauncherProcess first = serve(url(proxy.port(), "lost") + "&lease=3", "--port", "0");
      PlainHttpClient client = PlainHttpClient.of(uri(first));
      String id = submit(url);
      awaitDrafts(database.reader(), id);
      proxy.goAway();
      LauncherProcess second = serve(url, "--no-http");
      soon().until(() -> cli.run("job", url, id, "--events").out().contains("\"release\""));
      assertThat(first.isAlive()).as("it does not know yet").isTrue();

      proxy.comeBack();
      soon().until(() -> first.out().contains("this server joined again"));
      soon().until(() -> client.get("/health/ready").status() == 200);
      soon().until(() -> database.reader().state(new JobId(id)).orElseThrow().isFinal());
      assertThat(results(url, id)).isEqualTo(expected);
      assertThat(count(wholeLog(url, id), "release")).isPositive();
      assertThat(first.signal("TERM").result().status()).isZero();
      assertThat(second.signal("TERM").result().status()).isZero();
    }
  }

  @Test
  void theOnlyServerGoesOnAfterALongOutage() throws Exception {
    String expected = undisturbed();
    String url = url("alone");
    try (TcpProxy proxy = new TcpProxy(postgres.getPort());
        PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(url, Map.of()))) {
      LauncherProcess server = serve(url(proxy.port(), "alone") + "&lease=2", "--port", "0");
      uri(server);
      String id = submit(url);
      awaitDrafts(database.reader(), id);
      proxy.goAway();
      soon().until(() -> database.servers().isEmpty());
      proxy.comeBack();
      soon().until(() -> database.reader().state(new JobId(id)).orElseThrow().isFinal());
      assertThat(server.out()).contains("this server joined again");
      assertThat(results(url, id)).isEqualTo(expected);
      wholeLog(url, id);
      assertThat(server.signal("TERM").result().status()).isZero();
    }
  }

  @Test
  void aServerWithoutADatabaseStopsWhenItIsTold() throws Exception {
    String url = url("gone");
    try (TcpProxy proxy = new TcpProxy(postgres.getPort())) {
      LauncherProcess server = serve(url(proxy.port(), "gone"), "--port", "0");
      PlainHttpClient client = PlainHttpClient.of(uri(server));
      submit(url);
      soon().until(() -> cli.run("job", url, "--json").status() >= 0);
      proxy.goAway();
      soon().until(() -> client.get("/health/ready").status() == 503);
      server.signal("TERM");
      InProcessCli.Result ended = server.result();
      assertThat(ended.out()).as(ended.err()).contains(" stopped");
    }
  }

  @Test
  void aCrashOfTheDatabaseLeavesNoGapInAText() throws Exception {
    String expected = undisturbed();
    String url = url("crashed");
    LauncherProcess server = serve(url + "&lease=10", "--no-http"); // the next one waits for it
    soon().until(() -> server.out().contains(" ready: "));
    String id = submit(url);
    try (PostgresDatabase database = PostgresDatabase.open(PostgresSettings.parse(url, Map.of()))) {
      awaitDrafts(database.reader(), id);
      int before = draft(database.reader(), id, 1);
      crashDatabase();
      soon().until(() -> hasGrown(database.reader(), id, before));
      server.signal("KILL").result(); // another one has to resume from what is there
      assertThat(serve(url, "--no-http", "--drain").result().status()).isZero();
      assertThat(results(url, id)).isEqualTo(expected);
      wholeLog(url, id);
    }
  }

  private static boolean hasGrown(JobReader reader, String id, int before) {
    int now = draft(reader, id, 1);
    return now > before + 50 || now == 0; // it has ended
  }

  /** As a power loss, but for what the system has already got: commits without a flush are lost. */
  private static void crashDatabase() throws IOException {
    Path pid = shared.resolve("data/postmaster.pid");
    ProcessHandle postmaster =
        ProcessHandle.of(Long.parseLong(Files.readAllLines(pid).getFirst())).orElseThrow();
    new ProcessBuilder("kill", "-QUIT", Long.toString(postmaster.pid())).start();
    soon().until(() -> !postmaster.isAlive());
    int port = postgres.getPort();
    postgres.close();
    postgres = database(port).start();
  }
}
