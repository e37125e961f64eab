/**
 * The place that a command works on: {@link PlaceLocator} finds out which, {@link PlaceOpener}
 * opens a directory ({@link LocalWorkspace}) or a server's URL ({@link RemoteWorkspace}), and the
 * command uses a {@link Place} without knowing which. Start at {@link Place}.
 */
@NullMarked
package dev.millrace.cli.place;

import org.jspecify.annotations.NullMarked;
