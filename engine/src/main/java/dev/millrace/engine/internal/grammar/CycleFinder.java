package dev.millrace.engine.internal.grammar;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds cycles in a graph of names by Tarjan's strongly connected components, without recursion.
 */
final class CycleFinder {
  private final Map<String, Set<String>> graph;
  private final Map<String, Integer> index = new HashMap<>();
  private final Map<String, Integer> low = new HashMap<>();
  private final ArrayDeque<String> open = new ArrayDeque<>();
  private final Set<String> isOpen = new HashSet<>();
  private final List<List<String>> components = new ArrayList<>();

  private record Visit(String node, Iterator<String> edges) {}

  private CycleFinder(Map<String, Set<String>> graph) {
    this.graph = graph;
    for (String node : graph.keySet()) {
      if (!index.containsKey(node)) {
        explore(node);
      }
    }
  }

  /** All nodes on some cycle. */
  static Set<String> nodesOnCycles(Map<String, Set<String>> graph) {
    Set<String> members = new HashSet<>();
    new CycleFinder(graph).components.forEach(members::addAll);
    return members;
  }

  /**
   * The nodes of one cycle in order, with the first again at the end; empty if there is no cycle.
   */
  static List<String> firstCycle(Map<String, Set<String>> graph) {
    List<List<String>> components = new CycleFinder(graph).components;
    if (components.isEmpty()) {
      return List.of();
    }
    Set<String> component = new HashSet<>(components.getFirst());
    List<String> path = new ArrayList<>();
    String node = components.getFirst().getFirst();
    while (!path.contains(node)) {
      path.add(node);
      node = graph.get(node).stream().filter(component::contains).findFirst().orElseThrow();
    }
    path.add(node);
    return path.subList(path.indexOf(node), path.size());
  }

  private void explore(String root) {
    ArrayDeque<Visit> stack = new ArrayDeque<>();
    stack.push(enter(root));
    while (!stack.isEmpty()) {
      Visit visit = stack.peek();
      if (visit.edges.hasNext()) {
        String next = visit.edges.next();
        if (!index.containsKey(next)) {
          stack.push(enter(next));
        } else if (isOpen.contains(next)) {
          low.merge(visit.node, index.get(next), Math::min);
        }
      } else {
        stack.pop();
        if (!stack.isEmpty()) {
          low.merge(stack.peek().node, low.get(visit.node), Math::min);
        }
        close(visit.node);
      }
    }
  }

  private Visit enter(String node) {
    index.put(node, index.size());
    low.put(node, index.get(node));
    open.push(node);
    isOpen.add(node);
    return new Visit(node, graph.getOrDefault(node, Set.of()).iterator());
  }

  private void close(String node) {
    if (!low.get(node).equals(index.get(node))) {
      return;
    }
    List<String> component = new ArrayList<>();
    String member;
    do {
      member = open.pop();
      isOpen.remove(member);
      component.add(member);
    } while (!member.equals(node));
    if (component.size() > 1 || graph.getOrDefault(node, Set.of()).contains(node)) {
      components.add(component);
    }
  }
}
