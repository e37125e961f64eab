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
  private final List<RouteGroup> groups;

  public RouteTable(List<RouteGroup> groups) {
    this.groups =
        groups.stream()
            .sorted(
                Comparator.comparingInt((RouteGroup group) -> group.prefix().length()).reversed())
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
    for (RouteGroup group : groups) {
      String prefix = group.prefix();
      if (rawPath.startsWith(prefix)
          && (rawPath.length() == prefix.length()
              || prefix.isEmpty()
              || rawPath.charAt(prefix.length()) == '/')) {
        return group;
      }
    }
    return groups.getLast();
  }

  private @Nullable Node walk(List<String> segments, List<String> values) {
    Node node = root;
    for (String segment : segments) {
      Node next = node.fixed.get(segment);
      if (next == null && node.parameter != null) {
        values.add(segment);
        next = node.parameter;
      }
      if (next == null) {
        return null;
      }
      node = next;
    }
    return node;
  }

  private void add(RouteGroup group, Route route) {
    if (!route.path().startsWith(group.prefix() + "/")) {
      throw new IllegalArgumentException(
          route.path() + " is not below its group's prefix " + group.prefix());
    }
    Node node = root;
    List<String> names = new ArrayList<>();
    String[] parts = route.path().equals("/") ? new String[0] : route.path().split("/", -1);
    for (int i = 1; i < parts.length; i++) {
      String part = parts[i];
      if (part.startsWith("{") && part.endsWith("}")) {
        names.add(part.substring(1, part.length() - 1));
        node.parameter = node.parameter == null ? new Node() : node.parameter;
        node = node.parameter;
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

    Set<String> methods() {
      Set<String> methods = new TreeSet<>(routes.keySet());
      if (methods.contains("GET")) {
        methods.add("HEAD");
      }
      return methods;
    }
  }
}
