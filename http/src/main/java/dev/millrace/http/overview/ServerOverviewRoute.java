package dev.millrace.http.overview;

import dev.millrace.api.server.ServerOverview;
import dev.millrace.api.server.ServerOverview.Audits;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.server.Server;
import dev.millrace.server.ServerState;
import dev.millrace.server.infer.model.NodeNetwork;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/server}: the server, its models, and the networks that they have joined. */
public record ServerOverviewRoute(OverviewSources sources) {
  public List<Route> routes() {
    return List.of(new Route("GET", "/v1/server", "getServer", KeyScope.READ, this::get));
  }

  private ApiResponse get(ApiRequest request) {
    return ApiResponse.ok(overview().toJson());
  }

  private ServerOverview overview() {
    Server server = sources.server().get();
    List<NodeNetwork> networks = sources.networks().get();
    return new ServerOverview(
        server == null ? Server.defaultName() : server.name(),
        version(),
        (server == null ? ServerState.STARTING : server.status().state()).name(),
        sources.starting().get().orElse(null),
        sources.startTime().truncatedTo(ChronoUnit.MILLIS),
        server == null ? 0 : server.status().slots(),
        new ServerOverview.Store(sources.store().kind(), sources.store().isShared()),
        List.copyOf(new TreeSet<>(sources.types())),
        sources.models().get().stream().map(OverviewMapper::model).toList(),
        OverviewMapper.nodes(networks),
        networks.stream()
            .flatMap(network -> network.pipes().stream())
            .distinct()
            .map(OverviewMapper::pipe)
            .toList(),
        audits(networks));
  }

  /** The version in the jar's manifest; classes outside of a jar have none. */
  private static String version() {
    return Objects.requireNonNullElse(
        ServerOverviewRoute.class.getPackage().getImplementationVersion(), "(unpackaged)");
  }

  /** The sum over all networks; all have the same rate, which is an option of the server. */
  private static @Nullable Audits audits(List<NodeNetwork> networks) {
    if (networks.isEmpty()) {
      return null;
    }
    List<String> expelled = new ArrayList<>();
    long passed = 0;
    long failed = 0;
    for (NodeNetwork network : networks) {
      passed += network.audits().passed();
      failed += network.audits().failed();
      expelled.addAll(network.audits().expelled());
    }
    return new Audits(
        networks.getFirst().audits().rate(), passed, failed, List.copyOf(new TreeSet<>(expelled)));
  }
}
