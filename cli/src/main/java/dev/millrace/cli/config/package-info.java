/**
 * Reads configuration files: those of Millrace, whose keys are options, and those of Language
 * Pipes, whose keys are translated into options. Start at {@link ConfigurationFile}.
 */
@NullMarked
package dev.millrace.cli.config;

import org.jspecify.annotations.NullMarked;
