package dev.millrace.bench.trace;

import dev.millrace.bench.harness.InterleavedRounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;

/**
 * Recorded requests to a real service: rows of the Azure LLM inference traces (time, prompt tokens,
 * output tokens, after a header line).
 */
public record RequestTrace(List<Arrival> arrivals) {

  /**
   * A request.
   *
   * @param at time since the first request
   */
  public record Arrival(Duration at, int prompt, int output) {
    int total() {
      return prompt + output;
    }
  }

  /** The minimum length of a prompt: the BOS token and a word. */
  private static final int LEAST = 2;

  public static RequestTrace read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    List<Arrival> arrivals = new ArrayList<>();
    LocalDateTime first = null;
    for (int i = 1; i < lines.size(); i++) {
      String[] cells = lines.get(i).split(",");
      try {
        LocalDateTime time = LocalDateTime.parse(cells[0].replace(' ', 'T'));
        first = first == null ? time : first;
        arrivals.add(
            new Arrival(
                Duration.between(first, time),
                Integer.parseInt(cells[1]),
                Integer.parseInt(cells[2])));
      } catch (DateTimeParseException | NumberFormatException | IndexOutOfBoundsException e) {
        throw new IOException(
            file + ":" + (i + 1) + ": \"" + lines.get(i) + "\" is not \"time,prompt,output\"", e);
      }
    }
    if (arrivals.size() < 2) {
      throw new IOException(file + ": a trace needs at least two rows after its header");
    }
    return new RequestTrace(arrivals);
  }

  public RequestTrace first(int rows) {
    return new RequestTrace(arrivals.subList(0, Math.min(rows, arrivals.size())));
  }

  /**
   * The same with all lengths multiplied by one factor, such that 95 of 100 requests fit into
   * {@code room} tokens; the prompts of the others are cut.
   */
  public RequestTrace scaled(int room) {
    long[] totals = arrivals.stream().mapToLong(Arrival::total).toArray();
    double factor = Math.min(1, room / InterleavedRounds.percentile(totals, 0.95));
    return new RequestTrace(
        arrivals.stream().map(arrival -> scaled(arrival, factor, room)).toList());
  }

  private static Arrival scaled(Arrival arrival, double factor, int room) {
    int output = Math.clamp(Math.round(arrival.output * factor), 1, room / 2);
    int prompt = Math.clamp(Math.round(arrival.prompt * factor), LEAST, room - output);
    return new Arrival(arrival.at, prompt, output);
  }

  public int rows() {
    return arrivals.size();
  }

  /** Requests per second. */
  public double rate() {
    return (arrivals.size() - 1) * 1e9 / arrivals.getLast().at.toNanos();
  }

  public double meanPrompt() {
    return arrivals.stream().mapToInt(Arrival::prompt).average().orElse(0);
  }

  public double meanOutput() {
    return arrivals.stream().mapToInt(Arrival::output).average().orElse(0);
  }
}
