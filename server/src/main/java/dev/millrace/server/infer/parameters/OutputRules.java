package dev.millrace.server.infer.parameters;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When an output ends, what it must match, and what is reported of it.
 *
 * @param stops texts that end the output and are not part of it
 * @param ignoreEos whether the model's end token does not end the output
 * @param constraint null: the output is free
 * @param report what is reported beside the text
 */
public record OutputRules(
    List<String> stops,
    boolean ignoreEos,
    @Nullable OutputConstraint constraint,
    OutputReport report) {}
