package dev.millrace.core.store.random;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.fixture.StoreFixture;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Two stores on one clock that get the same calls. */
final class StorePair {
  private static final int TRACE = 40;

  /** One store with the claims that it granted, in order. */
  static final class Side {
    final StoreFixture fixture;
    final ContractSettings settings;
    final List<Claim> claims = new ArrayList<>();
    final List<JobId> told = new ArrayList<>();
    final Set<JobId> changed = new HashSet<>();
    JobStore store;

    Side(StoreFixture fixture, ManualClock clock) {
      this.fixture = fixture;
      this.settings = ContractSettings.steady(clock);
      open();
    }

    void open() {
      store = fixture.open(settings);
      store.onLever(told::add);
      store.onChange(changed::add);
    }

    List<JobId> takeTold() {
      List<JobId> taken = List.copyOf(told);
      told.clear();
      return taken;
    }
  }

  final ManualClock clock = new ManualClock();
  final Side a;
  final Side b;

  /** The last operations and their outcomes. */
  final List<String> trace = new ArrayList<>();

  StorePair(StoreFixture a, StoreFixture b) {
    this.a = new Side(a, clock);
    this.b = new Side(b, clock);
  }

  <T> T same(String name, Function<Side, T> act, Function<T, Object> shown) {
    trace.add(clock.instant() + " " + name);
    if (trace.size() > TRACE) {
      trace.removeFirst();
    }
    T first = act.apply(a);
    T second = act.apply(b);
    trace.add(trace.removeLast() + " -> " + shown.apply(first));
    assertThat(shown.apply(second)).as(name).isEqualTo(shown.apply(first));
    return first;
  }

  <T> T same(String name, Function<Side, T> act) {
    return same(name, act, value -> value);
  }

  /**
   * Checks that no change was left out.
   *
   * @param soft whether the change is durable only with the next answer, and may be notified with
   *     it
   */
  void requireTold(boolean soft) {
    assertThat(Set.copyOf(b.takeTold())).as("levers told").isEqualTo(Set.copyOf(a.takeTold()));
    Set<JobId> expected = new HashSet<>(a.changed);
    expected.removeIf(id -> a.store.state(id).isEmpty());
    if (!soft) {
      assertThat(b.changed).as("changes told").containsAll(expected);
    }
    a.changed.clear();
    b.changed.clear();
  }
}
