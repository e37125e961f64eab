/**
 * Groups of options that several commands share (engine, inference, network, pipe), with their
 * environment variables and the configuration file behind them; {@link GenerationDefaults} come
 * from environment variables alone. Each group turns arguments into the settings of a module. Start
 * at {@link EngineOptions}.
 */
@NullMarked
package dev.millrace.cli.options;

import org.jspecify.annotations.NullMarked;
