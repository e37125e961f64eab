package dev.millrace.cli.config;

import dev.millrace.cli.args.Arguments;
import dev.millrace.cli.args.ConfiguredOptions;
import dev.millrace.cli.args.Option;
import dev.millrace.cli.command.Shell;
import dev.millrace.cluster.NetworkKey;
import dev.millrace.core.internal.hash.Sha256;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;

/**
 * Reads a configuration of Language Pipes, in which keys of Millrace may stand too. Each key that
 * means the same becomes an option; each that does not becomes a problem that says what to write
 * instead, and one error has all of them.
 */
public final class LanguagePipesFile {
  /** The network's key of 32 hex digits. No command has this option: a file alone sets it. */
  public static final Option NETWORK_KEY = Option.value("network_key", "HEX", "");

  /** SHA-256 of the keys of API clients. No command has this option: a file alone sets it. */
  public static final Option API_KEY_HASHES = Option.value("api_keys", "SHA256", "").many();

  private static final System.Logger LOG = System.getLogger("dev.millrace.cli");

  /** The engine's limit for one batch. */
  private static final int MOST_JOBS = 512;

  private static final List<String> VARIABLES =
      List.of(
          "LP_APP_DIR",
          "LP_MODEL_DIR",
          "LP_NUM_LOCAL_LAYERS",
          "LP_MAX_NODE_JOBS",
          "LP_MAX_API_JOBS",
          "LP_8_BIT_MODE");

  private LanguagePipesFile() {}

  /** Whether the file has layers to hold. */
  public static boolean hasLayers(ConfigurationFile file) {
    return file.isLanguagePipes()
        && new LanguagePipesTable(file.toml(), "", new ConfigurationProblems(file.file()))
            .lists(LanguagePipesKeys.LAYER_MODELS);
  }

  /**
   * The values of these options.
   *
   * @param given the command line, which wins
   * @throws dev.millrace.cli.args.UsageException with everything that is wrong
   */
  public static ConfiguredOptions options(
      Shell shell,
      ConfigurationFile file,
      Arguments given,
      List<Option> known,
      ConfigurationUse use) {
    LanguagePipesTranslation translation =
        new LanguagePipesTranslation(shell, file, given, known, use);
    translation.readOtherKeys();
    new LanguagePipesNetwork(translation).translate();
    if (use != ConfigurationUse.QUERY) {
      new LanguagePipesModels(translation).translate();
    }
    if (use == ConfigurationUse.NODE) {
      requireNoApi(translation.root());
    }
    if (use == ConfigurationUse.SERVER) {
      api(translation);
    }
    ConfiguredOptions options = translation.options();
    if (use == ConfigurationUse.NODE || use == ConfigurationUse.SERVER) {
      warn(translation);
    }
    return options;
  }

  private static void requireNoApi(LanguagePipesTable root) {
    if (root.lists(LanguagePipesKeys.END_MODELS)) {
      return; // one problem says to run another command
    }
    for (String key :
        List.of(
            LanguagePipesKeys.JOB_PORT,
            LanguagePipesKeys.API_KEYS,
            LanguagePipesKeys.MAX_API_JOBS)) {
      if (root.has(key)) {
        root.problem(
            key, "a node without an end model has no API; remove the line, the server has it");
      }
    }
  }

  private static void api(LanguagePipesTranslation translation) {
    LanguagePipesTable root = translation.root();
    int jobs = root.integer(LanguagePipesKeys.MAX_API_JOBS, 1, MOST_JOBS, 0);
    if (jobs > 0) {
      translation.set(
          "slots", List.of(Integer.toString(jobs)), root, LanguagePipesKeys.MAX_API_JOBS);
    }
    List<String> hashes =
        root.texts(LanguagePipesKeys.API_KEYS).stream().map(Sha256::hexOf).toList();
    int port = root.integer(LanguagePipesKeys.JOB_PORT, 1, 65_535, 0);
    if (port > 0) {
      translation.set("port", List.of(Integer.toString(port)), root, LanguagePipesKeys.JOB_PORT);
    } else if (!translation.isSet("port")) {
      translation.setDefault("no-http", "", "no job_port, so that there is no HTTP API");
      return;
    }
    if (!hashes.isEmpty() && translation.isSet("api-key-file")) {
      root.problem(
          LanguagePipesKeys.API_KEYS, "api-key-file has the keys already; remove one of the two");
    } else if (!hashes.isEmpty()) {
      translation.set(API_KEY_HASHES.name(), hashes, root, LanguagePipesKeys.API_KEYS);
      translation.setDefault("bind", "0.0.0.0", "job_port with api_keys");
    }
  }

  private static void warn(LanguagePipesTranslation translation) {
    LanguagePipesTable root = translation.root();
    if (root.has(LanguagePipesKeys.NETWORK_KEY)) {
      try {
        NetworkKey.warnOfOtherReaders(translation.file());
      } catch (IOException e) {
        LOG.log(Level.DEBUG, "no permissions to look at", e);
      }
    }
    for (String variable : VARIABLES) {
      if (translation.shell().variable(variable) != null) {
        LOG.log(Level.WARNING, variable + " is set, but not used: docs/moving.md has what to do");
      }
    }
    if (root.has(LanguagePipesKeys.JOB_PORT)) {
      LOG.log(
          Level.INFO,
          "job_port: the API there is that of docs/http.md, with /v1/chat/completions and more"
              + (translation.isSet("bind") || !root.texts(LanguagePipesKeys.API_KEYS).isEmpty()
                  ? ""
                  : ", and without api_keys only this machine can reach it"));
      if (!root.texts(LanguagePipesKeys.API_KEYS).isEmpty() && !translation.isSet("tls-cert")) {
        LOG.log(
            Level.WARNING,
            "keys, prompts and results travel unencrypted to job_port, as with Language Pipes: set"
                + " tls-cert and tls-key, or bind = \"127.0.0.1\" behind a proxy with TLS");
      }
    }
  }
}
