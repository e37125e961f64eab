package dev.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.engine.DeterminismScenario.Kernels;
import dev.millrace.engine.DeterminismScenario.Space;
import dev.millrace.engine.api.KvType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A request gives the same tokens from the same logits, to the bit, however it is computed. Every
 * run combines every two values of two dimensions of a {@link DeterminismScenario}; the full proof
 * has the product of the dimensions.
 */
@Tag("slow")
class DeterminismTest {
  private static final long SEED = 1;

  @TempDir static Path directory;
  private static final Map<DeterminismScenario, List<LogitsTrace>> PLAIN = new HashMap<>();

  private static List<LogitsTrace> plain(TinyModel model, KvType kv) {
    return PLAIN.computeIfAbsent(
        DeterminismScenario.plain(model, kv),
        scenario -> {
          try {
            return ScenarioRunner.plain(scenario, model.in(directory));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** The differences in the traces of a scenario; "" if there are none. */
  private static String difference(DeterminismScenario scenario, String line) {
    if (line.startsWith("!")) {
      return scenario + ": " + line.substring(1);
    }
    List<LogitsTrace> plain = plain(scenario.model(), scenario.kv());
    int[] requests = ScenarioRequests.order(scenario);
    String[] traces = line.split(" ");
    for (int i = 0; i < requests.length; i++) {
      int at = LogitsTrace.read(traces[i]).firstDifference(plain.get(requests[i]));
      if (at >= 0) {
        int position = ScenarioRequests.of(scenario.model()).get(requests[i]).prompt().length + at;
        return "%s: request %d, generated token %d, position %d"
            .formatted(scenario, requests[i], at, position);
      }
    }
    return "";
  }

  private static void check(Space space, List<int[]> rows) throws Exception {
    List<String> differences = new ArrayList<>();
    int[] count = {0};
    DeterminismRun.run(
        space,
        rows,
        directory,
        (scenario, line) -> {
          count[0]++;
          String difference = difference(scenario, line);
          if (!difference.isEmpty() && differences.size() < 20) {
            differences.add(difference);
          }
        });
    assertThat(differences).as("of %d scenarios, seed %d", count[0], SEED).isEmpty();
  }

  private static List<int[]> pairwise(Space space) {
    return PairwiseCombinations.rows(space.sizes(), Space::allows, SEED);
  }

  @Test
  void everyPossiblePairOfValuesOccurs() {
    Space space = Space.of(false);
    List<int[]> rows = pairwise(space);
    assertThat(PairwiseCombinations.missing(rows, space.sizes(), Space::allows))
        .as("seed %d", SEED)
        .isZero();
    assertThat(
            PairwiseCombinations.missing(
                rows.subList(1, rows.size()), space.sizes(), Space::allows))
        .isPositive();
    assertThat(rows).allMatch(Space::allows).hasSizeLessThan(200);
  }

  @Test
  void otherArithmeticWouldBeDetected() {
    TinyModel model = TinyModel.USUAL.getFirst();
    List<LogitsTrace> halves = plain(model, KvType.F16);
    List<LogitsTrace> bytes = plain(model, KvType.Q8);
    for (int i = 0; i < halves.size(); i++) {
      assertThat(halves.get(i).firstDifference(bytes.get(i))).as("request %d", i).isNotNegative();
    }
  }

  @ParameterizedTest
  @EnumSource
  void allKernelsGiveTheSameHoweverItIsComputed(Kernels kernels) throws Exception {
    Space space = Space.of(Boolean.getBoolean("millrace.proof"));
    check(space, of(kernels, space, pairwise(space)));
  }

  private static List<int[]> of(Kernels kernels, Space space, List<int[]> rows) {
    return rows.stream()
        .filter(row -> Space.allows(row) && space.at(row).kernels() == kernels)
        .toList();
  }

  /**
   * Of one model. The scalar kernels are slow: they get every eleventh scenario, and so every value
   * of all dimensions.
   */
  @ParameterizedTest
  @EnumSource
  @EnabledIfSystemProperty(named = "millrace.proof", matches = "true")
  void theProductOfAllWaysToComputeGivesTheSame(Kernels kernels) throws Exception {
    Space space = Space.of(false);
    int[] sizes = space.sizes();
    sizes[0] = 1;
    List<int[]> rows = of(kernels, space, product(sizes));
    int step = kernels == Kernels.SCALAR ? 11 : 1;
    IntStream chosen = IntStream.range(0, rows.size()).filter(i -> i % step == 0);
    check(space, chosen.mapToObj(rows::get).toList());
  }

  /** Of all models; how many requests there are and how their prompts are cut is drawn. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SCALAR")
  @EnabledIfSystemProperty(named = "millrace.proof", matches = "true")
  void theProductOfArchitecturesTypesAndWaysToComputeGivesTheSame(Kernels kernels)
      throws Exception {
    Space space = Space.of(true);
    int[] sizes = space.sizes();
    int[] fewer = sizes.clone();
    int[] drawn = {Space.BATCH, Space.CHUNK, Space.SEEDED};
    for (int dimension : drawn) {
      fewer[dimension] = 1;
    }
    Random random = new Random(SEED);
    List<int[]> rows = product(fewer);
    for (int[] row : rows) {
      do {
        for (int dimension : drawn) {
          row[dimension] = random.nextInt(sizes[dimension]);
        }
      } while (!Space.allows(row));
    }
    check(space, of(kernels, space, rows));
  }

  private static List<int[]> product(int[] sizes) {
    int count = Arrays.stream(sizes).reduce(1, Math::multiplyExact);
    List<int[]> rows = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int[] row = new int[sizes.length];
      int rest = i;
      for (int d = sizes.length - 1; d >= 0; d--) {
        row[d] = rest % sizes[d];
        rest /= sizes[d];
      }
      rows.add(row);
    }
    return rows;
  }
}
