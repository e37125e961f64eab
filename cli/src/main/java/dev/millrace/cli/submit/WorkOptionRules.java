package dev.millrace.cli.submit;

import static dev.millrace.cli.submit.WorkCommand.ATTEMPTS;
import static dev.millrace.cli.submit.WorkCommand.AUDIO;
import static dev.millrace.cli.submit.WorkCommand.EMBED;
import static dev.millrace.cli.submit.WorkCommand.GRAMMAR;
import static dev.millrace.cli.submit.WorkCommand.IMAGE;
import static dev.millrace.cli.submit.WorkCommand.JOB;
import static dev.millrace.cli.submit.WorkCommand.MODE;
import static dev.millrace.cli.submit.WorkCommand.PARAM;
import static dev.millrace.cli.submit.WorkCommand.QUEUE_TIMEOUT;
import static dev.millrace.cli.submit.WorkCommand.RUN_TIMEOUT;
import static dev.millrace.cli.submit.WorkCommand.SCHEMA;
import static dev.millrace.cli.submit.WorkCommand.STT;
import static dev.millrace.cli.submit.WorkCommand.TTS;
import static dev.millrace.cli.submit.WorkCommand.TYPE;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.args.UsageException;
import org.jspecify.annotations.Nullable;

/** Rejects options of {@code work} that do not go together. */
final class WorkOptionRules {
  /** What to use for the modes of nrvna that Millrace does not have. */
  private static final String NOT_SUPPORTED =
      " is not supported: Millrace works on text. Turn images and sound into text first, with a"
          + " program of your own (\"serve --exec TYPE=COMMAND\" and \"work --type TYPE\", such as"
          + " whisper.cpp or llama-mtmd-cli), or keep nrvna for them; docs/moving.md shows both";

  private static final String NO_SPEECH =
      " is not supported: Millrace works on text. Make speech of a result in a last stage, with a"
          + " program of your own that reads the text (\"serve --exec TYPE=COMMAND\" and \"work"
          + " --job FILE\"), or keep nrvna for it; docs/moving.md shows stages";

  private WorkOptionRules() {}

  static void check(Arguments given) {
    exclusions(given);
    for (Option option : new Option[] {IMAGE, AUDIO, TTS, STT}) {
      if (given.has(option)) {
        throw new UsageException(option.shown() + (option == TTS ? NO_SPEECH : NOT_SUPPORTED));
      }
    }
    String mode = given.get(MODE);
    if (mode != null) {
      mode(given, mode);
    }
    GenerationOptions.check(given, type(given));
    if (given.has(JOB)) {
      document(given);
    }
  }

  private static void exclusions(Arguments given) {
    given.exclude(TTS, STT);
    if (given.has(AUDIO) && !given.has(STT)) {
      throw new UsageException("--audio requires --stt");
    }
    if (given.has(STT) && !given.has(AUDIO)) {
      throw new UsageException("--stt requires --audio PATH");
    }
    given.exclude(EMBED, TTS);
    given.exclude(EMBED, STT);
    given.exclude(TTS, IMAGE);
    given.exclude(TTS, AUDIO);
    given.exclude(STT, IMAGE);
    given.exclude(SCHEMA, GRAMMAR);
    given.exclude(TYPE, EMBED);
    given.exclude(TYPE, MODE);
    for (Option other : new Option[] {EMBED, TTS, STT}) {
      given.exclude(SCHEMA, other);
      given.exclude(GRAMMAR, other);
    }
  }

  private static void mode(Arguments given, String mode) {
    switch (mode) {
      case "text" -> given.exclude(MODE, EMBED);
      case "embed" -> {
        given.exclude(MODE, SCHEMA);
        given.exclude(MODE, GRAMMAR);
      }
      case "vision", "stt" -> throw new UsageException("--mode " + mode + NOT_SUPPORTED);
      case "tts" -> throw new UsageException("--mode tts" + NO_SPEECH);
      default -> throw new UsageException("--mode must be text or embed, not \"" + mode + "\"");
    }
  }

  /** Options that the document of {@code --job} sets for each stage. */
  private static void document(Arguments given) {
    Option[] perStage = {
      EMBED, MODE, TYPE, PARAM, SCHEMA, GRAMMAR, ATTEMPTS, QUEUE_TIMEOUT, RUN_TIMEOUT
    };
    for (Option option : perStage) {
      reject(given, option);
    }
    for (Option option : GenerationOptions.ALL) {
      reject(given, option);
    }
    if (given.words().size() > 1) {
      throw new UsageException("a prompt and --job are mutually exclusive");
    }
  }

  private static void reject(Arguments given, Option option) {
    if (given.has(option)) {
      throw new UsageException(
          option.shown() + " cannot be used with --job: its document sets it for each stage");
    }
  }

  /** The worker type that the options ask for. */
  static String type(Arguments given) {
    @Nullable String type = given.get(TYPE);
    if (type != null) {
      return type;
    }
    return given.has(EMBED) || "embed".equals(given.get(MODE)) ? "embed" : "generate";
  }
}
