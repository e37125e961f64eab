package dev.millrace.http.overview;

import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.infer.model.ModelDetails;
import dev.millrace.server.infer.model.NodeNetwork;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the parts of an overview come from; any thread may ask them.
 *
 * @param server null before there is one
 * @param starting what the server still does before it is ready; empty: nothing
 * @param types of the tasks that the server has workers for
 * @param models none before they are loaded
 * @param networks of nodes that the models have joined
 */
public record OverviewSources(
    JobStore store,
    Instant startTime,
    Set<String> types,
    Supplier<@Nullable Server> server,
    Supplier<Optional<String>> starting,
    Supplier<List<ModelDetails>> models,
    Supplier<List<NodeNetwork>> networks) {
  public OverviewSources {
    types = Set.copyOf(types);
  }

  /** Of a store whose tasks are for workers elsewhere. */
  public static OverviewSources withoutModels(JobStore store, Set<String> types) {
    return new OverviewSources(
        store, Instant.now(), types, () -> null, Optional::empty, List::of, List::of);
  }
}
