package dev.millrace.cli.soak;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A job as it is on disk, read with nothing of the store's code.
 *
 * @param place the state directory that it is in
 * @param events its log
 */
record JobRecord(
    String id, String place, Path directory, JsonObject meta, List<JsonObject> events) {
  private static final List<String> PLACES =
      List.of("input/ready", "processing", "paused", "output", "failed", "cancelled");

  /** Every job of a workspace; one that is in two places is there twice. */
  static List<JobRecord> all(Path workspace) throws IOException {
    List<JobRecord> jobs = new ArrayList<>();
    for (String place : PLACES) {
      try (Stream<Path> entries = Files.list(workspace.resolve(place))) {
        for (Path directory : entries.toList()) {
          jobs.add(read(place, directory));
        }
      }
    }
    return jobs;
  }

  private static JobRecord read(String place, Path directory) throws IOException {
    Path log = directory.resolve("events.jsonl");
    List<JsonObject> events = new ArrayList<>();
    if (Files.exists(log)) {
      for (String line : Files.readAllLines(log)) {
        events.add(Json.object(line));
      }
    }
    JsonObject meta = Json.object(Files.readString(directory.resolve("meta.json")));
    return new JobRecord(directory.getFileName().toString(), place, directory, meta, events);
  }

  boolean hasEnded() {
    return List.of("output", "failed", "cancelled").contains(place);
  }

  /** The entries of a kind, such as {@code pause}. */
  List<JsonObject> events(String kind) {
    return events.stream().filter(event -> event.string("event").equals(kind)).toList();
  }

  /** {@code job/stage/task} of an entry about a task. */
  String subject(JsonObject event) {
    return id + "/" + event.integer("stage") + "/" + event.integer("task");
  }

  /** The text to which a completion refers. */
  String result(JsonObject completion) throws IOException {
    Path plain = directory.resolve("result.txt");
    if (Files.exists(plain)) {
      return Files.readString(plain);
    }
    Path file = stage(completion.integer("stage")).resolve("results.jsonl");
    ByteBuffer line = ByteBuffer.allocate(Math.toIntExact(completion.integer("length")));
    try (FileChannel in = FileChannel.open(file)) {
      in.read(line, completion.integer("offset"));
    }
    String text = new String(line.array(), StandardCharsets.UTF_8).strip();
    return String.valueOf(Json.object(text).get("result"));
  }

  /** How many lines of the tasks of a stage have a text. */
  long tasksWith(int stage, String text) throws IOException {
    Path tasks = stage(stage).resolve("tasks.jsonl");
    return Files.readAllLines(tasks).stream().filter(line -> line.contains(text + "\"")).count();
  }

  private Path stage(long number) throws IOException {
    try (Stream<Path> stages = Files.list(directory.resolve("stages"))) {
      return stages
          .filter(stage -> stage.getFileName().toString().startsWith(number + "-"))
          .findFirst()
          .orElseThrow(() -> new IOException("no stage " + number + " in " + directory));
    }
  }
}
