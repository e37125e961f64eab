package dev.millrace.http.page;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.monitoring.StaticContent;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.util.List;
import java.util.Map;

/**
 * The page for people, and its files. They need no key: the page asks for one, and sends it with
 * the requests that it makes.
 */
public final class PageRouteGroup implements RouteGroup {
  private static final ApiResponse TO_THE_DOCUMENT =
      new ApiResponse.Content(
          302, Map.of("Location", "/docs/api", "Vary", "Accept"), "text/plain", new byte[0]);

  private final StaticContent page;
  private final PageFiles files;

  private PageRouteGroup(PageDocument document, PageFiles files) {
    this.page =
        new StaticContent(
            "text/html; charset=utf-8",
            document.bytes(),
            Map.of(
                "Content-Security-Policy",
                document.contentSecurityPolicy(),
                "Referrer-Policy",
                "no-referrer",
                "Vary",
                "Accept"));
    this.files = files;
  }

  /**
   * Finds the page and its libraries on the class path.
   *
   * @throws IllegalStateException if a part of it is missing
   */
  public static PageRouteGroup load() {
    List<LibraryModules> libraries = LibraryModules.find();
    return new PageRouteGroup(PageDocument.load(ImportMap.of(libraries)), PageFiles.of(libraries));
  }

  @Override
  public String prefix() {
    return "/page";
  }

  @Override
  public List<String> prefixes() {
    return List.of("/", prefix());
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/", "getRoot", KeyScope.NONE, this::root),
        new Route("GET", "/page/{file*}", "getPageFile", KeyScope.NONE, this::file));
  }

  /** Programs that ask for the root get what they always got. */
  private ApiResponse root(ApiRequest request) {
    return HtmlPreference.of(request.header("Accept").orElse(""))
        ? page.respond(request)
        : TO_THE_DOCUMENT;
  }

  private ApiResponse file(ApiRequest request) {
    return files
        .find(request.pathParameter("file"))
        .orElseThrow(() -> new Problem(Problem.Kind.NOT_FOUND, "the page has no such file"))
        .respond(request);
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return JsonObject.create()
        .put("message", problem.text())
        .put("code", problem.code() == null ? problem.kind().name() : problem.code());
  }
}
