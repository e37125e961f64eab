/**
 * The address of a database, as users write it. Start at {@link
 * dev.millrace.store.postgres.settings.PostgresSettings}.
 */
@NullMarked
package dev.millrace.store.postgres.settings;

import org.jspecify.annotations.NullMarked;
