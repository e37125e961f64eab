package dev.millrace.http.route;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The routes of all groups as a tree of path segments. At each segment, a fixed name wins over a
 * parameter, without backtracking. Two routes that match the same requests are refused.
 */
public final class RouteTable {
  private final Node root = new Node();
  private final List<Prefix> groups;

  public RouteTable(List<RouteGroup> groups) {
    this.groups =
        groups.stream()
            .flatMap(group -> group.prefixes().stream().map(prefix -> new Prefix(prefix, group)))
            .sorted(Comparator.comparingInt((Prefix it) -> it.text().length()).reversed())
            .toList();
    for (RouteGroup group : groups) {
      group.routes().forEach(route -> add(group, route));
    }
  }

  /** What a request matches. */
  public sealed interface Found {
    RouteGroup group();

    record Handler(RouteGroup group, Route route, Map<String, String> parameters)
        implements Found {}

    /** The path exists, but not with this method. */
    record OtherMethods(RouteGroup group, Set<String> allowed) implements Found {}

    record Nothing(RouteGroup group) implements Found {}
  }

  public Found find(String method, String rawPath) {
    Optional<List<String>> segments = RequestPath.split(rawPath);
    List<String> values = new ArrayList<>();
    Node node = segments.isEmpty() ? null : walk(segments.get(), values);
    if (node == null || node.routes.isEmpty()) {
      return new Found.Nothing(groupOf(rawPath));
    }
    Bound bound = node.routes.get(method);
    if (bound == null && method.equals("HEAD")) {
      bound = node.routes.get("GET");
    }
    if (bound == null) {
      return new Found.OtherMethods(node.routes.values().iterator().next().group(), node.methods());
    }
    Map<String, String> parameters = new HashMap<>();
    for (int i = 0; i < values.size(); i++) {
      parameters.put(bound.names().get(i), values.get(i));
    }
    return new Found.Handler(bound.group(), bound.route(), parameters);
  }

  /** The group that answers for an unknown path: the one with the longest prefix. */
  public RouteGroup groupOf(String rawPath) {
    return groups.stream()
        .filter(prefix -> prefix.covers(rawPath))
        .findFirst()
        .orElse(groups.getLast())
        .group();
  }

  private record Prefix(String text, RouteGroup group) {
    boolean covers(String path) {
      return path.startsWith(text)
          && (path.length() == text.length()
              || text.isEmpty()
              || path.charAt(text.length()) == '/');
    }
  }

  private @Nullable Node walk(List<String> segments, List<String> values) {
    Node node = root;
    for (int i = 0; i < segments.size(); i++) {
      String segment = segments.get(i);
      boolean plain = segment.indexOf('/') < 0; // only a rest may have an escaped slash
      Node next = plain ? node.fixed.get(segment) : null;
      if (next == null && plain && node.parameter != null) {
        values.add(segment);
        next = node.parameter;
      }
      if (next == null && node.rest != null) {
        values.add(String.join("/", segments.subList(i, segments.size())));
        return node.rest;
      }
      if (next == null) {
        return null;
      }
      node = next;
    }
    return node;
  }

  private void add(RouteGroup group, Route route) {
    if (group.prefixes().stream().noneMatch(it -> new Prefix(it, group).covers(route.path()))) {
      throw new IllegalArgumentException(
          route.path() + " is not below its group's prefix " + group.prefixes());
    }
    Node node = root;
    List<String> names = new ArrayList<>();
    String[] parts = route.path().equals("/") ? new String[0] : route.path().split("/", -1);
    for (int i = 1; i < parts.length; i++) {
      String part = parts[i];
      if (part.startsWith("{") && part.endsWith("}")) {
        names.add(part.substring(1, part.length() - (part.endsWith("*}") ? 2 : 1)));
        node = node.child(part.endsWith("*}"));
      } else {
        node = node.fixed.computeIfAbsent(part, key -> new Node());
      }
    }
    if (new HashSet<>(names).size() < names.size()
        || node.routes.put(route.method(), new Bound(group, route, names)) != null) {
      throw new IllegalArgumentException(
          "two routes, or two parameters, are the same: " + route.method() + " " + route.path());
    }
  }

  private record Bound(RouteGroup group, Route route, List<String> names) {}

  private static final class Node {
    private final Map<String, Node> fixed = new HashMap<>();
    private final Map<String, Bound> routes = new LinkedHashMap<>();
    private @Nullable Node parameter;

    /** For a parameter that takes the rest of the path. */
    private @Nullable Node rest;

    /** The node of a parameter, made if there is none. */
    Node child(boolean takesRest) {
      if (takesRest) {
        rest = rest == null ? new Node() : rest;
        return rest;
      }
      parameter = parameter == null ? new Node() : parameter;
      return parameter;
    }

    Set<String> methods() {
      Set<String> methods = new TreeSet<>(routes.keySet());
      if (methods.contains("GET")) {
        methods.add("HEAD");
      }
      return methods;
    }
  }
}
