package dev.millrace.bench;

import dev.millrace.bench.harness.InterleavedRounds;
import dev.millrace.bench.harness.ScratchDirectories;
import dev.millrace.bench.model.LlamaCppBench;
import dev.millrace.bench.model.RandomWeights;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Compares our engine with llama.cpp, one process each, in turns: EngineBench [ROUNDS [MODEL…]]. A
 * model is a file, or one of 1b-Q8_0, 1b-Q4_0, 1b-Q4_K_M, smol-Q8_0, smol-Q4_0: random weights in
 * real shapes, created for the run. {@code LLAMA_LIB} names the directory of llama.cpp's libraries.
 */
public final class EngineBench {
  private static final String BATCHES = "1,4,8,16";
  private static final List<String> NAMES =
      List.of("prefill 512", "decode x1", "decode x4", "decode x8", "decode x16");

  private EngineBench() {}

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    List<String> models =
        args.length > 1
            ? Arrays.asList(args).subList(1, args.length)
            : List.of("1b-Q8_0", "1b-Q4_0", "1b-Q4_K_M");
    Path directory = ScratchDirectories.fresh("engine");
    for (String model : models) {
      Path file = RandomWeights.file(directory, model);
      Map<String, List<Double>> millrace = new LinkedHashMap<>();
      Map<String, List<Double>> llamaCpp = new LinkedHashMap<>();
      JsonObject last = JsonObject.create();
      for (int round = 0; round < rounds; round++) {
        last = Json.object(run(millrace(file)));
        record(millrace, rates(last));
        record(
            llamaCpp, Arrays.stream(run(llamaCpp(file)).split(" ")).map(Double::valueOf).toList());
      }
      print(model, millrace, llamaCpp, last);
    }
    ScratchDirectories.clean();
  }

  private static List<String> millrace(Path file) {
    return List.of(
        "./millrace",
        "bench",
        "--model",
        file.toString(),
        "--threads",
        "2",
        "--generate",
        "32",
        "--batch",
        BATCHES,
        "--json");
  }

  private static List<String> llamaCpp(Path file) {
    return List.of(
        System.getProperty("java.home") + "/bin/java",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        System.getProperty("java.class.path"),
        LlamaCppBench.class.getName(),
        file.toString(),
        "2",
        "512",
        "32",
        BATCHES);
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int status = process.waitFor();
    if (status != 0) {
      throw new IllegalStateException(command + " ended with " + status);
    }
    List<String> lines = output.strip().lines().toList();
    return lines.getLast();
  }

  private static List<Double> rates(JsonObject figures) {
    List<Double> values = new ArrayList<>();
    values.add(figures.number("prefill_tps", 0));
    JsonObject decode = figures.object("decode_tps");
    for (String size : BATCHES.split(",")) {
      values.add(decode.number(size, 0));
    }
    return values;
  }

  private static void record(Map<String, List<Double>> all, List<Double> figures) {
    for (int i = 0; i < NAMES.size(); i++) {
      all.computeIfAbsent(NAMES.get(i), name -> new ArrayList<>()).add(figures.get(i));
    }
  }

  private static void print(
      String model,
      Map<String, List<Double>> millrace,
      Map<String, List<Double>> llamaCpp,
      JsonObject last) {
    System.out.printf(
        Locale.ROOT,
        "%s%n%-14s %10s %10s %8s%n",
        model,
        "tokens/s",
        "millrace",
        "llama.cpp",
        "ratio");
    for (String name : NAMES) {
      double ownRate = InterleavedRounds.median(millrace.get(name));
      double otherRate = InterleavedRounds.median(llamaCpp.get(name));
      System.out.printf(
          Locale.ROOT,
          "%-14s %10.1f %10.1f %7.2fx%n",
          name,
          ownRate,
          otherRate,
          ownRate / otherRate);
    }
    for (String name :
        List.of(
            "decode_share_of_memory",
            "prefill_share_of_arithmetic",
            "load_ms",
            "first_token_ms",
            "rss_mb",
            "weights_mb")) {
      System.out.printf(Locale.ROOT, "%-28s %s%n", name, last.get(name));
    }
  }
}
