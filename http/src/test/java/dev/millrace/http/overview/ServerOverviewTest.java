package dev.millrace.http.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.server.ModelOverview;
import dev.millrace.api.server.ServerOverview;
import dev.millrace.core.json.Json;
import dev.millrace.core.task.Backoff;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.ModelDetails;
import dev.millrace.server.infer.model.NamedModel;
import dev.millrace.server.infer.model.NodeNetwork;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the server says about itself, over real sockets, and as the document describes it. */
class ServerOverviewTest {
  private static final Path HOUSE = Path.of("../models/house/house.gguf");

  private final InMemoryServer inMemory = new InMemoryServer();
  private final DocumentedResponseCheck document = new DocumentedResponseCheck();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    inMemory.close();
    client.close();
  }

  private String get(URI at) throws Exception {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(at.resolve("/v1/server")).build(), BodyHandlers.ofString());
    document.check(
        "getServer",
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(null),
        response.body());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private ServerOverview overview(URI at) throws Exception {
    return ServerOverview.fromJson(Json.object(get(at)));
  }

  @Test
  void serverWithoutModelsSaysSo() throws Exception {
    Instant before = Instant.now().minusMillis(1);
    try (HttpApi api = HttpApi.over(inMemory.store, HttpSettings.loopback(0), null)) {
      Server server = inMemory.start(3, Worker.of("run", _ -> "x"));
      ServerOverview overview = overview(api.open(server, Set.of("run", "crop"), null));
      assertThat(overview.name()).isEqualTo(server.name()).startsWith("server-");
      assertThat(overview.state()).isEqualTo("RUNNING");
      assertThat(overview.starting()).isNull();
      assertThat(overview.startTime()).isBetween(before, Instant.now());
      assertThat(overview.slots()).isEqualTo(3);
      assertThat(overview.store()).isEqualTo(new ServerOverview.Store("other", false));
      assertThat(overview.types()).containsExactly("crop", "run");
      assertThat(overview.models()).isEmpty();
      assertThat(overview.nodes()).isEmpty();
      assertThat(overview.pipes()).isEmpty();
      assertThat(overview.audits()).isNull();
    }
  }

  @Test
  void serverThatLoadsAModelSaysWhatItDoes() throws Exception {
    try (HttpApi api = HttpApi.over(inMemory.store, HttpSettings.loopback(0), null)) {
      URI at =
          api.open(
              Set.of("generate"), Set.of("house"), () -> Optional.of("loading model \"house\""));
      ServerOverview overview = overview(at);
      assertThat(overview.state()).isEqualTo("STARTING");
      assertThat(overview.starting()).isEqualTo("loading model \"house\"");
      assertThat(overview.slots()).isZero();
      assertThat(overview.name()).isEqualTo(Server.defaultName());
    }
  }

  @Test
  @Tag("slow")
  void loadedModelsShowWhatTheyCompute() throws Exception {
    InferenceSettings settings =
        InferenceSettings.of(
                List.of(new NamedModel("house", HOUSE), new NamedModel("second", HOUSE)))
            .withEngine(EngineSettings.usual().withContext(512).withSlots(4).withTokens(2048));
    try (Inference inference = Inference.open(settings);
        HttpApi api = HttpApi.over(inMemory.store, HttpSettings.loopback(0), null)) {
      Server server =
          inMemory.start(inMemory.builder().group(inference.slots(), inference.workers()));
      api.attach(server, inference);
      ServerOverview overview =
          overview(api.open(Set.of("generate"), Set.of("house"), Optional::empty));

      ModelOverview house = overview.models().getFirst();
      assertThat(house.name()).isEqualTo("house");
      assertThat(house.standard()).isTrue();
      assertThat(house.loaded()).isTrue();
      assertThat(house.generates()).isTrue();
      assertThat(house.architecture()).isNotEmpty();
      assertThat(house.quantization()).isNotEmpty();
      assertThat(house.context()).isEqualTo(512);
      assertThat(house.layers()).isPositive();
      assertThat(house.bytes()).isEqualTo(Files.size(HOUSE));
      assertThat(house.sha256()).matches("[0-9a-f]{64}");
      assertThat(house.batch().slots()).isEqualTo(4);
      assertThat(house.batch().running()).isZero();
      assertThat(house.batch().pages().free()).isPositive();
      assertThat(house.remote()).isNull();

      ModelOverview second = overview.models().getLast();
      assertThat(second.standard()).isFalse();
      assertThat(second.loaded()).isFalse();
      assertThat(second.sha256()).isNull();
      assertThat(second.batch()).isNull();
      assertThat(second.layers()).isEqualTo(house.layers());
    }
  }

  private static final ModelDetails SPREAD =
      new ModelDetails(
          "large",
          true,
          true,
          false,
          new ModelDetails.Header("llama", "Q4_K_M", 8192, 32, 4_900_000_000L),
          null,
          new ModelDetails.Remote(false, "layers 16-31 are missing"));

  private static NodeNetwork network(String... expelled) {
    NodeNetwork.Holding holding =
        new NodeNetwork.Holding(
            "large.gguf", "9c", new NodeNetwork.Layers(1, 15), 32, "loaded", 24, 11, "");
    NodeNetwork.Holding failed =
        new NodeNetwork.Holding(
            "x.gguf", "", new NodeNetwork.Layers(0, 0), 0, "failed", 0, 0, "no such file");
    NodeNetwork.Node node =
        new NodeNetwork.Node(
            "a",
            "10.0.0.5:4000",
            80,
            26,
            1,
            1,
            2,
            3,
            4,
            "q8_0=2",
            List.of(holding, failed),
            List.of());
    NodeNetwork.Node origin =
        new NodeNetwork.Node(
            "home",
            "10.0.0.4:4000",
            0,
            4,
            0,
            0,
            0,
            3,
            4,
            "",
            List.of(),
            List.of(new NodeNetwork.EndModel("large.gguf", 32, 1)));
    NodeNetwork.Pipe pipe =
        new NodeNetwork.Pipe(
            "large.gguf",
            "9c",
            "home",
            32,
            0,
            "layers 16-31 are missing",
            0,
            1.5,
            List.of(
                new NodeNetwork.Stretch("home", new NodeNetwork.Layers(0, 0)),
                new NodeNetwork.Stretch("a", new NodeNetwork.Layers(1, 15))),
            List.of(new NodeNetwork.Layers(16, 31)));
    return new NodeNetwork(
        List.of(node, origin),
        List.of(pipe),
        new NodeNetwork.Audits(0.05, 12, 1, List.of(expelled)));
  }

  /** Two models in one network: what both know is shown once. */
  @Test
  void modelWithLayersAtNodesShowsItsNetworks() throws Exception {
    OverviewSources sources =
        new OverviewSources(
            inMemory.store,
            Instant.parse("2026-01-31T09:00:00.123456Z"),
            Set.of("generate"),
            () -> null,
            Optional::empty,
            () -> List.of(SPREAD),
            () -> List.of(network("b"), network("c", "b")));
    JobnikRouteGroup jobnik =
        new JobnikRouteGroup(
            inMemory.store,
            new IdResolver(inMemory.store),
            new IdempotentSubmitter(inMemory.store, Clock.systemUTC()),
            _ -> {},
            Backoff.NONE);
    jobnik.add(new ServerOverviewRoute(sources).routes());
    try (HttpService service = HttpService.open(HttpSettings.loopback(0), List.of(jobnik))) {
      String text = get(service.uri());
      assertThat(text)
          .contains("\"startTime\":\"2026-01-31T09:00:00.123Z\"")
          .contains("\"remote\":{\"ready\":false,\"waitReason\":\"layers 16-31 are missing\"}")
          .contains("{\"node\":\"a\",\"first\":1,\"last\":15}")
          .contains("\"missing\":[{\"first\":16,\"last\":31}]")
          .contains("\"originOf\":[{\"model\":\"large.gguf\",\"layers\":32,\"localLayers\":1}]")
          .contains("\"problem\":\"no such file\"")
          .contains(
              "\"audits\":{\"rate\":0.05,\"passed\":24,\"failed\":2,\"expelled\":[\"b\",\"c\"]}");
      ServerOverview overview = ServerOverview.fromJson(Json.object(text));
      assertThat(overview.nodes()).extracting("name").containsExactly("a", "home");
      assertThat(overview.nodes()).extracting("numerics").containsExactly(4, 4);
      assertThat(overview.nodes()).extracting("weightNumerics").containsExactly("q8_0=2", null);
      assertThat(overview.nodes().getFirst().holdings().getFirst().problem()).isNull();
      assertThat(overview.pipes())
          .singleElement()
          .satisfies(it -> assertThat(it.ready()).isFalse());
      assertThat(Json.write(overview.toJson())).isEqualTo(text);
    }
  }
}
