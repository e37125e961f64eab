package dev.millrace.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.error.GrammarException;
import dev.millrace.engine.internal.budget.CompileBudget;
import dev.millrace.engine.internal.budget.CompileLimits;
import dev.millrace.engine.internal.jinja.JinjaTemplate;
import dev.millrace.engine.internal.jinja.value.JinjaLimits;
import dev.millrace.engine.internal.sample.StopStrings;
import java.lang.management.ManagementFactory;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Searches for texts that cost more than they weigh: it keeps those that cost the most, and changes
 * them. Whatever it finds stays within the budgets, and allocates no more than what was charged
 * allows.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class CostFuzzTest {
  private static final boolean PROOF = Boolean.getBoolean("millrace.proof");
  private static final long SEED = Long.getLong("millrace.seed", PROOF ? System.nanoTime() : 19);
  private static final int KEPT = 24;

  /** Smaller than the default, so that the search is fast; the ratios are the same. */
  private static final CompileLimits LIMITS = new CompileLimits(400_000, 10_000, 4L << 20);

  /** What may be allocated beyond what is charged: the parts that do not depend on the text. */
  private static final long FREE_BYTES = 24L << 20;

  /** A charged byte is kept, but on the way to it more are allocated; a step is one small object. */
  private static final int ALLOCATED_PER_BYTE = 8;

  private static final int ALLOCATED_PER_STEP = 160;

  private static final TestVocabulary VOCABULARY =
      TestVocabulary.bytesAnd("ab", "abc", "aaaa", "\":", "{\"", "é", " a");

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final LocalDateTime NOW = LocalDateTime.of(2026, 2, 5, 9, 3, 7);

  private record Costly<T>(T input, double cost) {}

  private final SplittableRandom random = new SplittableRandom(SEED);

  @Test
  void schemas() {
    List<Map<String, Object>> seeds = new ArrayList<>();
    seeds.add(CompileCostTest.nestedAllOf(6));
    seeds.add(CompileCostTest.manyRequired(2));
    for (int i = 0; i < 20; i++) {
      @SuppressWarnings("unchecked")
      Map<String, Object> schema = (Map<String, Object>) (Map<?, ?>) new RandomSchemas(i).schema();
      seeds.add(schema);
    }
    SchemaMutator mutator = new SchemaMutator(random);
    search(700, seeds, mutator::mutate, JsonSchema::compile);
  }

  @Test
  void grammars() {
    List<String> seeds =
        List.of(
            "root ::= [a-z]{20} | \"ab\" root?",
            "root ::= (\"a\" | \"b\" x){0,9} x\nx ::= [^\"\\\\] y*\ny ::= \"1\" | \"\"",
            "root ::= \"a\" root \"x\" | \"a\" root \"y\" | \"b\"",
            "root ::= [ab]* \"a\" [ab]{6}");
    List<String> words =
        List.of(
            "root",
            "x",
            "y",
            "|",
            "(",
            ")",
            "*",
            "+",
            "?",
            "{99}",
            "{0,999}",
            "[a-zé-ü]",
            "[^a]",
            "\"\"",
            "\"abé\"",
            "\n",
            "z ::= x x\n",
            ".");
    search(1500, seeds, new TextMutator(random, words)::mutate, Grammar::gbnf);
  }

  @Test
  void patterns() {
    List<String> seeds =
        List.of("^[ab]*a[ab]{5}$", "(a?b?){9}", "^((a{9}){9}|\\d+.)*$", "^[^a-f]{3,90}x|y$");
    List<String> words =
        List.of(
            "(", ")", "|", "*", "+", "?", "{99}", "{0,999}", ".", "\\w", "\\S", "[^ab]", "a",
            "[é-ü😀]", "(?:", "$|^");
    search(
        1500,
        seeds,
        new TextMutator(random, words)::mutate,
        text -> JsonSchema.compile(Map.of("type", "string", "pattern", text)));
  }

  @Test
  void templates() {
    List<String> seeds =
        List.of(
            "{% for i in range(9) %}{% for j in range(9) %}{{ 'x' * 9 ~ i }}{% endfor %}{% endfor"
                + " %}",
            "{% set n = namespace(x='ab') %}{% for i in range(9) %}{% set n.x = n.x ~ n.x %}{%"
                + " endfor %}{{ n.x|upper }}",
            "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(5)"
                + " }}",
            "{{ messages|tojson(indent=2) }}{{ messages|map(attribute='role')|join(',') }}");
    List<String> words =
        List.of(
            "9",
            "99999",
            " * 99",
            " ~ n.x",
            "|list",
            "|tojson",
            "|sort",
            "|replace('a', 'bb')",
            ".split('a')",
            "[::-1]",
            "range(9999)",
            "n.x",
            "messages",
            "+ messages",
            "|join('xx')",
            "|batch(3)",
            "|reverse",
            "|unique",
            "|center(99)",
            "'%99d' % 1");
    JinjaLimits limits = new JinjaLimits(1 << 16, 100_000, 1 << 16, 50);
    Map<String, Object> context =
        Map.of("messages", List.of(Map.of("role", "user", "content", "hello")));
    search(
        3000,
        seeds,
        new TextMutator(random, words)::mutate,
        text -> {
          JinjaTemplate.parse(text, limits).render(context, NOW);
          return null;
        });
  }

  @Test
  void stops() {
    List<String> words = List.of("\n", "a", "ab", "aaaaaaa", "aaaa\naaab", "é");
    search(
        1000,
        List.of("a\nab\nabc\nbc", "aaaaaaaaaa\naaaab"),
        new TextMutator(random, words)::mutate,
        text -> {
          String bounded = text.length() > 16_384 ? text.substring(0, 16_384) : text;
          StopStrings stops =
              new StopStrings(bounded.lines().filter(line -> !line.isEmpty()).limit(1024).toList());
          for (int i = 0; i < 50 && !stops.isStopped(); i++) {
            stops.push("aaaaaaaac");
          }
          return null;
        });
  }

  private static @Nullable Grammar automaton(@Nullable Grammar grammar) {
    if (grammar != null) {
      grammar.requireWithinLimits();
    }
    return grammar;
  }

  /** Generates a little: each mask is there, or is refused. */
  private void use(Grammar grammar) {
    try {
      Constraint.State state = Constraint.compile(grammar, VOCABULARY).start();
      for (int i = 0; i < 6 && !state.mustEnd(); i++) {
        assertThat(state.accept(choose(state.allowed()))).isTrue();
      }
    } catch (GrammarException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
  }

  private int choose(long[] allowed) {
    int size = 64 * allowed.length;
    int token = random.nextInt(size);
    while ((allowed[token >> 6] >>> token & 1) == 0) {
      token = (token + 1) % size;
    }
    return token;
  }

  private <T> void search(
      int rounds, List<T> seeds, Function<T, T> mutate, Function<T, @Nullable Grammar> work) {
    System.out.println("seed " + SEED);
    List<Costly<T>> pool = new ArrayList<>();
    for (T seed : seeds) {
      pool.add(new Costly<>(seed, cost(seed, work)));
    }
    double most = 0;
    for (int i = 0; i < (PROOF ? 100 * rounds : rounds); i++) {
      T next = mutate.apply(pool.get(random.nextInt(pool.size())).input);
      double cost = cost(next, work);
      most = Math.max(most, cost);
      pool.add(new Costly<>(next, cost));
      if (pool.size() > KEPT) {
        pool.sort(Comparator.comparingDouble(c -> -c.cost));
        pool.remove(KEPT / 2 + random.nextInt(pool.size() - KEPT / 2)); // some cheap ones stay
      }
    }
    assertThat(most).as("the search finds costly texts").isPositive();
  }

  /** What it costs, as a part of the budget; it also prefers what allocates more than it says. */
  private <T> double cost(T input, Function<T, @Nullable Grammar> work) {
    CompileBudget budget = new CompileBudget(LIMITS);
    Grammar made = null;
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      made = budget.call(() -> automaton(work.apply(input)));
    } catch (EngineException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    assertThat(budget.steps()).isLessThanOrEqualTo(LIMITS.steps());
    assertThat(budget.bytes()).isLessThanOrEqualTo(LIMITS.bytes());
    assertThat(budget.states()).isLessThanOrEqualTo(LIMITS.states());
    long allowed =
        FREE_BYTES + ALLOCATED_PER_BYTE * budget.bytes() + ALLOCATED_PER_STEP * budget.steps();
    if (allocated > allowed) {
      throw new AssertionError(
          "seed %d: %d bytes allocated for %d steps and %d bytes: %s"
              .formatted(SEED, allocated, budget.steps(), budget.bytes(), input));
    }
    if (made != null && random.nextInt(16) == 0) {
      use(made);
    }
    return (double) budget.steps() / LIMITS.steps()
        + (double) budget.bytes() / LIMITS.bytes()
        + 2.0 * allocated / allowed;
  }
}
