/**
 * {@code millrace serve}: takes ownership of a workspace, loads models, answers over HTTP, and
 * stops in an orderly way; also {@code apikey}. With {@code --status} and {@code --stop} the
 * command acts on the server of another process ({@link OwnerStatusPrinter}, {@link OwnerStopper});
 * {@link LocalServer} is a server inside another command, such as batch and demo. Start at {@link
 * ServeCommand}, then {@link ServeRun}.
 */
@NullMarked
package dev.millrace.cli.serve;

import org.jspecify.annotations.NullMarked;
